/*
 * Words that options take.
 */
#include "args/words.h"

#include <stddef.h>
#include <string.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

const char *const tk_words_colours[] = {"auto", "always", "never", NULL};
const char *const tk_words_orders[] = {"file", "serial", "time", NULL};
const char *const tk_words_run_orders[] = {"time", "name", "given", NULL};
const char *const tk_words_eols[] = {"lf", "crlf", NULL};
const char *const tk_words_args[] = {"none", "all", NULL};
const char *const tk_words_live_formats[] = {"text", "json", NULL};

const struct tk_word_list tk_word_lists[] = {
    {"pair-presets", LIST("tracy")},
    {"classes", LIST("users", "addresses", "paths", "commands", "project", "logs", "assets", "objects",
                     "functions", "names", "pictures", "sources", "timers", "all")},
    {"pair-tables", LIST("zones", "frames")},
    {"orders-of-scopes", LIST("start")},
    {"colours", tk_words_colours},
    {"units", LIST("ns", "us", "ms", "s", "cycles")},
    {"units-of-sql", LIST("ns", "us", "ms", "s")},
    {"orders", tk_words_orders},
    {"run-orders", tk_words_run_orders},
    {"eols", tk_words_eols},
    {"live-formats", tk_words_live_formats},
    {"args", tk_words_args},
    {"weights", LIST("time", "count", "bytes", "samples")},
    {NULL, NULL},
};

size_t tk_words_count(const char *const *words)
{
    size_t n = 0;
    while (words[n])
        n++;
    return n;
}

size_t tk_words_find(const char *const *words, const char *word)
{
    size_t i = 0;
    while (words[i] && strcmp(words[i], word) != 0)
        i++;
    return i;
}

/*
 * Words of other tools, and of people who have not read a page yet.
 */

static const struct {
    const char *word, *line;
} habits[] = {
    {"open", "trace-view FILE"},
    {"gui", "trace-view FILE"},
    {"ui", "trace-view FILE"},
    {"timeline", "trace-view FILE"},
    {"show", "trace-stats FILE"},
    {"summary", "trace-stats FILE"},
    {"summarize", "trace-stats FILE"},
    {"analyze", "trace-stats FILE"},
    {"hitches", "trace-stats FILE -t hitches"},
    {"frames", "trace-stats FILE -t frames"},
    {"timers", "trace-stats FILE -t timers"},
    {"tree", "trace-stats FILE -t tree"},
    {"memory", "trace-stats FILE -t memory"},
    {"threads", "trace-stats FILE -t threads"},
    {"counters", "trace-stats FILE -t counters"},
    {"logs", "trace-stats FILE -t logs"},
    {"top", "trace-stats FILE -t timers -n 10"},
    {"follow", "trace-stats FILE --follow"},
    {"flamegraph", "trace-export FILE -f flamegraph -o flames.svg"},
    {"flame", "trace-export FILE -f flamegraph -o flames.svg"},
    {"convert", "trace-export FILE -f FORMAT -o OUTPUT"},
    {"csv", "trace-stats FILE -t timers -f csv"},
    {"--csv", "trace-stats FILE -t timers -f csv"},
    {"json", "trace-stats FILE -f json"},
    {"--json", "trace-stats FILE -f json"},
    {"html", "trace-report FILE -o report.html"},
    {"--html", "trace-report FILE -o report.html"},
    {"sqlite", "trace-export FILE -f sqlite -o capture.db"},
    {"parquet", "trace-export FILE -f parquet -o tables/"},
    {"sql", "trace-query FILE \"SELECT ...\""},
    {"select", "trace-query FILE \"SELECT ...\""},
    {"compare", "trace-diff OLD --vs NEW"},
    {"regressions", "trace-diff OLD --vs NEW"},
    {"budget", "trace-check FILE --budget BUDGET.json"},
    {"history", "trace-trend RUN..."},
    {"capture", "trace-record"},
    {"cut", "trace-edit FILE --from TIME --to TIME -o PART"},
    {"trim", "trace-edit FILE --from TIME --to TIME -o PART"},
    {"split", "trace-edit FILE --split 10s -o PARTS/"},
    {"merge", "trace-edit FILE OTHER -o WHOLE"},
    {"anonymise", "trace-edit FILE --anonymise -o OUTPUT"},
    {"anonymize", "trace-edit FILE --anonymise -o OUTPUT"},
    {"repair", "trace-edit FILE --repair -o OUTPUT"},
    {"assistant", "tracekit mcp"},
    {"version", "tracekit --version"},
};

const char *tk_habit_find(const char *word)
{
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (strcmp(habits[i].word, word) == 0)
            return habits[i].line;
    return NULL;
}
