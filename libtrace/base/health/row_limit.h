/*
 * The number of rows that a table may hold to sort or pair them (limit `rows`). Rows beyond it are dropped
 * and reported in the health.
 */
#ifndef TK_HEALTH_ROW_LIMIT_H
#define TK_HEALTH_ROW_LIMIT_H

#include "base/health/health.h"

struct tk_row_limit {
    struct tk_health *health; /* borrowed */
    uint64_t rows;            /* the limit */
    uint64_t spilled;         /* rows that are held elsewhere */
    const char *table;        /* static text */
    bool full;
};

/* Is there space for one more when there are n? Counts the one that has none. */
static inline bool tk_row_limit_for(struct tk_row_limit *limit, size_t n)
{
    if (n + limit->spilled < limit->rows)
        return true;
    if (limit->full)
        limit->health->counts[TK_HEALTH_LIMIT_REACHED]++;
    else
        tk_health_limit(limit->health, TK_LIMIT_rows, TK_NO_OFFSET, 1,
                        "table '%s' holds no more than %llu rows", limit->table,
                        (unsigned long long)limit->rows);
    limit->full = true;
    return false;
}

#endif
