/*
 * Units of metrics, and the words for what is made of values.
 */
#include "metric/metric_in.h"

#include <string.h>

static const struct {
    const char *name;
    uint8_t kind; /* enum tk_unit_kind */
    double factor;
} units[] = {
    {"ns", TK_UNIT_OF_TIME, 1},          {"us", TK_UNIT_OF_TIME, 1e3},
    {"ms", TK_UNIT_OF_TIME, 1e6},        {"s", TK_UNIT_OF_TIME, 1e9},
    {"bytes", TK_UNIT_OF_BYTES, 1},      {"KiB", TK_UNIT_OF_BYTES, 1024},
    {"MiB", TK_UNIT_OF_BYTES, 1048576},  {"per_minute", TK_UNIT_PER_MINUTE, 1},
    {"per_frame", TK_UNIT_PER_FRAME, 1},
};

enum tk_unit_kind tk_metric_unit(const char *unit, double *factor)
{
    *factor = 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0) {
            *factor = units[i].factor;
            return (enum tk_unit_kind)units[i].kind;
        }
    return TK_UNIT_OTHER;
}

#define OF(source) (1u << TK_METRIC_##source)

static const struct {
    const char *name;
    unsigned sources;
} aggs[TK_AGGS] = {
    [TK_AGG_NONE] = {"", 0},
    [TK_AGG_MEAN] = {"mean", OF(COUNTER) | OF(TIMER) | OF(REGION) | OF(EVENT)},
    [TK_AGG_TIME_MEAN] = {"time_mean", OF(COUNTER)},
    [TK_AGG_MIN] = {"min", OF(COUNTER) | OF(EVENT)},
    [TK_AGG_MAX] = {"max", OF(COUNTER) | OF(TIMER) | OF(REGION) | OF(EVENT)},
    [TK_AGG_FIRST] = {"first", OF(COUNTER) | OF(EVENT)},
    [TK_AGG_LAST] = {"last", OF(COUNTER) | OF(EVENT)},
    [TK_AGG_P50] = {"p50", OF(COUNTER) | OF(TIMER) | OF(EVENT)},
    [TK_AGG_P95] = {"p95", OF(COUNTER) | OF(TIMER) | OF(EVENT)},
    [TK_AGG_P99] = {"p99", OF(COUNTER) | OF(EVENT)},
    [TK_AGG_COUNT] = {"count", OF(TIMER) | OF(REGION) | OF(LOG) | OF(EVENT)},
    [TK_AGG_SUM] = {"sum", OF(TIMER) | OF(REGION) | OF(EVENT)},
    [TK_AGG_FRAME_MEAN] = {"frame_mean", OF(TIMER)},
    [TK_AGG_FRAME_P95] = {"frame_p95", OF(TIMER)},
};

int tk_metric_agg_of(const char *name, unsigned source)
{
    for (int i = 0; i < TK_AGGS; i++)
        if (aggs[i].sources >> source & 1 && strcmp(aggs[i].name, name) == 0)
            return i;
    return -1;
}

void tk_metric_aggs_of(unsigned source, char *text, size_t n)
{
    size_t at = 0;
    *text = '\0';
    for (int i = 0; i < TK_AGGS; i++)
        if (aggs[i].sources >> source & 1 && at < n)
            at += (size_t)snprintf(text + at, n - at, "%s%s", at ? ", " : "", aggs[i].name);
}
