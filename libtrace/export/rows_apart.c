/*
 * Rows on their way to writers whose rows can be made apart: pieces of them are copied, made into bytes by
 * whichever workers are free, and put in the order that they came in; see beside.h. Who copies puts, too, so
 * that the sink is called by one thread. Rows with cells that point to others go to the sink at once.
 */
#include "base/err.h"
#include "export/beside.h"
#include "export/row_piece.h"
#include "sink/tables/made_rows.h"
#include "table/sink.h"

#include <stdlib.h>

/* Pieces at one time, at most: some 1 MB each. */
enum { MOST_PIECES = 16 };

struct piece {
    struct tk_row_piece rows;
    struct tk_made_rows made;
    struct tk_writer *writer; /* borrowed */
    struct tk_task task;
};

struct tk_rows_apart {
    const struct tk_context *ctx; /* borrowed, as are the next two */
    const struct tk_sink *inner;
    const struct tk_row_writers *writers;
    size_t given,
        put; /* pieces so far; number n has the place n modulo n_pieces, the one that is filled `given` */
    size_t n_pieces;
    struct piece pieces[];
};

static void free_all(struct tk_rows_apart *r)
{
    for (size_t i = 0; i < r->n_pieces; i++) {
        tk_row_piece_release(&r->pieces[i].rows);
        tk_made_rows_release(&r->pieces[i].made);
    }
    free(r);
}

int tk_rows_apart_open(struct tk_rows_apart **out, const struct tk_export *e, const struct tk_sink *inner,
                       const struct tk_row_writers *writers, struct tk_err *err)
{
    const size_t jobs = tk_pool_jobs(e->trace->ctx.pool), n = jobs < MOST_PIECES ? jobs + 1 : MOST_PIECES;
    struct tk_rows_apart *r = calloc(1, sizeof *r + n * sizeof *r->pieces);
    int rc = r ? TK_OK : tk_err_nomem(err, "rows on their way");
    *out = NULL;
    if (!r)
        return rc;
    r->ctx = &e->trace->ctx;
    r->inner = inner;
    r->writers = writers;
    r->n_pieces = n;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = tk_made_rows_init(&r->pieces[i].made, err);
    if (rc == TK_OK)
        *out = r;
    else
        free_all(r);
    return rc;
}

static struct piece *piece_of(struct tk_rows_apart *r, size_t number)
{
    return &r->pieces[number % r->n_pieces];
}

static void make_piece(void *ctx, size_t index, unsigned worker)
{
    struct piece *p = ctx;
    const struct tk_rows rows = tk_row_piece_rows(&p->rows);
    (void)index, (void)worker;
    tk_made_rows_make(&p->made, p->writer, p->rows.table, &rows);
}

/* Puts the oldest piece that was given away. */
static int put_oldest(struct tk_rows_apart *r, struct tk_err *err)
{
    struct piece *p = piece_of(r, r->put++);
    tk_pool_wait(r->ctx->pool, &p->task);
    tk_row_piece_clear(&p->rows);
    return tk_made_rows_put(&p->made, p->writer, err);
}

/* The piece that was filled goes to the workers; the next one has been put when this returns. */
static int give(struct tk_rows_apart *r, struct tk_err *err)
{
    struct piece *p = piece_of(r, r->given);
    if (!p->rows.rows)
        return TK_OK;
    const int rc = tk_beside_ask(r->ctx, err);
    if (rc != TK_OK)
        return rc;
    p->writer = r->writers->of(r->writers->self, p->rows.table);
    if (!p->writer)
        return tk_err_set(err, TK_EUSAGE, "rows of table '%s' come before it begins", p->rows.table->name);
    r->given++;
    tk_pool_start(r->ctx->pool, &p->task, make_piece, p, 1);
    return r->given - r->put == r->n_pieces ? put_oldest(r, err) : TK_OK;
}

/* The sink has all there is so far. */
static int drain_pieces(struct tk_rows_apart *r, struct tk_err *err)
{
    int rc = give(r, err);
    while (rc == TK_OK && r->put < r->given)
        rc = put_oldest(r, err);
    return rc;
}

static int begin_apart(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_rows_apart *r = self;
    const int rc = drain_pieces(r, err);
    return rc == TK_OK ? tk_sink_begin(r->inner, table, err) : rc;
}

static int end_apart(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_rows_apart *r = self;
    const int rc = drain_pieces(r, err);
    return rc == TK_OK ? tk_sink_end(r->inner, table, err) : rc;
}

/* What is left of a batch whose next row cannot be copied. */
static int give_rest(struct tk_rows_apart *r, const struct tk_table *table, struct tk_rows rest,
                     struct tk_err *err)
{
    int rc = drain_pieces(r, err);
    if (rc == TK_OK)
        rc = tk_beside_ask(r->ctx, err);
    return rc == TK_OK ? r->inner->rows(r->inner->self, table, &rest, err) : rc;
}

static int rows_apart(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    struct tk_rows_apart *r = self;
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK;) {
        const enum tk_row_copied copied = tk_row_piece_copy(&piece_of(r, r->given)->rows, table, rows, &i);
        if (copied == TK_ROWS_NOMEM)
            return tk_err_nomem(err, "rows on their way");
        if (copied == TK_ROWS_DEEP)
            return give_rest(r, table, (struct tk_rows){rows->n - i, rows->cells + i * table->n_columns},
                             err);
        if (copied == TK_ROWS_FULL)
            rc = give(r, err);
    }
    return rc;
}

struct tk_sink tk_rows_apart_sink(struct tk_rows_apart *r)
{
    return (struct tk_sink){.self = r, .begin = begin_apart, .rows = rows_apart, .end = end_apart};
}

int tk_rows_apart_close(struct tk_rows_apart *r, int rc, struct tk_err *err)
{
    if (!r)
        return rc;
    if (rc == TK_OK)
        rc = drain_pieces(r, err);
    while (r->put < r->given) /* nobody wants them any more */
        tk_pool_wait(r->ctx->pool, &piece_of(r, r->put++)->task);
    free_all(r);
    return rc;
}
