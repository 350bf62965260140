/*
 * The schema of a table for Arrow: its columns and their descriptions. See tracekit.h, chapter 15.
 *
 * As in batches, a child may outlive its parent and owns its texts.
 */
#include "base/given.h"
#include "sink/columns/column.h"

#include <stdlib.h>

struct child {
    char format[2];
    struct tk_buffer name, metadata;
};

struct parent {
    struct ArrowSchema *children; /* owned */
    struct ArrowSchema **list;    /* owned: their addresses */
    struct tk_buffer name;
};

static void release_child(struct ArrowSchema *schema)
{
    struct child *child = schema->private_data;
    tk_buffer_release(&child->name);
    tk_buffer_release(&child->metadata);
    free(child);
    schema->release = NULL;
}

static void release_parent(struct ArrowSchema *schema)
{
    struct parent *parent = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++)
        if (parent->children[i].release)
            parent->children[i].release(&parent->children[i]);
    tk_buffer_release(&parent->name);
    free(parent->children);
    free(parent->list);
    free(parent);
    schema->release = NULL;
}

const char *tk_column_kind_name(uint8_t kind)
{
    static const char *const names[] = {
        [TK_NONE] = "none",         [TK_BOOL] = "bool",     [TK_INT] = "int",   [TK_UINT] = "uint",
        [TK_HEX] = "hex",           [TK_REAL32] = "real32", [TK_REAL] = "real", [TK_TIME] = "time",
        [TK_DURATION] = "duration", [TK_MEAN] = "mean",     [TK_SIZE] = "size", [TK_TEXT] = "text",
        [TK_BYTES] = "bytes",       [TK_ARRAY] = "array",   [TK_LIST] = "list", [TK_RECORD] = "record",
    };
    return kind < sizeof names / sizeof *names ? names[kind] : names[TK_NONE];
}

const char *tk_column_unit_name(const struct tk_column *column, enum tk_unit unit)
{
    const bool time = column->kind == TK_TIME || column->kind == TK_DURATION || column->kind == TK_MEAN;
    if (time)
        return unit == TK_UNIT_CYCLES ? "cycles" : "ns";
    if (column->unit)
        return column->unit;
    return column->kind == TK_SIZE ? "bytes" : "";
}

static void put_counted(struct tk_buffer *b, const char *text)
{
    const int32_t n = (int32_t)strlen(text);
    tk_buffer_put(b, &n, sizeof n);
    tk_buffer_text(b, text);
}

static void put_pair(struct tk_buffer *b, const char *key, const char *value)
{
    put_counted(b, key);
    put_counted(b, value);
}

static int make_child(struct ArrowSchema *schema, const struct tk_column *column, enum tk_unit unit,
                      struct tk_err *err)
{
    const int32_t pairs = 3;
    struct child *child = calloc(1, sizeof *child);
    if (!child)
        return tk_err_nomem(err, "a column");
    *schema =
        (struct ArrowSchema){.flags = ARROW_FLAG_NULLABLE, .release = release_child, .private_data = child};
    if (tk_buffer_init(&child->name, NULL, err) || tk_buffer_init(&child->metadata, NULL, err))
        return TK_ENOMEM;
    child->format[0] = tk_column_format(column->kind);
    tk_buffer_put(&child->name, column->name, strlen(column->name) + 1);
    tk_buffer_put(&child->metadata, &pairs, sizeof pairs);
    put_pair(&child->metadata, "tracekit.kind", tk_column_kind_name(column->kind));
    put_pair(&child->metadata, "tracekit.unit", tk_column_unit_name(column, unit));
    put_pair(&child->metadata, "tracekit.help", column->help ? column->help : "");
    schema->format = child->format;
    schema->name = child->name.p;
    schema->metadata = child->metadata.p;
    return child->name.status < 0 ? child->name.status : child->metadata.status;
}

static int make_parent(struct ArrowSchema *out, const struct tk_table *table, struct tk_err *err)
{
    struct parent *parent = calloc(1, sizeof *parent);
    struct ArrowSchema *children = calloc((size_t)table->n_columns + 1, sizeof *children);
    struct ArrowSchema **list = calloc((size_t)table->n_columns + 1, sizeof *list);
    if (!parent || !children || !list) {
        free(parent);
        free(children);
        free(list);
        return tk_err_nomem(err, "the columns of a table");
    }
    for (size_t i = 0; i < table->n_columns; i++)
        list[i] = &children[i];
    *parent = (struct parent){.children = children, .list = list};
    *out = (struct ArrowSchema){.format = "+s",
                                .n_children = table->n_columns,
                                .children = list,
                                .release = release_parent,
                                .private_data = parent};
    int rc = tk_buffer_init(&parent->name, NULL, err);
    if (rc == TK_OK) {
        tk_buffer_put(&parent->name, table->name, strlen(table->name) + 1);
        out->name = parent->name.p;
        rc = parent->name.status;
    }
    return rc;
}

int tk_table_schema(const struct tk_table *table, struct ArrowSchema *out, struct tk_err *err)
{
    TK_GIVEN(err, table, out);
    *out = (struct ArrowSchema){0};
    int rc = make_parent(out, table, err);
    for (size_t i = 0; i < table->n_columns && rc == TK_OK; i++)
        rc = make_child(out->children[i], &table->columns[i], table->unit, err);
    if (rc < 0 && out->release)
        out->release(out);
    return rc;
}
