/*
 * Makes batches and gives them to the caller.
 *
 * The consumer may move a child out of its parent and release it later, so each child owns its buffers. The
 * parent owns the array of its children.
 */
#include "base/err.h"
#include "base/given.h"
#include "sink/columns/columns_in.h"
#include "sink/write/value.h"
#include "table/cell.h"

#include <stdlib.h>

/*
 * Appends cells to columns. What Arrow's types hold is in the table of tracekit.h, chapter 15.
 */

char tk_column_format(uint8_t kind)
{
    static const char formats[] = {
        [TK_NONE] = 'U',     [TK_BOOL] = 'b',   [TK_INT] = 'l',  [TK_UINT] = 'L',
        [TK_HEX] = 'L',      [TK_REAL32] = 'f', [TK_REAL] = 'g', [TK_TIME] = 'l',
        [TK_DURATION] = 'l', [TK_MEAN] = 'g',   [TK_SIZE] = 'L', [TK_TEXT] = 'i',
        [TK_BYTES] = 'Z',    [TK_ARRAY] = 'U',  [TK_LIST] = 'U', [TK_RECORD] = 'U',
    };
    return kind < sizeof formats ? formats[kind] : 'U';
}

static bool has_offsets(const struct tk_column_build *c)
{
    return c->format == 'U' || c->format == 'Z';
}

static void put_offset(struct tk_column_build *c)
{
    const int64_t at = (int64_t)c->data.n;
    tk_buffer_put(&c->offsets, &at, sizeof at);
}

int tk_column_build_init(struct tk_column_build *c, uint8_t kind, enum tk_unit unit, struct tk_err *err)
{
    *c = (struct tk_column_build){.format = tk_column_format(kind), .kind = kind, .unit = unit};
    if (tk_buffer_init(&c->valid, NULL, err) || tk_buffer_init(&c->offsets, NULL, err) ||
        tk_buffer_init(&c->data, NULL, err))
        return tk_err_nomem(err, "a column");
    if (has_offsets(c) || c->format == 'i')
        put_offset(c);
    if (c->format != 'i')
        return TK_OK;
    c->texts = calloc(1, sizeof *c->texts);
    return c->texts ? tk_texts_init(c->texts, err) : tk_err_nomem(err, "a column");
}

void tk_column_build_release(struct tk_column_build *c)
{
    tk_buffer_release(&c->valid);
    tk_buffer_release(&c->offsets);
    tk_buffer_release(&c->data);
    if (c->texts)
        tk_texts_release(c->texts);
    free(c->texts);
    c->texts = NULL;
}

int tk_column_build_status(const struct tk_column_build *c)
{
    if (c->valid.status < 0)
        return c->valid.status;
    if (c->texts && c->texts->bytes.status < 0)
        return c->texts->bytes.status;
    return c->offsets.status < 0 ? c->offsets.status : c->data.status;
}

/* One bit at place n of bits that are appended in order. */
static void put_bit(struct tk_buffer *bits, size_t n, bool on)
{
    if (n % 8 == 0)
        tk_buffer_char(bits, 0);
    if (on && bits->status == TK_OK)
        bits->p[bits->n - 1] = (char)(bits->p[bits->n - 1] | 1 << n % 8);
}

static bool put_bool(struct tk_column_build *c, const struct tk_cell *cell)
{
    const bool is = cell->kind == TK_BOOL;
    put_bit(&c->data, c->n, is && cell->v.u);
    return is;
}

static bool is_real(const struct tk_cell *cell)
{
    return cell->kind == TK_REAL || cell->kind == TK_REAL32 || cell->kind == TK_MEAN;
}

/* Does a number come back from the integer that it is converted to? */
static bool put_signed(struct tk_column_build *c, const struct tk_cell *cell)
{
    const int64_t v = tk_cell_int(cell);
    const bool is = tk_value_is_number(cell) && (is_real(cell) ? v < INT64_MAX && (double)v == cell->v.r
                                                 : v >= 0      ? tk_cell_uint(cell) == (uint64_t)v
                                                               : cell->v.i == v);
    tk_buffer_put(&c->data, &v, sizeof v);
    return is;
}

static bool put_unsigned(struct tk_column_build *c, const struct tk_cell *cell)
{
    const uint64_t v = tk_cell_uint(cell);
    const bool is = tk_value_is_number(cell) &&
                    (is_real(cell) ? v < UINT64_MAX && (double)v == cell->v.r : tk_cell_int(cell) >= 0);
    tk_buffer_put(&c->data, &v, sizeof v);
    return is;
}

