/*
 * Compares what a recording shall hold with runs.
 */
#include "compare/baseline/expect.h"

#include "compare/baseline/run_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHANNEL "channel:"

/* Words for series of a kind. */
static const struct {
    const char *word;
    uint8_t kind;
} series[] = {
    {"gpu", TK_SERIES_GPU},         {"counters", TK_SERIES_COUNTER}, {"memory", TK_SERIES_MEMORY},
    {"loading", TK_SERIES_LOADING}, {"timers", TK_SERIES_TIMER},
};

/* Names for several channels at once, as recorders take them. */
static const struct {
    const char *preset, *channels[8];
} presets[] = {
    {"default", {"cpu", "gpu", "frame", "log", "bookmark", "screenshot", "region", NULL}},
    {"memory", {"memtag", "memalloc", "callstack", "module", NULL}},
    {"memory_light", {"memtag", "memalloc", NULL}},
};

static const struct {
    const char *unit;
    double seconds;
} units[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};

static bool has_kind(const struct tk_base_run *run, uint8_t kind)
{
    for (size_t i = 0; i < run->series.n; i++)
        if (run->series.v[i]->kind == kind && run->series.v[i]->count)
            return true;
    return false;
}

static bool is_same_letters(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char x = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] + 32) : a[i];
        const char y = b[i] >= 'A' && b[i] <= 'Z' ? (char)(b[i] + 32) : b[i];
        if (x != y)
            return false;
    }
    return true;
}

/* Is a channel in the list of those that were on? */
static bool is_on(const struct tk_str *on, const char *name)
{
    const size_t want = strlen(name);
    for (size_t at = 0, end; on && at < on->n; at = end + 1) {
        for (end = at; end < on->n && on->p[end] != ','; end++)
            ;
        if (end - at == want && is_same_letters(on->p + at, name, want))
            return true;
    }
    return false;
}

static bool has_channel(const struct tk_base_run *run, const char *name)
{
    const struct tk_str *on = tk_base_run_about(run, "channels");
    bool all = true;
    if (is_on(on, name))
        return true;
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        if (strcmp(presets[i].preset, name) != 0)
            continue;
        for (size_t k = 0; presets[i].channels[k]; k++)
            all = all && is_on(on, presets[i].channels[k]);
        return all;
    }
    return false;
}

static int expect_channel(const struct tk_base_run *run, const char *name, char instead[TK_EXPECT_TEXT])
{
    const struct tk_str *on = tk_base_run_about(run, "channels");
    if (has_channel(run, name))
        return 1;
    snprintf(instead, TK_EXPECT_TEXT, "%s%.*s",
             on ? "the enabled channels are " : "no channel is known to be enabled",
             on ? (int)(on->n < 120 ? on->n : 120) : 0, on ? on->p : "");
    return 0;
}

/* The seconds of a length of time with its unit, or a negative number. */
static double length_of(const char *word)
{
    char *end;
    if (*word < '0' || *word > '9')
        return -1;
    const double v = strtod(word, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].unit) == 0)
            return v * units[i].seconds;
    return -1;
}

static int expect_length(const struct tk_base_run *run, double seconds, char instead[TK_EXPECT_TEXT])
{
    const double has = (double)run->duration / (double)run->frequency;
    snprintf(instead, TK_EXPECT_TEXT, "it has %.3f s", has);
    return has >= seconds;
}

int tk_base_run_expect(const struct tk_base_run *run, const char *word, char instead[TK_EXPECT_TEXT],
                       struct tk_err *err)
{
    const double seconds = length_of(word);
    snprintf(instead, TK_EXPECT_TEXT, "there are none");
    if (seconds >= 0)
        return expect_length(run, seconds, instead);
    if (strncmp(word, CHANNEL, sizeof CHANNEL - 1) == 0 && word[sizeof CHANNEL - 1])
        return expect_channel(run, word + sizeof CHANNEL - 1, instead);
    if (strcmp(word, "frames") == 0)
        return run->frames.n > 0 && !tk_base_run_is_unit(run);
    for (size_t i = 0; i < sizeof series / sizeof *series; i++)
        if (strcmp(series[i].word, word) == 0)
            return has_kind(run, series[i].kind);
    return tk_err_set(
        err, TK_EUSAGE,
        "'%.60s' cannot be expected; choose from frames, gpu, counters, memory, loading, timers, 60s, "
        "channel:NAME",
        word);
}
