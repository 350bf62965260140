/*
 * Rows of several captures on their way to one sink of tables. Each row begins with the name of its capture
 * and, where its table has times, with when it began. The sink sees each table begin and end once; where it
 * takes tables one after another, once for each capture.
 */
#include "base/err.h"
#include "base/text/text.h"
#include "base/vec.h"
#include "export/export_in.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

struct joined_table {
    struct tk_table table;     /* what the sink sees */
    struct tk_column *columns; /* owned: the added ones, then those of the rows */
    uint32_t added;
    uint32_t *to;   /* owned: column i of the rows of this capture is to[i] of the table */
    uint32_t from;  /* columns of the rows of this capture */
    uint32_t begin; /* of these, the one with the time; UINT32_MAX: none */
};

struct tk_joined {
    const struct tk_sink *inner; /* borrowed */
    struct tk_joined_how how;
    struct tk_cell name; /* of the capture whose rows come */
    int64_t epoch;
    TK_VEC(struct joined_table *) tables; /* owned */
    TK_VEC(struct tk_cell) cells;         /* space for a batch */
};

static const struct tk_column capture_column = {"capture", TK_TEXT, 0, NULL, "name of the capture"};
static const struct tk_column wall_column = {
    "wall_clock", TK_INT, 0, "ns",
    "when the row begins, since 1970, where the capture says when it was recorded"};

int tk_joined_new(struct tk_joined **out, const struct tk_sink *inner, struct tk_joined_how how,
                  struct tk_err *err)
{
    struct tk_joined *j = *out = calloc(1, sizeof *j);
    if (!j)
        return tk_err_nomem(err, "captures of an export");
    j->inner = inner;
    j->how = how;
    return TK_OK;
}

void tk_joined_free(struct tk_joined *j)
{
    for (size_t i = 0; j && i < j->tables.n; i++) {
        free(j->tables.v[i]->columns);
        free(j->tables.v[i]->to);
        free(j->tables.v[i]);
    }
    if (j) {
        tk_vec_release(&j->tables);
        tk_vec_release(&j->cells);
    }
    free(j);
}

int tk_joined_next(struct tk_joined *j, struct tk_trace *trace, const char *name, struct tk_err *err)
{
    const size_t n = name ? strlen(name) : 0;
    j->name = (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)n, .v.p = name ? name : ""};
    j->name.enc = tk_utf8_valid(j->name.v.p, n) ? TK_ENC_UTF8 : TK_ENC_BYTES;
    return tk_trace_begin(trace, &j->epoch, err);
}

static struct joined_table *find_joined(const struct tk_joined *j, const char *name)
{
    for (size_t i = 0; i < j->tables.n; i++)
        if (strcmp(j->tables.v[i]->table.name, name) == 0)
            return j->tables.v[i];
    return NULL;
}

/* A table of which each format has other columns gets all of them, where none are named. */
static const struct tk_table *whole_of(const struct tk_joined *j, const struct tk_table *rows)
{
    const struct tk_table *listed = j->how.all_columns ? tk_table_find(rows->name) : NULL;
    return listed && listed->flags & TK_TABLE_VARIES ? listed : rows;
}

static void add_column(struct joined_table *t, const struct tk_column *column)
{
    t->columns[t->table.n_columns++] = *column;
}

static void lay_out_joined(const struct tk_joined *j, struct joined_table *t, const struct tk_table *rows)
{
    const struct tk_table *whole = whole_of(j, rows);
    t->table = *rows;
    t->table.flags &= ~(uint32_t)TK_TABLE_SINGLE;
    t->table.columns = t->columns;
    t->table.n_columns = 0;
    if (j->how.named)
        add_column(t, &capture_column);
    if (tk_table_begin(whole) != UINT32_MAX)
        add_column(t, &wall_column);
    t->added = t->table.n_columns;
    for (uint32_t i = 0; i < whole->n_columns; i++)
        if (!(whole->columns[i].flags & TK_COL_EXTRA) || tk_table_column(rows, whole->columns[i].name) >= 0)
            add_column(t, &whole->columns[i]);
}

