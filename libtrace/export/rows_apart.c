/*
 * Rows on their way to writers whose rows can be made apart: pieces of them are copied, made into bytes by
 * whichever workers are free, and put in the order that they came in. Rows with cells that
 * point to others go to the sink at once.
 */
#include "base/err.h"
#include "base/stream_copy.h"
#include "export/export_in.h"
#include "io/scratch/pool.h"
#include "sink/tables/writer.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

/*
 * Rows that are copied to a piece: cells as they are, texts behind each other, once where they stand at the
 * same place again.
 */

enum { ROWS = 2048, TEXT_BYTES = 512 << 10, FEW_CELLS = 64 };

void tk_row_piece_release(struct tk_row_piece *p)
{
    free(p->cells);
    free(p->text);
}

void tk_row_piece_clear(struct tk_row_piece *p)
{
    p->rows = 0;
    if (p->n_text <= TEXT_BYTES / 2)
        return;
    p->n_text = 0;
    memset(p->slots, 0, sizeof p->slots);
}

/* The copy of a text that is not empty. NULL: no space for it. */
static const char *copy_text(struct tk_row_piece *p, const struct tk_cell *c)
{
    const uintptr_t at = (uintptr_t)c->v.p;
    struct tk_row_piece_slot *slot = &p->slots[(at >> 4 ^ at >> 14) % TK_ROW_PIECE_SLOTS];
    /* other bytes may have come to where it stood */
    if (slot->from == c->v.p && slot->n == c->n && slot->copy && memcmp(slot->copy, c->v.p, c->n) == 0)
        return slot->copy;
    if (c->n > TEXT_BYTES - p->n_text)
        return NULL;
    *slot = (struct tk_row_piece_slot){c->v.p, memcpy(p->text + p->n_text, c->v.p, c->n), c->n};
    p->n_text += c->n;
    return slot->copy;
}

/* Puts the copies of texts in place of those in a row. */
static enum tk_row_copied move_texts(struct tk_row_piece *p, struct tk_cell *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (row[i].kind >= TK_BYTES)
            return TK_ROWS_DEEP;
        if (row[i].kind != TK_TEXT || !row[i].n)
            continue;
        row[i].v.p = copy_text(p, &row[i]);
        if (!row[i].v.p)
            return p->rows ? TK_ROWS_FULL : TK_ROWS_DEEP;
    }
    return TK_ROWS_ALL;
}

static enum tk_row_copied copy_row(struct tk_row_piece *p, const struct tk_cell *row, size_t n)
{
    struct tk_cell few[FEW_CELLS], *out = p->cells + p->rows * n;
    const bool streams = n <= FEW_CELLS && sizeof *out == 16;
    struct tk_cell *copy = streams ? few : out;
    memcpy(copy, row, n * sizeof *row);
    const enum tk_row_copied copied = move_texts(p, copy, n);
    if (copied == TK_ROWS_ALL && streams)
        tk_stream_copy(out, few, n * sizeof *few);
    p->rows += copied == TK_ROWS_ALL;
    return copied;
}

/* Of an empty piece. false if out of memory. */
static bool reserve(struct tk_row_piece *p, size_t n_columns)
{
    const size_t want = (size_t)ROWS * n_columns;
    if (!p->text && !(p->text = malloc(TEXT_BYTES)))
        return false;
    if (p->cap >= want)
        return true;
    struct tk_cell *cells = realloc(p->cells, want * sizeof *cells);
    if (!cells)
        return false;
    p->cells = cells;
    p->cap = want;
    return true;
}

enum tk_row_copied tk_row_piece_copy(struct tk_row_piece *p, const struct tk_table *table,
                                     const struct tk_rows *rows, size_t *at)
{
    const size_t n = table->n_columns;
    enum tk_row_copied copied = TK_ROWS_ALL;
    if (p->rows && p->table != table)
        return TK_ROWS_FULL;
    if (!p->rows && !reserve(p, n))
        return TK_ROWS_NOMEM;
    p->table = table;
    for (; *at < rows->n && copied == TK_ROWS_ALL; *at += copied == TK_ROWS_ALL) {
        const struct tk_cell *row = rows->cells + *at * n;
        copied = p->rows < ROWS ? copy_row(p, row, n) : TK_ROWS_FULL;
    }
    tk_stream_end();
    return copied;
}