static bool put_real(struct tk_column_build *c, const struct tk_cell *cell)
{
    const bool is = tk_value_is_number(cell);
    const double v = is ? tk_cell_real(cell) : 0;
    const float single = (float)v;
    if (c->format == 'f')
        tk_buffer_put(&c->data, &single, sizeof single);
    else
        tk_buffer_put(&c->data, &v, sizeof v);
    return is;
}

static bool put_bytes(struct tk_column_build *c, const struct tk_cell *cell)
{
    size_t n;
    const char *p = tk_cell_bytes(cell, &n);
    tk_buffer_put(&c->data, p, n);
    return p || cell->kind == TK_BYTES || cell->kind == TK_TEXT;
}

static bool put_json(struct tk_column_build *c, const struct tk_cell *cell, struct tk_buffer *scratch)
{
    if (cell->kind != TK_NONE)
        tk_json_value(&c->data, scratch, cell, TK_UNIT_NS);
    return cell->kind != TK_NONE;
}

/* The number of a value of JSON, which only stands in `data` for as long as it is made. */
static uint32_t number_of_json(struct tk_column_build *c, const struct tk_cell *cell,
                               struct tk_buffer *scratch)
{
    const size_t before = c->data.n;
    tk_json_value(&c->data, scratch, cell, TK_UNIT_NS);
    if (c->data.status < 0)
        return 0;
    const uint32_t number = tk_texts_number(c->texts, c->data.p + before, (uint32_t)(c->data.n - before));
    c->data.n = before;
    return number;
}

/* Texts as they are; all else in a column of texts as a value of JSON. */
static bool put_text(struct tk_column_build *c, const struct tk_cell *cell, struct tk_buffer *scratch)
{
    uint32_t number = 0;
    if (cell->kind == TK_TEXT) {
        const struct tk_str s = tk_safe_text_clean(scratch, tk_cell_text(cell));
        number = tk_texts_number(c->texts, s.p, s.n);
    } else if (cell->kind != TK_NONE) {
        number = number_of_json(c, cell, scratch);
    }
    tk_buffer_put(&c->data, &number, sizeof number);
    return cell->kind != TK_NONE;
}

static bool put_value(struct tk_column_build *c, const struct tk_cell *cell, struct tk_buffer *scratch)
{
    switch (c->format) {
    case 'b':
        return put_bool(c, cell);
    case 'l':
        return put_signed(c, cell);
    case 'L':
        return put_unsigned(c, cell);
    case 'f':
    case 'g':
        return put_real(c, cell);
    case 'Z':
        return put_bytes(c, cell);
    case 'i':
        return put_text(c, cell, scratch);
    default:
        return put_json(c, cell, scratch);
    }
}

void tk_column_build_add(struct tk_column_build *c, const struct tk_cell *cell, struct tk_buffer *scratch)
{
    const bool is = put_value(c, cell, scratch);
    if (has_offsets(c))
        put_offset(c);
    put_bit(&c->valid, c->n, is);
    c->n_nulls += !is;
    c->n++;
}

struct child {
    struct tk_column_build column;
    const void *buffers[3], *of_texts[3];
    struct ArrowArray dictionary; /* shows the texts, which are the child's */
};

struct parent {
    struct ArrowArray *children; /* owned */
    struct ArrowArray **list;    /* owned: their addresses */
    const void *buffers[1];
};

static void release_child(struct ArrowArray *array)
{
    struct child *child = array->private_data;
    tk_column_build_release(&child->column);
    free(child);
    array->release = NULL;
}

static void release_parent(struct ArrowArray *array)
{
    struct parent *parent = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (parent->children[i].release)
            parent->children[i].release(&parent->children[i]);
    free(parent->children);
    free(parent->list);
    free(parent);
    array->release = NULL;
}

static int begin_child(struct ArrowArray *array, const struct tk_column *column, enum tk_unit unit,
                       struct tk_err *err)
{
    struct child *child = calloc(1, sizeof *child);
    if (!child)
        return tk_err_nomem(err, "a column");
    *array = (struct ArrowArray){.release = release_child, .private_data = child};
    return tk_column_build_init(&child->column, column->kind, unit, err);
}

/* What a dictionary shows goes with its child. */
static void release_dictionary(struct ArrowArray *array)
{
    array->release = NULL;
}