static int add_joined(struct tk_joined *j, const struct tk_table *rows, struct joined_table **out,
                      struct tk_err *err)
{
    struct joined_table *t = *out = calloc(1, sizeof *t);
    if (!t || tk_vec_push(&j->tables, t)) {
        free(t);
        return tk_err_nomem(err, "captures of an export");
    }
    const size_t n = whole_of(j, rows)->n_columns + 2u;
    t->columns = calloc(n, sizeof *t->columns);
    t->to = calloc(n, sizeof *t->to);
    if (!t->columns || !t->to)
        return tk_err_nomem(err, "captures of an export");
    lay_out_joined(j, t, rows);
    return TK_OK;
}

static int map_columns(const struct tk_joined *j, struct joined_table *t, const struct tk_table *rows,
                       struct tk_err *err)
{
    t->from = rows->n_columns;
    t->begin = tk_table_begin(rows);
    for (uint32_t i = 0; i < t->from; i++) {
        const int at = tk_table_column(&t->table, rows->columns[i].name);
        if (at < 0)
            return tk_err_set(err, TK_EUSAGE,
                              "table '%s' of '%s' has a column '%s', which captures before it lack",
                              rows->name, (const char *)j->name.v.p, rows->columns[i].name);
        t->to[i] = (uint32_t)at;
    }
    return TK_OK;
}

static int begin_joined(void *self, const struct tk_table *rows, struct tk_err *err)
{
    struct tk_joined *j = self;
    struct joined_table *t = find_joined(j, rows->name);
    const bool first = !t;
    int rc = first ? add_joined(j, rows, &t, err) : TK_OK;
    if (rc == TK_OK)
        rc = map_columns(j, t, rows, err);
    return rc == TK_OK && (first || j->how.in_turn) ? tk_sink_begin(j->inner, &t->table, err) : rc;
}

static void fill_joined(const struct tk_joined *j, const struct joined_table *t, const struct tk_cell *row,
                        struct tk_cell *out)
{
    uint32_t at = 0;
    memset(out, 0, t->table.n_columns * sizeof *out);
    if (j->how.named)
        out[at++] = j->name;
    const struct tk_cell *begin = t->begin == UINT32_MAX ? NULL : &row[t->begin];
    if (at < t->added && begin && begin->kind == TK_TIME && j->epoch != INT64_MIN &&
        begin->v.i <= INT64_MAX - j->epoch)
        out[at] = (struct tk_cell){.kind = TK_INT, .v.i = j->epoch + begin->v.i};
    for (uint32_t i = 0; i < t->from; i++)
        out[t->to[i]] = row[i];
}

static int rows_joined(void *self, const struct tk_table *rows, const struct tk_rows *batch,
                       struct tk_err *err)
{
    struct tk_joined *j = self;
    const struct joined_table *t = find_joined(j, rows->name);
    const size_t n = t ? t->table.n_columns : 0;
    if (!j->inner->rows || !t)
        return TK_OK;
    if (tk_vec_reserve(&j->cells, batch->n * n))
        return tk_err_nomem(err, "captures of an export");
    for (size_t i = 0; i < batch->n; i++)
        fill_joined(j, t, batch->cells + i * t->from, j->cells.v + i * n);
    return j->inner->rows(j->inner->self, &t->table, &(struct tk_rows){batch->n, j->cells.v}, err);
}

static int end_joined(void *self, const struct tk_table *rows, struct tk_err *err)
{
    struct tk_joined *j = self;
    const struct joined_table *t = find_joined(j, rows->name);
    return j->how.in_turn && t ? tk_sink_end(j->inner, &t->table, err) : TK_OK;
}

struct tk_sink tk_joined_sink(struct tk_joined *j)
{
    return (struct tk_sink){.self = j, .begin = begin_joined, .rows = rows_joined, .end = end_joined};
}

int tk_joined_end(struct tk_joined *j, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; !j->how.in_turn && i < j->tables.n && rc == TK_OK; i++)
        rc = tk_sink_end(j->inner, &j->tables.v[i]->table, err);
    return rc;
}
