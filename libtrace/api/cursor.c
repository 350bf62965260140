/*
 * Cursors: a query that is answered piece by piece, when the caller asks. See tracekit.h.
 *
 * The query runs in a thread of its own and waits in its sink while the caller looks at the rows, so they are
 * handed over where they stand.
 */
#include "base/given.h"
#include "io/scratch/generator.h"
#include "tracekit.h"

#include <stdlib.h>

struct piece {
    const struct tk_table *table;
    const struct tk_rows *rows;
};

struct tk_cursor {
    struct tk_trace *trace;
    const struct tk_query *query; /* of the caller, until the first piece is asked for */
    struct tk_generator *relay;
    struct tk_err err;
    int status;
};

static int give_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    const struct piece piece = {table, rows};
    (void)err;
    return tk_generator_give(self, &piece) ? TK_OK : TK_ECANCELED;
}

static int answer(struct tk_generator *relay, void *ctx)
{
    struct tk_cursor *p = ctx;
    const struct tk_sink sink = {.self = relay, .rows = give_rows};
    p->status = tk_query_run(p->trace, p->query, &sink, &p->err);
    return p->status;
}

int tk_cursor_open(struct tk_cursor **out, struct tk_trace *trace, const struct tk_query *query,
                   struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, trace, query);
    struct tk_cursor *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return tk_err_nomem(err, "a query");
    *p = (struct tk_cursor){.trace = trace, .query = query};
    p->relay = tk_generator_open(answer, p);
    if (!p->relay) {
        free(p);
        return tk_err_nomem(err, "the thread of a query");
    }
    *out = p;
    return TK_OK;
}

int tk_cursor_next(struct tk_cursor *p, const struct tk_table **table, struct tk_rows *rows,
                   struct tk_err *err)
{
    TK_GIVEN(err, p, table, rows);
    const struct piece *piece = tk_generator_take(p->relay);
    if (piece) {
        *table = piece->table;
        *rows = *piece->rows;
        return TK_ITEM;
    }
    if (p->status < 0 && err)
        *err = p->err;
    return p->status;
}

void tk_cursor_close(struct tk_cursor *p)
{
    if (p)
        tk_generator_close(p->relay);
    free(p);
}
