/*
 * Tables of Schema.fbs: Schema, Field, KeyValue, and those of types. See arrow_schema.h.
 *
 * Numbers of slots and of types are those of the file.
 */
#include "sink/columns/arrow_schema.h"

#include "sink/columns/said.h"
#include "sink/columns/column.h"

#include <stdlib.h>

enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_BINARY = 4, TYPE_UTF8 = 5, TYPE_BOOL = 6 };
enum { SINGLE = 1, DOUBLE = 2 };

static size_t put_pair(struct tk_flat *f, const char *key, const char *value, size_t n)
{
    const size_t k = tk_flat_text(f, key, strlen(key)), v = tk_flat_text(f, value, n);
    tk_flat_open(f);
    tk_flat_field_reference(f, 0, k);
    tk_flat_field_reference(f, 1, v);
    return tk_flat_close(f);
}

static unsigned type_of(const struct tk_group_column *c)
{
    static const unsigned types[] = {
        [TK_STORE_BOOL] = TYPE_BOOL,  [TK_STORE_INT] = TYPE_INT,   [TK_STORE_FLOAT] = TYPE_FLOAT,
        [TK_STORE_REAL] = TYPE_FLOAT, [TK_STORE_TEXT] = TYPE_UTF8, [TK_STORE_BYTES] = TYPE_BINARY};
    return types[c->store];
}

static size_t put_type(struct tk_flat *f, const struct tk_group_column *c)
{
    tk_flat_open(f);
    if (c->store == TK_STORE_INT) {
        tk_flat_field(f, 0, 64, 4);
        tk_flat_field(f, 1, c->sign != TK_SIGN_NONE, 1);
    } else if (type_of(c) == TYPE_FLOAT) {
        tk_flat_field(f, 0, c->store == TK_STORE_FLOAT ? SINGLE : DOUBLE, 2);
    }
    return tk_flat_close(f);
}

/* Its metadata are those of tk_table_schema. */
static size_t put_field(struct tk_flat *f, const struct tk_group *g, uint32_t i)
{
    const struct tk_column *column = &g->table->columns[i];
    const char *const texts[][2] = {{"tracekit.kind", tk_column_kind_name(column->kind)},
                                    {"tracekit.unit", tk_column_unit_name(column, g->table->unit)},
                                    {"tracekit.help", column->help ? column->help : ""}};
    size_t pairs[3];
    for (size_t k = 0; k < 3; k++)
        pairs[k] = put_pair(f, texts[k][0], texts[k][1], strlen(texts[k][1]));
    const size_t said = tk_flat_list(f, pairs, 3), children = tk_flat_list(f, NULL, 0);
    const size_t name = tk_flat_text(f, column->name, strlen(column->name));
    const size_t type = put_type(f, &g->columns[i]);
    tk_flat_open(f);
    tk_flat_field_reference(f, 0, name);
    tk_flat_field(f, 1, 1, 1); /* may be null */
    tk_flat_field(f, 2, type_of(&g->columns[i]), 1);
    tk_flat_field_reference(f, 3, type);
    tk_flat_field_reference(f, 5, children);
    tk_flat_field_reference(f, 6, said);
    return tk_flat_close(f);
}

static size_t put_said(struct tk_flat *f, const struct tk_group *g, const char *source, struct tk_buffer *to)
{
    struct tk_said said;
    size_t pairs[TK_SAID_MOST];
    if (tk_said_init(&said, g->table, NULL, source, to) < 0)
        f->status = TK_ENOMEM;
    for (size_t i = 0; i < said.n; i++)
        pairs[i] = put_pair(f, said.pairs[i].key, said.pairs[i].value, said.pairs[i].n);
    const size_t list = tk_flat_list(f, pairs, said.n);
    tk_said_release(&said);
    return list;
}

size_t tk_arrow_schema(struct tk_flat *f, const struct tk_group *g, const char *source, struct tk_buffer *to)
{
    const uint32_t n = g->table->n_columns;
    size_t *fields = calloc(n + 1u, sizeof *fields);
    if (!fields) {
        f->status = TK_ENOMEM;
        return 0;
    }
    for (uint32_t i = 0; i < n; i++)
        fields[i] = put_field(f, g, i);
    const size_t list = tk_flat_list(f, fields, n), said = put_said(f, g, source, to);
    free(fields);
    tk_flat_open(f);
    tk_flat_field(f, 0, 0, 2); /* the lowest byte first */
    tk_flat_field_reference(f, 1, list);
    tk_flat_field_reference(f, 2, said);
    return tk_flat_close(f);
}
