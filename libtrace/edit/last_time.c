/*
 * The column of the table of captures that tells it. See last_time.h.
 */
#include "edit/last_time.h"

static int take(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    (void)table;
    (void)err;
    if (rows->n && rows->cells[0].kind == TK_TIME)
        *(int64_t *)self = rows->cells[0].v.i;
    return TK_OK;
}

int tk_edit_last_time(struct tk_trace *trace, const struct tk_fact_clock *clock, int64_t *last,
                      struct tk_err *err)
{
    static const char *const tables[] = {"capture"}, *const columns[] = {"last"};
    const int64_t second = 1000000000, parts = tk_fact_clock_parts(clock);
    int64_t ns = 0;
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 1;
    const int rc = tk_query_run(trace, &query, &(struct tk_sink){.self = &ns, .rows = take}, err);
    const uint64_t frequency = clock->frequency ? clock->frequency / (uint64_t)parts : (uint64_t)second;
    const uint64_t whole = ns > 0 ? (uint64_t)(ns / second) : 0, rest = ns > 0 ? (uint64_t)(ns % second) : 0;
    const bool fits = frequency < UINT32_MAX * UINT64_C(4) && whole < INT64_MAX / 4 / (frequency | 1);
    *last = fits ? (int64_t)(whole * frequency + (rest * frequency + (uint64_t)second - 1) / (uint64_t)second)
                 : 0;
    return rc;
}