struct piece {
    struct tk_row_piece rows;
    struct tk_made_rows made;
    struct tk_writer *writer; /* borrowed */
};

struct tk_rows_apart {
    const struct tk_context *ctx; /* borrowed, as are the next two */
    const struct tk_sink *inner;
    const struct tk_row_writers *writers;
    struct tk_err err; /* why putting failed */
    struct tk_in_order order;
    struct piece pieces[TK_IN_ORDER_MOST]; /* some 1 MB each, as far as there are places */
};

static void free_all(struct tk_rows_apart *r)
{
    for (size_t i = 0; i < r->order.n_places; i++) {
        tk_row_piece_release(&r->pieces[i].rows);
        tk_made_rows_release(&r->pieces[i].made);
    }
    free(r);
}

/* ---- what workers do ---- */

static void make_piece(void *ctx, size_t place, unsigned worker)
{
    struct piece *p = &((struct tk_rows_apart *)ctx)->pieces[place];
    const struct tk_rows rows = tk_row_piece_rows(&p->rows);
    (void)worker;
    tk_made_rows_make(&p->made, p->writer, p->rows.table, &rows);
}

static int put_piece(void *ctx, size_t place, unsigned worker)
{
    struct tk_rows_apart *r = ctx;
    struct piece *p = &r->pieces[place];
    (void)worker;
    tk_row_piece_clear(&p->rows);
    return tk_made_rows_put(&p->made, p->writer, &r->err);
}

int tk_rows_apart_open(struct tk_rows_apart **out, const struct tk_export *e, const struct tk_sink *inner,
                       const struct tk_row_writers *writers, struct tk_err *err)
{
    struct tk_rows_apart *r = calloc(1, sizeof *r);
    int rc = r ? TK_OK : tk_err_nomem(err, "rows on their way");
    *out = NULL;
    if (!r)
        return rc;
    r->ctx = &e->trace->ctx;
    r->inner = inner;
    r->writers = writers;
    tk_in_order_open(&r->order, r->ctx->pool, make_piece, put_piece, r);
    for (size_t i = 0; i < r->order.n_places && rc == TK_OK; i++)
        rc = tk_made_rows_init(&r->pieces[i].made, err);
    if (rc == TK_OK)
        *out = r;
    else
        free_all(r);
    return rc;
}

/* ---- what the reading thread does ---- */

static struct piece *filling(struct tk_rows_apart *r)
{
    return &r->pieces[tk_in_order_filling(&r->order)];
}

static int give(struct tk_rows_apart *r, struct tk_err *err)
{
    struct piece *p = filling(r);
    if (!p->rows.rows)
        return TK_OK;
    const int rc = tk_parallel_ask(r->ctx, err);
    if (rc != TK_OK)
        return rc;
    p->writer = r->writers->of(r->writers->self, p->rows.table);
    if (!p->writer)
        return tk_err_set(err, TK_EUSAGE, "rows of table '%s' come before it begins", p->rows.table->name);
    return tk_parallel_cause(&r->err, tk_in_order_give(&r->order), err);
}

/* The sink has all there is so far. */
static int drain_pieces(struct tk_rows_apart *r, struct tk_err *err)
{
    const int rc = give(r, err);
    return rc == TK_OK ? tk_parallel_cause(&r->err, tk_in_order_drain(&r->order), err) : rc;
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
        rc = tk_parallel_ask(r->ctx, err);
    return rc == TK_OK ? r->inner->rows(r->inner->self, table, &rest, err) : rc;
}

static int rows_apart(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    struct tk_rows_apart *r = self;
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc == TK_OK;) {
        const enum tk_row_copied copied = tk_row_piece_copy(&filling(r)->rows, table, rows, &i);
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
    tk_in_order_drain(&r->order); /* what nobody wants any more */
    free_all(r);
    return rc;
}

/* ---- rows on their way to a sink that works alongside the reading: cells that point to other cells are not
 * copied, the sink gets their rows at once ---- */

struct tk_rows_parallel {
    struct tk_parallel parallel; /* first */
    const struct tk_sink *inner; /* borrowed */
    struct tk_row_piece pieces[TK_PARALLEL_PIECES];
};

static void free_parallel(struct tk_rows_parallel *r)
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
    free_parallel(r);
    return rc;
}
