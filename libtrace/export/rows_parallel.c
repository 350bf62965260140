/*
 * Rows on their way to a sink that works alongside the reading. Cells that point to other cells
 * are not copied: the sink gets their rows at once.
 */
#include "base/err.h"
#include "export/export_in.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

struct tk_rows_parallel {
    struct tk_parallel parallel; /* first */
    const struct tk_sink *inner; /* borrowed */
    struct tk_row_piece pieces[TK_PARALLEL_PIECES];
};

static void free_all(struct tk_rows_parallel *r)
{
    for (unsigned i = 0; i < TK_PARALLEL_PIECES; i++)
        tk_row_piece_release(&r->pieces[i]);
    free(r);
}

static int give_rows(struct tk_parallel *b, unsigned piece, struct tk_err *err)
{
    struct tk_rows_parallel *r = (struct tk_rows_parallel *)b;
    struct tk_row_piece *p = &r->pieces[piece];
    const struct tk_rows rows = tk_row_piece_rows(p);
    const int rc = r->inner->rows(r->inner->self, p->table, &rows, err);
    tk_row_piece_clear(p);
    return rc;
}

static bool has_no_rows(const struct tk_parallel *b, unsigned piece)
{
    return ((const struct tk_rows_parallel *)b)->pieces[piece].rows == 0;
}

int tk_rows_parallel_open(struct tk_rows_parallel **out, const struct tk_export *e,
                          const struct tk_sink *inner, struct tk_err *err)
{
    struct tk_rows_parallel *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return tk_err_nomem(err, "rows on their way");
    tk_parallel_open(&r->parallel, &e->trace->ctx, give_rows, has_no_rows);
    r->inner = inner;
    *out = r;
    return TK_OK;
}

static int begin_rows(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_rows_parallel *r = self;
    int rc = tk_parallel_drain(&r->parallel, err);
    return rc == TK_OK ? tk_sink_begin(r->inner, table, err) : rc;
}

static int end_rows(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_rows_parallel *r = self;
    int rc = tk_parallel_drain(&r->parallel, err);
    return rc == TK_OK ? tk_sink_end(r->inner, table, err) : rc;
}

static int give_now(struct tk_rows_parallel *r, const struct tk_table *table, struct tk_rows rest,
                    struct tk_err *err)
{
    int rc = tk_parallel_drain(&r->parallel, err);
    if (rc == TK_OK)
        rc = tk_parallel_ask(r->parallel.ctx, err);
    return rc == TK_OK ? r->inner->rows(r->inner->self, table, &rest, err) : rc;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_rows_parallel *r = self;
    int rc = TK_OK;
    if (!r->inner->rows)
        return TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK;) {
        const enum tk_row_copied copied = tk_row_piece_copy(&r->pieces[r->parallel.filling], table, rows, &i);
        if (copied == TK_ROWS_NOMEM)
            return tk_err_nomem(err, "rows on their way");
        if (copied == TK_ROWS_DEEP)
            return give_now(r, table, (struct tk_rows){rows->n - i, rows->cells + i * table->n_columns}, err);
        if (copied == TK_ROWS_FULL)
            rc = tk_parallel_hand_over(&r->parallel, err);
    }
    return rc;
}

struct tk_sink tk_rows_parallel_sink(struct tk_rows_parallel *r)
{
    return (struct tk_sink){.self = r, .begin = begin_rows, .rows = take_rows, .end = end_rows};
}

int tk_rows_parallel_close(struct tk_rows_parallel *r, int rc, struct tk_err *err)
{
    if (!r)
        return rc;
    rc = tk_parallel_end(&r->parallel, rc, err);
    free_all(r);
    return rc;
}
