/*
 * Makes batches and gives them to whoever asked. See tracekit.h, chapter 15.
 *
 * The consumer may move a child out of its parent and release it later, so each child owns its buffers. The
 * parent owns the array of its children.
 */
#include "sink/columns/batch.h"

#include "base/given.h"
#include "sink/columns/column.h"

#include <stdlib.h>

struct child {
    struct tk_column_build column;
    const void *buffers[3];
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
    return tk_column_build_status(c);
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
