/*
 * Times of runs as cells. All tables of baselines use it.
 */
#ifndef TK_COMPARE_LISTING_SPAN_CELL_H
#define TK_COMPARE_LISTING_SPAN_CELL_H

#include "compare/baseline/baseline.h"
#include "query/dict.h"
#include "table/cell.h"

/* Nanoseconds of cycles of a run. */
static inline struct tk_cell tk_listing_span(const struct tk_base_run *run, uint64_t cycles)
{
    const struct tk_fact_clock clock = {.frequency = run->frequency};
    const int64_t most = cycles < INT64_MAX ? (int64_t)cycles : INT64_MAX;
    return tk_cell_of_span(tk_clock_span(&clock, TK_UNIT_NS, most));
}

#endif
