/*
 * Rows as bytes.
 *
 * A cell is a byte with its kind, and what follows it depends on that: nothing; a number of 7 bits a byte,
 * the lowest first, with the sign in the lowest bit; the bytes of a real number; or the place of a copy of
 * the cell in a list, for texts, for all that points to more, and for numbers with a width.
 */
#include "base/err.h"
#include "table/cell.h"
#include "table/table_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Deep copies of cells, records and table descriptions into an arena. Results keep their rows with it.
 */

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

#define LISTED    0x80u /* alongside the kind: the place of a copy follows */
#define MOST_CELL 11u   /* bytes */

enum form { NOTHING, NUMBER, REAL, VALUE };

static enum form form_of(unsigned kind)
{
    static const uint8_t forms[] = {
        [TK_NONE] = NOTHING, [TK_BOOL] = NUMBER,     [TK_INT] = NUMBER, [TK_UINT] = NUMBER,
        [TK_HEX] = NUMBER,   [TK_REAL32] = REAL,     [TK_REAL] = REAL,  [TK_TIME] = NUMBER,
        [TK_SIZE] = NUMBER,  [TK_DURATION] = NUMBER, [TK_MEAN] = REAL,  [TK_TEXT] = VALUE,
        [TK_BYTES] = VALUE,  [TK_ARRAY] = VALUE,     [TK_LIST] = VALUE, [TK_RECORD] = VALUE,
    };
    return kind < sizeof forms ? (enum form)forms[kind] : VALUE;
}

static void put_number(struct tk_packed_rows *p, uint64_t v)
{
    for (; v >= 128; v >>= 7)
        p->bytes.v[p->bytes.n++] = (uint8_t)(v | 128);
    p->bytes.v[p->bytes.n++] = (uint8_t)v;
}

static uint64_t get_number(const uint8_t **at)
{
    uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = *(*at)++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return v;
    }
}

static uint64_t fold(uint64_t v)
{
    return v << 1 ^ (v >> 63 ? UINT64_MAX : 0);
}

