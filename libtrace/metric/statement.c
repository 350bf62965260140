/*
 * Metrics as SQL: every source but `sql` is a statement over a table, so that all are measured in one way.
 */
#include "base/err.h"
#include "metric/metric_in.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void put_bytes(struct tk_metric_statement *s, const char *p, size_t n)
{
    if (s->full)
        return;
    if (s->n + n + 1 > s->cap) {
        const size_t cap = 2 * (s->n + n + 64);
        char *v = realloc(s->v, cap);
        s->full = !v;
        if (!v)
            return;
        s->v = v;
        s->cap = cap;
    }
    memcpy(s->v + s->n, p, n);
    s->v[s->n += n] = '\0';
}

static void put(struct tk_metric_statement *s, const char *text)
{
    put_bytes(s, text, strlen(text));
}

/* A literal of SQL; `glob`: a pattern, in which brackets are themselves. */
static void put_literal(struct tk_metric_statement *s, const char *p, size_t n, bool glob)
{
    put(s, "'");
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '[' && glob)
            put(s, "[[]");
        else if (p[i] == '\'')
            put(s, "''");
        else
            put_bytes(s, p + i, 1);
    }
    put(s, "'");
}

static bool has_capital(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] >= 'A' && p[i] <= 'Z')
            return true;
    return false;
}

/* As tk_glob_typed: alternatives with | between them, each of which folds case without a capital letter. */
static void put_match(struct tk_metric_statement *s, const char *column, const char *pattern)
{
    put(s, "(");
    for (size_t n; *pattern; pattern += n + (pattern[n] == '|')) {
        n = strcspn(pattern, "|");
        put(s, has_capital(pattern, n) ? "" : "lower(");
        put(s, column);
        put(s, has_capital(pattern, n) ? " GLOB " : ") GLOB ");
        put_literal(s, pattern, n, true);
        put(s, pattern[n] && pattern[n + 1] ? " OR " : "");
    }
    put(s, ")");
}

static void put_condition(struct tk_metric_statement *s, const char *column, const char *pattern)
{
    if (!pattern)
        return;
    put(s, " AND ");
    put_match(s, column, pattern);
}

/* What is made of the values of a column `v`. */
static const char *value_of(uint8_t agg)
{
    static const char *const columns[TK_AGGS] = {
        [TK_AGG_MEAN] = "avg(v)",
        [TK_AGG_MIN] = "min(v)",
        [TK_AGG_MAX] = "max(v)",
        [TK_AGG_P50] = "percentile(v, 50)",
        [TK_AGG_P95] = "percentile(v, 95)",
        [TK_AGG_P99] = "percentile(v, 99)",
        [TK_AGG_SUM] = "sum(v)",
        [TK_AGG_COUNT] = "nullif(count(*), 0)",
    };
    return columns[agg];
}

/* ---- sources ---- */

static void put_counter(struct tk_metric_statement *s, const struct tk_metric_definition *d)
{
    static const char *const columns[TK_AGGS] = {[TK_AGG_MEAN] = "mean",   [TK_AGG_TIME_MEAN] = "time_mean",
                                                 [TK_AGG_MIN] = "min",     [TK_AGG_MAX] = "max",
                                                 [TK_AGG_FIRST] = "first", [TK_AGG_LAST] = "last",
                                                 [TK_AGG_P50] = "median",  [TK_AGG_P95] = "p95",
                                                 [TK_AGG_P99] = "p99"};
    put(s, "SELECT \"");
    put(s, columns[d->agg]);
    put(s, "\" AS v, unit FROM counters WHERE ");
    put_match(s, "counter", d->pattern);
}

/* Of scopes, of which percentiles are exact; a thread is known by its name, or by that without its number. */
static void put_calls(struct tk_metric_statement *s, const struct tk_metric_definition *d)
{
    put(s, "SELECT ");
    put(s, value_of(d->agg));
    put(s, " AS v FROM (SELECT dur AS v FROM scopes WHERE dur IS NOT NULL AND timer IN "
           "(SELECT timer FROM timers WHERE coalesce(kind, '') NOT GLOB 'gpu*' AND ");
    put_match(s, "timer", d->pattern);
    put(s, ")");
    if (d->thread) {
        put(s, " AND (");
        put_match(s, "thread", d->thread);
        put(s, " OR ");
        put_match(s, "rtrim(rtrim(thread, '0123456789)]'), ' #_-.:([')", d->thread);
        put(s, ")");
    }
    put(s, ")");
}

