/*
 * Rows on their way to a sink. See emit.h and builder.h.
 */
#include "query/emit.h"

#include "base/arena.h"
#include "query/row_filter.h"
#include "table/projection.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH_ROWS = 512,
    BATCH_BYTES = 1 << 20 /* bytes kept for rows before they are sent */
};

struct tk_emit {
    const struct tk_table *full; /* borrowed */
    struct tk_projection projection;
    struct tk_row_filter filter;
    const struct tk_query *query; /* borrowed */
    const struct tk_sink *sink;   /* borrowed */
    struct tk_cell *rows;         /* owned: BATCH_ROWS rows of the full table */
    struct tk_cell *sent;         /* owned: the same, of the columns asked for */
    size_t n;                     /* rows begun */
    /* Bytes for a row can be asked for before the row is, and the row may be the one that sends the batch: so
     * bytes live one batch longer than needed. */
    struct tk_arena bytes[2];
    unsigned turn;
    int status;
    struct tk_err err; /* why status is what it is */
};

int tk_emit_open(struct tk_emit **out, const struct tk_table *full, const struct tk_query *query,
                 const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_emit *e = calloc(1, sizeof *e);
    if (!e)
        return tk_err_nomem(err, "the rows of a table");
    e->full = full;
    e->sink = sink;
    e->query = query;
    int rc = tk_projection_init(&e->projection, full, query, err);
    if (rc == TK_OK)
        rc = tk_row_filter_init(&e->filter, full, query, err);
    if (rc == TK_OK) {
        e->rows = calloc(BATCH_ROWS, sizeof *e->rows * (full->n_columns + 1));
        e->sent = calloc(BATCH_ROWS, sizeof *e->sent * (full->n_columns + 1));
        rc = e->rows && e->sent ? TK_OK : tk_err_nomem(err, "the rows of a table");
    }
    if (rc < 0)
        tk_emit_close(e);
    else
        *out = e;
    return rc;
}

void tk_emit_close(struct tk_emit *e)
{
    if (!e)
        return;
    tk_projection_release(&e->projection);
    tk_row_filter_release(&e->filter);
    tk_arena_release(&e->bytes[0]);
    tk_arena_release(&e->bytes[1]);
    free(e->rows);
    free(e->sent);
    free(e);
}

uint64_t tk_emit_columns(const struct tk_emit *e)
{
    return e->projection.mask | e->filter.mask;
}

bool tk_emit_wants(const struct tk_emit *e, unsigned column)
{
    return tk_emit_columns(e) >> column & 1;
}

int tk_emit_status(const struct tk_emit *e)
{
    return e->status;
}

/* Remembers what a hook of the sink returned; one that says no cause gets one. */
static void heard(struct tk_emit *e, int rc)
{
    e->status = rc < 0 ? rc : TK_OK;
    if (rc == TK_ENOMEM && e->err.n == 0)
        tk_err_nomem(&e->err, "the rows of a table");
    else if (rc < 0 && e->err.n == 0)
        tk_err_set(&e->err, rc, "the sink of table '%s' failed", e->full->name);
}

void tk_emit_no_memory(struct tk_emit *e)
{
    if (e->status == TK_OK)
        heard(e, TK_ENOMEM);
}

/* The status, its causes copied to whoever asks. */
static int told(const struct tk_emit *e, struct tk_err *err)
{
    if (e->status < 0 && err)
        *err = e->err;
    return e->status;
}

/* The rows that pass, cut down to the columns asked for; how many. */
static size_t project(struct tk_emit *e)
{
    const struct tk_projection *p = &e->projection;
    const struct tk_cell *row = e->rows;
    struct tk_cell *out = e->sent;
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++, row += e->full->n_columns) {
        if (e->filter.n && !tk_row_filter_pass(&e->filter, row))
            continue;
        n++;
        for (uint32_t k = 0; k < p->table.n_columns; k++)
            *out++ = row[p->from[k]];
    }
    return n;
}

static void send_emit(struct tk_emit *e)
{
    if (e->status == TK_OK && e->n && e->sink->rows) {
        struct tk_rows rows = {.n = project(e), .cells = e->sent};
        if (rows.n)
            heard(e, e->sink->rows(e->sink->self, &e->projection.table, &rows, &e->err));
    }
    e->n = 0;
    e->turn ^= 1;
    tk_arena_clear(&e->bytes[e->turn]);
}

void tk_emit_none(struct tk_emit *e, const char *text)
{
    e->projection.table.none = text;
}

int tk_emit_begin(struct tk_emit *e, struct tk_err *err)
{
    if (e->sink->begin)
        heard(e, e->sink->begin(e->sink->self, &e->projection.table, &e->err));
    return told(e, err);
}

int tk_emit_why(const struct tk_emit *e, int rc, struct tk_err *err)
{
    return rc < 0 && e->status == rc ? told(e, err) : rc;
}

int tk_emit_flush(struct tk_emit *e, struct tk_err *err)
{
    send_emit(e);
    return told(e, err);
}

int tk_emit_end(struct tk_emit *e, struct tk_err *err)
{
    send_emit(e);
    if (e->status == TK_OK && e->sink->end)
        heard(e, e->sink->end(e->sink->self, &e->projection.table, &e->err));
    if (e->filter.n && e->query->filtered)
        e->query->filtered(e->query->filtered_ctx, e->full->name, e->filter.kept, e->filter.rows);
    return told(e, err);
}

struct tk_cell *tk_emit_row(struct tk_emit *e)
{
    size_t width = e->full->n_columns;
    if (e->n == BATCH_ROWS || e->bytes[e->turn].total > BATCH_BYTES)
        send_emit(e);
    if (e->status < 0)
        return NULL;
    struct tk_cell *row = e->rows + e->n++ * width;
    memset(row, 0, width * sizeof *row);
    return row;
}

void *tk_emit_bytes(struct tk_emit *e, const void *p, size_t n)
{
    void *copy = tk_arena_copy(&e->bytes[e->turn], p, n);
    if (!copy && e->status == TK_OK)
        e->status = tk_err_nomem(&e->err, "the rows of a table");
    return copy;
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_emit *e = self;
    size_t width = e->full->n_columns;
    if (table->n_columns != e->full->n_columns)
        return tk_err_set(err, TK_EUSAGE, "table '%s' came with other columns than it says", table->name);
    for (size_t i = 0; i < rows->n; i++) {
        struct tk_cell *row = tk_emit_row(e);
        if (!row)
            break;
        memcpy(row, rows->cells + i * width, width * sizeof *row);
    }
    return tk_emit_flush(e, err);
}

struct tk_sink tk_emit_sink(struct tk_emit *e)
{
    return (struct tk_sink){.self = e, .rows = take_rows};
}
