/*
 * What a sample stands for. See sample_weight.h.
 */
#include "model/samples/sample_weight.h"

#include <string.h>

#define MOST_PERIOD INT64_C(1000000000000) /* ns; more is no interval of samples */

static const struct {
    const char *key;
    int64_t unit; /* ns */
} intervals[] = {{"SamplingPeriod", 1}, {"SamplingInterval", 1000}};

static int64_t number_of(const struct tk_cell *cell)
{
    if (cell->kind == TK_UINT && cell->v.u <= (uint64_t)MOST_PERIOD)
        return (int64_t)cell->v.u;
    return cell->kind == TK_INT && cell->v.i > 0 && cell->v.i <= MOST_PERIOD ? cell->v.i : 0;
}

int64_t tk_sample_period(const struct tk_dict *dict)
{
    for (size_t i = 0; i < dict->session.n; i++)
        for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
            const struct tk_str *key = dict->session.v[i].key;
            if (key->n != strlen(intervals[k].key) || memcmp(key->p, intervals[k].key, key->n) != 0)
                continue;
            int64_t ns = number_of(&dict->session.v[i].value) * intervals[k].unit;
            return ns <= MOST_PERIOD ? ns : 0;
        }
    return 0;
}

struct tk_cell tk_sample_time(const struct tk_query_context *view, int64_t period, uint64_t samples)
{
    const struct tk_fact_clock *clock = &view->dict->clock;
    if (!period || samples > (uint64_t)(INT64_MAX / period))
        return (struct tk_cell){.kind = TK_NONE};
    int64_t ns = period * (int64_t)samples;
    if (view->query->unit != TK_UNIT_CYCLES || !clock->frequency)
        return tk_cell_of_span(ns);
    return tk_cell_of_span(
        (int64_t)((double)ns * (double)(clock->frequency / tk_fact_clock_parts(clock)) / 1e9 + 0.5));
}