static uint64_t unfold(uint64_t v)
{
    return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

static bool is_same_text(const struct tk_cell *a, const struct tk_cell *b)
{
    return a->n == b->n && a->enc == b->enc && (a->n == 0 || memcmp(a->v.p, b->v.p, a->n) == 0);
}

/* The place of a copy in the list. */
static int list_value(struct tk_packed_rows *p, struct tk_copier *copier, const struct tk_cell *cell,
                      uint32_t *place, struct tk_err *err)
{
    const bool text = cell->kind == TK_TEXT;
    const uint64_t hash = text ? tk_hash_bytes(cell->v.p, cell->n, cell->enc) : 0;
    struct tk_cell copy;
    *place = text ? tk_map_get(&p->index, hash) : TK_MAP_NONE;
    if (*place != TK_MAP_NONE && is_same_text(&p->values.v[*place], cell))
        return TK_OK;
    *place = (uint32_t)p->values.n;
    int rc = tk_copy_cell(copier, &copy, cell, NULL, err);
    if (rc)
        return rc;
    if (p->values.n >= TK_MAP_NONE - 1 || tk_vec_push(&p->values, copy) ||
        (text && tk_map_put(&p->index, hash, *place)))
        return tk_err_nomem(err, "rows to keep");
    return TK_OK;
}

static int put_value(struct tk_packed_rows *p, struct tk_copier *copier, const struct tk_cell *cell,
                     struct tk_err *err)
{
    uint32_t place;
    int rc = list_value(p, copier, cell, &place, err);
    p->bytes.v[p->bytes.n++] = (uint8_t)(cell->kind | LISTED);
    put_number(p, rc ? 0 : place);
    return rc;
}

static int put_cell(struct tk_packed_rows *p, struct tk_copier *copier, const struct tk_cell *cell,
                    struct tk_err *err)
{
    const enum form form = form_of(cell->kind);
    if (form == VALUE || cell->enc || cell->elem || cell->width || cell->n)
        return put_value(p, copier, cell, err);
    p->bytes.v[p->bytes.n++] = cell->kind;
    if (form == NUMBER)
        put_number(p, fold(cell->v.u));
    if (form == REAL) {
        memcpy(p->bytes.v + p->bytes.n, &cell->v, sizeof cell->v);
        p->bytes.n += sizeof cell->v;
    }
    return TK_OK;
}

int tk_packed_rows_add(struct tk_packed_rows *p, struct tk_copier *copier, const struct tk_cell *row,
                       size_t n, struct tk_err *err)
{
    const size_t begin = p->bytes.n;
    int rc =
        tk_vec_reserve(&p->bytes, p->bytes.n + n * MOST_CELL) ? tk_err_nomem(err, "rows to keep") : TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = put_cell(p, copier, &row[i], err);
    if (rc)
        p->bytes.n = begin;
    return rc;
}

static struct tk_cell get_cell(const struct tk_packed_rows *p, const uint8_t **at)
{
    struct tk_cell cell = {.kind = *(*at)++};
    if (cell.kind & LISTED)
        return p->values.v[get_number(at)];
    const enum form form = form_of(cell.kind);
    if (form == NUMBER)
        cell.v.u = unfold(get_number(at));
    if (form == REAL) {
        memcpy(&cell.v, *at, sizeof cell.v);
        *at += sizeof cell.v;
    }
    return cell;
}

size_t tk_packed_rows_get(const struct tk_packed_rows *p, size_t at, struct tk_cell *row, size_t n)
{
    const uint8_t *from = p->bytes.v + at;
    for (size_t i = 0; i < n; i++)
        row[i] = get_cell(p, &from);
    return (size_t)(from - p->bytes.v);
}

/* What is needed to sort: where rows begin, the cells of the column, and pointers to these. */
struct sorting {
    size_t *places;
    struct tk_cell *keys, *row;
    const struct tk_cell **in, **spare;
};

static void free_sorting(struct sorting *s)
{
    free(s->places);
    free(s->keys);
    free(s->row);
    free(s->in);
    free(s->spare);
}

static bool make_sorting(struct sorting *s, size_t n, size_t n_rows)
{
    *s = (struct sorting){.places = malloc((n_rows + 1) * sizeof *s->places),
                          .keys = malloc((n_rows + 1) * sizeof *s->keys),
                          .row = malloc((n + 1) * sizeof *s->row),
                          .in = malloc((n_rows + 1) * sizeof *s->in),
                          .spare = malloc((n_rows + 1) * sizeof *s->spare)};
    return s->places && s->keys && s->row && s->in && s->spare;
}

int tk_packed_rows_sort(struct tk_packed_rows *p, const struct tk_row_order *o, size_t n, size_t n_rows)
{
    const struct tk_row_order by_key = {0, o->descending};
    struct sorting s;
    if (!make_sorting(&s, n, n_rows)) {
        free_sorting(&s);
        return -1;
    }
    for (size_t i = 0, end = 0; i < n_rows; i++) {
        s.places[i] = tk_packed_rows_at(p, i, end);
        end = tk_packed_rows_get(p, s.places[i], s.row, n);
        s.keys[i] = s.row[o->column];
        s.in[i] = &s.keys[i];
    }
    const struct tk_cell **sorted = tk_row_order_sort(&by_key, s.in, s.spare, n_rows);
    const struct tk_cell ***other = sorted == s.in ? &s.spare : &s.in;
    free(*other); /* there are many rows where there is hardly space for the next array */
    *other = NULL;
    size_t *order = malloc((n_rows + 1) * sizeof *order);
    for (size_t i = 0; order && i < n_rows; i++)
        order[i] = s.places[sorted[i] - s.keys];
    if (order) {
        free(p->order);
        p->order = order;
    }
    free_sorting(&s);
    return order ? 0 : -1;
}

int tk_packed_rows_keep(struct tk_packed_rows *p, size_t n, size_t *n_rows,
                        bool (*pass)(void *ctx, const struct tk_cell *row), void *ctx)
{
    size_t *order = malloc((*n_rows + 1) * sizeof *order), kept = 0;
    struct tk_cell *row = malloc((n + 1) * sizeof *row);
    for (size_t i = 0, end = 0; order && row && i < *n_rows; i++) {
        order[kept] = tk_packed_rows_at(p, i, end);
        end = tk_packed_rows_get(p, order[kept], row, n);
        kept += pass(ctx, row);
    }
    const bool made = order && row;
    free(row);
    if (!made) {
        free(order);
        return -1;
    }
    free(p->order);
    p->order = order;
    *n_rows = kept;
    return 0;
}

int tk_packed_rows_take(struct tk_packed_rows *p, size_t n, size_t n_rows, size_t *order, size_t kept)
{
    size_t *places = malloc((n_rows + 1) * sizeof *places);
    struct tk_cell *row = malloc((n + 1) * sizeof *row);
    for (size_t i = 0, end = 0; places && row && i < n_rows; i++) {
        places[i] = tk_packed_rows_at(p, i, end);
        end = tk_packed_rows_get(p, places[i], row, n);
    }
    const bool made = places && row;
    for (size_t i = 0; made && i < kept; i++)
        order[i] = places[order[i]];
    if (made) {
        free(p->order);
        p->order = order;
    }
    free(places);
    free(row);
    return made ? 0 : -1;
}

void tk_packed_rows_release(struct tk_packed_rows *p)
{
    tk_vec_release(&p->bytes);
    tk_vec_release(&p->values);
    tk_map_release(&p->index);
    free(p->order);
    p->order = NULL;
}
