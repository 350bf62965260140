/*
 * Past end: a selection that begins behind the end of a capture. See past_end.h.
 */
#include "run/past_end.h"

#include <stdio.h>

struct end {
    bool known;
    int64_t last;
};

static int take_end(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct end *end = self;
    const int at = tk_table_column(table, "last");
    (void)err;
    if (at >= 0 && rows->n && rows->cells[at].kind == TK_TIME) {
        end->known = true;
        end->last = rows->cells[at].v.i;
    }
    return TK_OK;
}

/* Of what the tables read; health reads all of it. */
static int read_end(struct tk_trace *trace, bool all, struct end *end, struct tk_err *err)
{
    static const char *const tables[] = {"capture", "health"};
    struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_sink sink = {.self = end, .rows = take_end};
    query.tables = tables;
    query.n_tables = all ? 2 : 1;
    query.in_passing = !all;
    return tk_query_run(trace, &query, &sink, err);
}

int tk_past_end_check(struct tk_trace *trace, const struct tk_selection *select, struct tk_err *err)
{
    struct end end = {0};
    if (!select->has_from)
        return TK_OK;
    int rc = read_end(trace, false, &end, err);
    if (rc >= 0 && (!end.known || select->from_ns > end.last))
        rc = read_end(trace, true, &end, err);
    if (rc < 0 || !end.known || select->from_ns <= end.last)
        return rc < 0 ? rc : TK_OK;
    *err = (struct tk_err){.code = TK_EMATCH, .n = 1};
    snprintf(err->text[0], TK_ERR_TEXT, "'--from' is past the end: the capture ends at %.6f s",
             (double)end.last / 1e9);
    return TK_EMATCH;
}
