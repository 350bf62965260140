/*
 * What is better of a metric of the user, and what it is made of.
 */
#ifndef TK_JUDGE_METRIC_WORDS_H
#define TK_JUDGE_METRIC_WORDS_H

enum tk_metric_better { TK_METRIC_LESS, TK_METRIC_MORE, TK_METRIC_NEITHER, TK_METRIC_BETTERS };

enum tk_metric_source {
    TK_METRIC_SQL,
    TK_METRIC_COUNTER,
    TK_METRIC_TIMER,
    TK_METRIC_REGION,
    TK_METRIC_LOG,
    TK_METRIC_EVENT,
    TK_METRIC_SOURCES
};

/* "less", "more", "neither"; "sql", "counter", ...: as in files. Static. */
static inline const char *tk_metric_better_name(unsigned better)
{
    static const char *const names[] = {"less", "more", "neither"};
    return names[better < TK_METRIC_BETTERS ? better : TK_METRIC_NEITHER];
}

static inline const char *tk_metric_source_name(unsigned source)
{
    static const char *const names[] = {"sql", "counter", "timer", "region", "log", "event"};
    return source < TK_METRIC_SOURCES ? names[source] : "";
}

#endif
