/*
 * Distribution cells: the columns of a distribution (table/distribution.h), and what stands in them. A table
 * describes the columns in one line and fills them with one call; its enum keeps places for them:
 *
 *     enum { NAME, COUNT, LENGTHS, FIRST = LENGTHS + TK_DISTRIBUTION_COLUMNS, COLUMNS };
 */
#ifndef TK_QUERY_DISTRIBUTION_CELLS_H
#define TK_QUERY_DISTRIBUTION_CELLS_H

#include "query/context.h"
#include "table/distribution.h"

/* The columns, from that of the least value on. */
enum {
    TK_DISTRIBUTION_MIN,
    TK_DISTRIBUTION_MAX,
    TK_DISTRIBUTION_MEAN,
    TK_DISTRIBUTION_MEDIAN,
    TK_DISTRIBUTION_P95,
    TK_DISTRIBUTION_P99,
    TK_DISTRIBUTION_COLUMNS
};

/* A set of them, by the last words of their names: TK_DISTRIBUTION_BIT(MAX). */
#define TK_DISTRIBUTION_BIT(name) (1u << TK_DISTRIBUTION_##name)
#define TK_DISTRIBUTION_ALL       ((1u << TK_DISTRIBUTION_COLUMNS) - 1)

#define TK_DISTRIBUTION_FLAGS(extra, name) ((extra)&TK_DISTRIBUTION_BIT(name) ? TK_COL_EXTRA : 0)

/*
 * Descriptions of the columns for an array of struct tk_column, the first at place `at`. Their names begin
 * with `prefix`; those of the set `extra` are TK_COL_EXTRA. The texts: three of their own, and what
 * "median of" and "95th percentile of" are followed by.
 */
#define TK_DISTRIBUTION_COLUMNS_AS(kind, mean_kind, unit, at, prefix, extra, least, greatest, mean, of)      \
    [(at) + TK_DISTRIBUTION_MIN] = {prefix "min", kind, TK_DISTRIBUTION_FLAGS(extra, MIN), unit, least},     \
            [(at) + TK_DISTRIBUTION_MAX] = {prefix "max", kind, TK_DISTRIBUTION_FLAGS(extra, MAX), unit,     \
                                            greatest},                                                       \
            [(at) + TK_DISTRIBUTION_MEAN] = {prefix "mean", mean_kind, TK_DISTRIBUTION_FLAGS(extra, MEAN),   \
                                             unit, mean},                                                    \
            [(at) + TK_DISTRIBUTION_MEDIAN] = {prefix "median", kind, TK_DISTRIBUTION_FLAGS(extra, MEDIAN),  \
                                               unit, "median of " of},                                       \
            [(at) + TK_DISTRIBUTION_P95] = {prefix "p95", kind, TK_DISTRIBUTION_FLAGS(extra, P95), unit,     \
                                            "95th percentile of " of},                                       \
            [(at) + TK_DISTRIBUTION_P99] = {prefix "p99", kind, TK_DISTRIBUTION_FLAGS(extra, P99), unit,     \
                                            "99th percentile of " of}

/* Of lengths of time. */
#define TK_DISTRIBUTION_LENGTHS(...) TK_DISTRIBUTION_COLUMNS_AS(TK_DURATION, TK_MEAN, NULL, __VA_ARGS__)

/* Of numbers with a unit, which may be NULL. */
#define TK_DISTRIBUTION_NUMBERS(unit, ...) TK_DISTRIBUTION_COLUMNS_AS(TK_UINT, TK_REAL, unit, __VA_ARGS__)

/* Puts a distribution into its cells: of kind TK_DURATION what is in cycles, in the unit of the query; of
 * kind TK_UINT numbers. Without values the cells stay as they are. */
void tk_distribution_put(const struct tk_query_context *view, enum tk_kind kind,
                         const struct tk_distribution *d, struct tk_cell cells[TK_DISTRIBUTION_COLUMNS]);

#endif
