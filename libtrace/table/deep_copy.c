/*
 * Deep copies of cells, records and table descriptions into an arena. Results keep their rows with it.
 */
#include "table/deep_copy.h"

#include "base/err.h"
#include "table/cell.h"

#include <string.h>

struct copying {
    struct tk_copier *c;
    struct tk_err *err;
    unsigned depth;
};

static int copy_value(struct copying *k, struct tk_cell *out, const struct tk_cell *in);

static const char *copy_c(struct tk_copier *c, const char *s)
{
    return s ? tk_arena_copy(&c->arena, s, strlen(s) + 1) : NULL;
}

static int copy_str(struct tk_copier *c, struct tk_str *s)
{
    const char *p = tk_arena_copy(&c->arena, s->p, s->n);
    s->p = p;
    return p ? TK_OK : TK_ENOMEM;
}

/* A record that was copied: impl is the cells of its fields. */
static void copied_value(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    const struct tk_cell *cells = rec->impl;
    if (field < rec->type->n_fields)
        *out = cells[field];
    else
        *out = (struct tk_cell){.kind = TK_NONE};
}

static int fill_type(struct tk_copier *c, struct tk_record_type *out, const struct tk_record_type *in)
{
    struct tk_str *fields = tk_arena_alloc(&c->arena, in->n_fields * sizeof *fields);
    struct tk_str *text = in->text ? tk_arena_alloc(&c->arena, sizeof *text) : NULL;
    const char *name = copy_c(c, in->name);
    if (!fields || (in->text && !text) || (in->name && !name))
        return TK_ENOMEM;
    const char *family = copy_c(c, in->family);
    if (in->family && !family)
        return TK_ENOMEM;
    *out = (struct tk_record_type){name, text, in->n_fields, fields, copied_value, family, in->named};
    if (text) {
        *text = *in->text;
        if (copy_str(c, text))
            return TK_ENOMEM;
    }
    for (uint32_t i = 0; i < in->n_fields; i++) {
        fields[i] = in->fields[i];
        if (copy_str(c, &fields[i]))
            return TK_ENOMEM;
    }
    return TK_OK;
}

static const struct tk_record_type *copy_type(struct tk_copier *c, const struct tk_record_type *in)
{
    uint32_t known = tk_map_get(&c->type_index, (uintptr_t)in);
    if (known != TK_MAP_NONE)
        return c->types.v[known];
    struct tk_record_type *out = tk_arena_alloc(&c->arena, sizeof *out);
    if (!out || fill_type(c, out, in) || tk_vec_push(&c->types, out))
        return NULL;
    return tk_map_put(&c->type_index, (uintptr_t)in, (uint32_t)(c->types.n - 1)) ? NULL : out;
}

static int copy_bytes(struct copying *k, struct tk_cell *out, size_t n)
{
    out->v.p = tk_arena_copy(&k->c->arena, out->v.p, n);
    return out->v.p ? TK_OK : tk_err_nomem(k->err, "a copy of a value");
}

static int copy_list(struct copying *k, struct tk_cell *out)
{
    const struct tk_cell *from = out->v.p;
    struct tk_cell *to = tk_arena_alloc(&k->c->arena, out->n * sizeof *to);
    if (!to)
        return tk_err_nomem(k->err, "a copy of a list");
    for (uint32_t i = 0; i < out->n; i++) {
        int rc = copy_value(k, &to[i], &from[i]);
        if (rc)
            return rc;
    }
    out->v.p = to;
    return TK_OK;
}

static int copy_record(struct copying *k, struct tk_cell *out)
{
    const struct tk_record *from = out->v.p;
    uint32_t n = from->type->n_fields;
    const struct tk_record_type *type = copy_type(k->c, from->type);
    struct tk_record *to = tk_arena_alloc(&k->c->arena, sizeof *to);
    struct tk_cell *cells = tk_arena_alloc(&k->c->arena, n * sizeof *cells);
    if (!type || !to || !cells)
        return tk_err_nomem(k->err, "a copy of a record");
    for (uint32_t i = 0; i < n; i++) {
        struct tk_cell value = {.kind = TK_NONE};
        from->type->value(from, i, &value);
        int rc = copy_value(k, &cells[i], &value);
        if (rc)
            return rc;
    }
    *to = (struct tk_record){type, cells};
    out->v.p = to;
    return TK_OK;
}

static int copy_nested(struct copying *k, struct tk_cell *out)
{
    if (k->depth == TK_CELL_DEPTH)
        return tk_err_set(k->err, TK_ELIMIT, "a value is nested deeper than %d levels", TK_CELL_DEPTH);
    k->depth++;
    int rc = out->kind == TK_LIST ? copy_list(k, out) : copy_record(k, out);
    k->depth--;
    return rc;
}

static int copy_value(struct copying *k, struct tk_cell *out, const struct tk_cell *in)
{
    *out = *in;
    if (in->kind == TK_TEXT || in->kind == TK_BYTES)
        return copy_bytes(k, out, in->n);
    if (in->kind == TK_ARRAY)
        return copy_bytes(k, out, (size_t)in->n * in->width);
    return in->kind == TK_LIST || in->kind == TK_RECORD ? copy_nested(k, out) : TK_OK;
}

int tk_copy_cell(struct tk_copier *c, struct tk_cell *out, const struct tk_cell *in,
                 const struct tk_cell *near, struct tk_err *err)
{
    struct copying k = {.c = c, .err = err};
    if (near && in->kind == TK_TEXT && near->kind == TK_TEXT && in->n == near->n && in->enc == near->enc &&
        (in->n == 0 || memcmp(in->v.p, near->v.p, in->n) == 0)) {
        *out = *near;
        return TK_OK;
    }
    return copy_value(&k, out, in);
}

static int copy_columns(struct tk_copier *c, struct tk_column *out, const struct tk_table *table)
{
    for (uint32_t i = 0; i < table->n_columns; i++) {
        const struct tk_column *in = &table->columns[i];
        out[i] = *in;
        out[i].name = copy_c(c, in->name);
        out[i].unit = copy_c(c, in->unit);
        out[i].help = copy_c(c, in->help);
        if (!out[i].name || (in->unit && !out[i].unit) || (in->help && !out[i].help))
            return TK_ENOMEM;
    }
    return TK_OK;
}

struct tk_table *tk_copy_table(struct tk_copier *c, const struct tk_table *table)
{
    struct tk_table *out = tk_arena_alloc(&c->arena, sizeof *out);
    struct tk_column *columns = tk_arena_alloc(&c->arena, table->n_columns * sizeof *columns);
    if (!out || !columns || copy_columns(c, columns, table))
        return NULL;
    *out = *table;
    out->columns = columns;
    out->name = copy_c(c, table->name);
    out->help = copy_c(c, table->help);
    out->sort_by = copy_c(c, table->sort_by);
    out->none = copy_c(c, table->none);
    if (!out->name || (table->help && !out->help) || (table->none && !out->none) ||
        (table->sort_by && !out->sort_by))
        return NULL;
    return out;
}

void tk_copier_forget(struct tk_copier *c)
{
    tk_map_release(&c->type_index);
    c->type_index = (struct tk_map){0};
    c->types.n = 0;
}

void tk_copier_release(struct tk_copier *c)
{
    tk_map_release(&c->type_index);
    tk_vec_release(&c->types);
    tk_arena_release(&c->arena);
}
