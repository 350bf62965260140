/*
 * Rows on their way to a sink that works beside the reading; see beside.h. Cells that point to other cells
 * are not copied: the sink gets their rows at once.
 */
#include "base/err.h"
#include "export/beside.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096, TEXT_BYTES = 512 << 10 };

struct piece {
    const struct tk_table *table; /* borrowed until it has ended */
    struct tk_cell *cells;        /* owned */
    size_t cap;                   /* cells */
    size_t rows;
    char *text; /* owned: TEXT_BYTES */
    size_t n_text;
};

struct tk_rows_beside {
    struct tk_beside beside;     /* first */
    const struct tk_sink *inner; /* borrowed */
    struct piece pieces[2];
};

static void free_all(struct tk_rows_beside *r)
{
    for (unsigned i = 0; i < 2; i++) {
        free(r->pieces[i].cells);
        free(r->pieces[i].text);
    }
    free(r);
}

static void give_rows(struct tk_beside *b, unsigned piece)
{
    struct tk_rows_beside *r = (struct tk_rows_beside *)b;
    struct piece *p = &r->pieces[piece];
    const struct tk_rows rows = {.n = p->rows, .cells = p->cells};
    b->status = r->inner->rows(r->inner->self, p->table, &rows, &b->err);
    p->rows = p->n_text = 0;
}

static bool has_no_rows(const struct tk_beside *b, unsigned piece)
{
    return ((const struct tk_rows_beside *)b)->pieces[piece].rows == 0;
}

int tk_rows_beside_open(struct tk_rows_beside **out, const struct tk_export *e, const struct tk_sink *inner,
                        struct tk_err *err)
{
    struct tk_rows_beside *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return tk_err_nomem(err, "rows on their way");
    r->beside = (struct tk_beside){.ctx = &e->trace->ctx, .give = give_rows, .is_empty = has_no_rows};
    r->inner = inner;
    r->pieces[0].text = malloc(TEXT_BYTES);
    r->pieces[1].text = malloc(TEXT_BYTES);
    if (!r->pieces[0].text || !r->pieces[1].text) {
        free_all(r);
        return tk_err_nomem(err, "rows on their way");
    }
    *out = r;
    return TK_OK;
}

static int begin_rows(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_rows_beside *r = self;
    int rc = tk_beside_drain(&r->beside, err);
    return rc == TK_OK ? tk_sink_begin(r->inner, table, err) : rc;
}

static int end_rows(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_rows_beside *r = self;
    int rc = tk_beside_drain(&r->beside, err);
    return rc == TK_OK ? tk_sink_end(r->inner, table, err) : rc;
}

enum outcome { COPIED, FULL, NOT_PLAIN };

/* near: the row before it where that is in the same batch, else NULL; near_copy: its copy. */
static enum outcome copy_row(struct piece *p, const struct tk_cell *row, size_t n, const struct tk_cell *near)
{
    struct tk_cell *out = p->cells + p->rows * n;
    const struct tk_cell *near_copy = near ? out - n : NULL;
    size_t n_text = p->n_text;
    memcpy(out, row, n * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        if (row[i].kind >= TK_BYTES)
            return NOT_PLAIN;
        if (row[i].kind != TK_TEXT || !row[i].n)
            continue;
        if (near && near[i].kind == TK_TEXT && near[i].v.p == row[i].v.p && near[i].n == row[i].n) {
            out[i].v.p = near_copy[i].v.p;
            continue;
        }
        if (row[i].n > TEXT_BYTES - n_text)
            return p->rows ? FULL : NOT_PLAIN;
        out[i].v.p = memcpy(p->text + n_text, row[i].v.p, row[i].n);
        n_text += row[i].n;
    }
    p->n_text = n_text;
    p->rows++;
    return COPIED;
}

/* Where the next rows of a table are copied to; NULL when memory is out. */
static struct piece *piece_for(struct tk_rows_beside *r, const struct tk_table *table)
{
    struct piece *p = &r->pieces[r->beside.filling];
    const size_t want = (size_t)ROWS * table->n_columns;
    p->table = table;
    if (p->cap >= want)
        return p;
    struct tk_cell *cells = p->rows ? NULL : realloc(p->cells, want * sizeof *cells);
    if (!cells)
        return NULL;
    p->cells = cells;
    p->cap = want;
    return p;
}

static int give_now(struct tk_rows_beside *r, const struct tk_table *table, struct tk_rows rest,
                    struct tk_err *err)
{
    int rc = tk_beside_drain(&r->beside, err);
    if (rc == TK_OK)
        rc = tk_beside_ask(&r->beside, err);
    return rc == TK_OK ? r->inner->rows(r->inner->self, table, &rest, err) : rc;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_rows_beside *r = self;
    const size_t n = table->n_columns;
    const struct tk_cell *near = NULL;
    int rc = TK_OK;
    if (!r->inner->rows)
        return TK_OK;
    if (r->pieces[r->beside.filling].rows && r->pieces[r->beside.filling].table != table)
        rc = tk_beside_hand_over(&r->beside, err); /* rows of several tables take turns */
    for (size_t i = 0; i < rows->n && rc == TK_OK;) {
        struct piece *p = piece_for(r, table);
        const struct tk_cell *row = rows->cells + i * n;
        if (!p)
            return tk_err_nomem(err, "rows on their way");
        const enum outcome outcome = p->rows < ROWS ? copy_row(p, row, n, near) : FULL;
        if (outcome == NOT_PLAIN)
            return give_now(r, table, (struct tk_rows){rows->n - i, row}, err);
        near = outcome == COPIED ? row : NULL;
        i += outcome == COPIED;
        if (outcome == FULL)
            rc = tk_beside_hand_over(&r->beside, err);
    }
    return rc;
}

struct tk_sink tk_rows_beside_sink(struct tk_rows_beside *r)
{
    return (struct tk_sink){.self = r, .begin = begin_rows, .rows = take_rows, .end = end_rows};
}

int tk_rows_beside_close(struct tk_rows_beside *r, int rc, struct tk_err *err)
{
    if (!r)
        return rc;
    rc = tk_beside_end(&r->beside, rc, err);
    free_all(r);
    return rc;
}