static int show_texts(struct child *child)
{
    struct tk_column_build *c = &child->column;
    const struct tk_texts *texts = c->texts;
    for (size_t i = 0; i < texts->places.n; i++) {
        const int64_t end = (int64_t)(texts->places.v[i].at + texts->places.v[i].n);
        tk_buffer_put(&c->offsets, &end, sizeof end);
    }
    child->of_texts[1] = c->offsets.p;
    child->of_texts[2] = texts->bytes.p;
    child->dictionary = (struct ArrowArray){.length = (int64_t)texts->places.n,
                                            .n_buffers = 3,
                                            .buffers = child->of_texts,
                                            .release = release_dictionary};
    return texts->places.n > INT32_MAX ? TK_ELIMIT : TK_OK;
}

/* Shows what was built. A column without nulls needs no bits. */
static int end_child(struct ArrowArray *array)
{
    struct child *child = array->private_data;
    const struct tk_column_build *c = &child->column;
    const bool offsets = c->format == 'U' || c->format == 'Z';
    array->length = (int64_t)c->n;
    array->null_count = (int64_t)c->n_nulls;
    array->n_buffers = offsets ? 3 : 2;
    array->buffers = child->buffers;
    child->buffers[0] = c->n_nulls ? c->valid.p : NULL;
    child->buffers[1] = offsets ? c->offsets.p : c->data.p;
    child->buffers[2] = offsets ? c->data.p : NULL;
    const int rc = c->texts ? show_texts(child) : TK_OK;
    array->dictionary = c->texts ? &child->dictionary : NULL;
    return rc == TK_OK ? tk_column_build_status(c) : rc;
}

static int begin_parent(struct ArrowArray *out, size_t n_columns, struct tk_err *err)
{
    struct parent *parent = calloc(1, sizeof *parent);
    struct ArrowArray *children = calloc(n_columns + 1, sizeof *children);
    struct ArrowArray **list = calloc(n_columns + 1, sizeof *list);
    if (!parent || !children || !list) {
        free(parent);
        free(children);
        free(list);
        return tk_err_nomem(err, "the columns of a table");
    }
    for (size_t i = 0; i < n_columns; i++)
        list[i] = &children[i];
    *parent = (struct parent){children, list, {NULL}};
    *out = (struct ArrowArray){.n_buffers = 1,
                               .n_children = (int64_t)n_columns,
                               .buffers = parent->buffers,
                               .children = list,
                               .release = release_parent,
                               .private_data = parent};
    return TK_OK;
}

/* Column by column, as each has buffers of its own. */
static int fill_child(struct ArrowArray *array, size_t column, tk_row_at *at, const void *ctx, size_t first,
                      size_t n, struct tk_err *err)
{
    struct child *child = array->private_data;
    struct tk_buffer scratch;
    int rc = tk_buffer_init(&scratch, NULL, err);
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        tk_column_build_add(&child->column, at(ctx, first + i) + column, &scratch);
        rc = scratch.status;
    }
    tk_buffer_release(&scratch);
    return rc == TK_OK ? end_child(array) : rc;
}

int tk_batch_make(struct ArrowArray *out, const struct tk_table *table, tk_row_at *at, const void *ctx,
                  size_t first, size_t n, struct tk_err *err)
{
    *out = (struct ArrowArray){0};
    int rc = begin_parent(out, table->n_columns, err);
    for (size_t i = 0; i < table->n_columns && rc == TK_OK; i++) {
        rc = begin_child(out->children[i], &table->columns[i], table->unit, err);
        if (rc == TK_OK)
            rc = fill_child(out->children[i], i, at, ctx, first, n, err);
    }
    if (rc < 0 && out->release)
        out->release(out);
    out->length = (int64_t)n;
    return rc;
}

struct some_rows {
    const struct tk_cell *cells;
    size_t width;
};

static const struct tk_cell *row_of_some(const void *ctx, size_t i)
{
    const struct some_rows *rows = ctx;
    return rows->cells + i * rows->width;
}

int tk_rows_columns(const struct tk_table *table, const struct tk_rows *rows, struct ArrowArray *out,
                    struct tk_err *err)
{
    TK_GIVEN(err, table, rows, out);
    const struct some_rows some = {rows->cells, table->n_columns};
    return tk_batch_make(out, table, row_of_some, &some, 0, rows->n, err);
}