static void put_sums(struct tk_metric_statement *s, const struct tk_metric_definition *d)
{
    static const char *const columns[TK_AGGS] = {[TK_AGG_COUNT] = "nullif(sum(count), 0)",
                                                 [TK_AGG_SUM] = "sum(total)",
                                                 [TK_AGG_MEAN] = "1.0 * sum(total) / nullif(sum(count), 0)",
                                                 [TK_AGG_MAX] = "max(\"max\")",
                                                 [TK_AGG_FRAME_MEAN] = "sum(frame_mean)",
                                                 [TK_AGG_FRAME_P95] = "frame_p95"};
    put(s, "SELECT ");
    put(s, columns[d->agg]);
    put(s, " AS v FROM timers WHERE coalesce(kind, '') NOT GLOB 'gpu*'");
    put(s, d->thread ? " AND grouped_by = 'class'" : "");
    put_condition(s, "timer", d->pattern);
    put_condition(s, "thread", d->thread);
}

static void put_timer(struct tk_metric_statement *s, const struct tk_metric_definition *d)
{
    if (d->agg == TK_AGG_P50 || d->agg == TK_AGG_P95)
        put_calls(s, d);
    else
        put_sums(s, d);
}

static void put_region(struct tk_metric_statement *s, const struct tk_metric_definition *d)
{
    put(s, "SELECT ");
    put(s, value_of(d->agg));
    put(s, " AS v FROM (SELECT dur AS v FROM regions WHERE dur IS NOT NULL");
    put_condition(s, "name", d->pattern);
    put(s, ")");
}

static void put_log(struct tk_metric_statement *s, const struct tk_metric_definition *d)
{
    put(s, "SELECT nullif(count(*), 0) AS v FROM logs WHERE 1");
    put_condition(s, "category", d->category);
    put_condition(s, "verbosity", d->verbosity);
    put_condition(s, "text", d->text);
}

/* The field of the events, in their order. */
static void put_event(struct tk_metric_statement *s, const struct tk_metric_definition *d)
{
    const bool first = d->agg == TK_AGG_FIRST, ends = first || d->agg == TK_AGG_LAST;
    put(s, "SELECT ");
    put(s, ends ? "v" : value_of(d->agg));
    put(s, " AS v FROM (SELECT time, json_extract(fields, '$.\"' || ");
    put_literal(s, d->field, strlen(d->field), false);
    put(s, " || '\"') AS v FROM events WHERE event = ");
    put_literal(s, d->pattern, strlen(d->pattern), false);
    put(s, ") WHERE v IS NOT NULL");
    put(s, !ends ? "" : first ? " ORDER BY time LIMIT 1" : " ORDER BY time DESC LIMIT 1");
}

static void put_sql(struct tk_metric_statement *s, const struct tk_metric_definition *d)
{
    put(s, d->pattern);
}

int tk_metric_statement_make(struct tk_metric_statement *s, const struct tk_metric_definition *d,
                             struct tk_err *err)
{
    static void (*const sources[TK_METRIC_SOURCES])(struct tk_metric_statement *,
                                                    const struct tk_metric_definition *) = {
        put_sql, put_counter, put_timer, put_region, put_log, put_event};
    *s = (struct tk_metric_statement){0};
    sources[d->metric.source](s, d);
    if (!s->full)
        return TK_OK;
    tk_metric_statement_release(s);
    return tk_err_nomem(err, "metrics");
}

int tk_metric_platform_make(struct tk_metric_statement *s, const struct tk_metric_definition *d,
                            struct tk_err *err)
{
    *s = (struct tk_metric_statement){0};
    put(s, "SELECT count(*) FROM capture WHERE ");
    put_match(s, "platform", d->platform);
    if (!s->full)
        return TK_OK;
    tk_metric_statement_release(s);
    return tk_err_nomem(err, "metrics");
}

void tk_metric_statement_release(struct tk_metric_statement *s)
{
    free(s->v);
    *s = (struct tk_metric_statement){0};
}

/* A channel that was on, or anything of the kind. */
const char *tk_metric_recorded(const struct tk_metric_definition *d)
{
    static const char *const recorded[TK_METRIC_SOURCES] = {
        [TK_METRIC_TIMER] = "SELECT (SELECT count(*) FROM toggles WHERE enabled AND lower(name) = 'cpu') + "
                            "(SELECT count(*) FROM timers WHERE coalesce(kind, '') NOT GLOB 'gpu*')",
        [TK_METRIC_REGION] =
            "SELECT (SELECT count(*) FROM toggles WHERE enabled AND lower(name) = 'region') + "
            "(SELECT count(*) FROM regions)",
        [TK_METRIC_LOG] = "SELECT (SELECT count(*) FROM toggles WHERE enabled AND lower(name) = 'log') + "
                          "(SELECT count(*) FROM logs)",
    };
    return d->agg == TK_AGG_COUNT || d->agg == TK_AGG_SUM ? recorded[d->metric.source] : NULL;
}
