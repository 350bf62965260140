/*
 * Rows as bytes.
 *
 *   a cell: kind, and 16 where it has a width, which follows | a number, or its bits in 8 bytes, or
 *   encoding or kind of elements, how many, bytes | a list: how many, cells | a record: type, cells
 *
 *   a type: fields, 1 where it is named | name | name with its encoding | family | names of fields
 *   a text: bytes + 1, encoding, bytes; 0: there is none. A name has a NUL among its bytes
 */
#include "kept/kept_in.h"
#include "table/cell.h"

#include <string.h>

enum { HAS_WIDTH = 16, KINDS = TK_RECORD };

/* How the value of a cell is written. */
enum form { NOTHING, UNSIGNED, SIGNED, BITS, RUN, LIST, RECORD, WRONG };

static const uint8_t forms[KINDS + 1] = {
    [TK_NONE] = NOTHING,    [TK_BOOL] = UNSIGNED, [TK_INT] = SIGNED,    [TK_UINT] = UNSIGNED,
    [TK_HEX] = UNSIGNED,    [TK_REAL32] = BITS,   [TK_REAL] = BITS,     [TK_TIME] = SIGNED,
    [TK_DURATION] = SIGNED, [TK_MEAN] = BITS,     [TK_SIZE] = UNSIGNED, [TK_TEXT] = RUN,
    [TK_BYTES] = RUN,       [TK_ARRAY] = RUN,     [TK_LIST] = LIST,     [TK_RECORD] = RECORD,
};

static size_t bytes_of(const struct tk_cell *cell)
{
    return cell->kind == TK_ARRAY ? (size_t)cell->n * cell->width : cell->n;
}

static void put_bits(struct tk_kept_bytes *out, double value)
{
    uint64_t bits;
    uint8_t p[sizeof bits];
    memcpy(&bits, &value, sizeof bits);
    for (size_t i = 0; i < sizeof p; i++)
        p[i] = (uint8_t)(bits >> 8 * i);
    tk_kept_put_bytes(out, p, sizeof p);
}

static void put_run(struct tk_kept_bytes *out, const struct tk_cell *cell)
{
    tk_kept_put(out, cell->kind == TK_ARRAY ? cell->elem : cell->enc);
    tk_kept_put(out, cell->n);
    tk_kept_put_bytes(out, cell->v.p, bytes_of(cell));
}

static bool put_cell(struct tk_kept_bytes *out, const struct tk_cell *cell, unsigned depth);

static void put_text(struct tk_kept_bytes *out, const void *p, size_t n, unsigned enc)
{
    tk_kept_put(out, p ? (uint64_t)n + 1 : 0);
    if (!p)
        return;
    tk_kept_put(out, enc);
    tk_kept_put_bytes(out, p, n);
}

static void put_name(struct tk_kept_bytes *out, const char *name)
{
    put_text(out, name, name ? strlen(name) + 1 : 0, TK_ENC_UTF8);
}

static void put_type(struct tk_kept_bytes *out, const struct tk_record_type *type)
{
    const struct tk_str *text = type->text;
    tk_kept_put(out, type->n_fields);
    tk_kept_put(out, type->named);
    put_name(out, type->name);
    put_text(out, text ? text->p : NULL, text ? text->n : 0, text ? text->enc : 0);
    put_name(out, type->family);
    for (uint32_t i = 0; i < type->n_fields; i++)
        put_text(out, type->fields[i].p ? type->fields[i].p : "", type->fields[i].n, type->fields[i].enc);
}

static bool put_list(struct tk_kept_bytes *out, const struct tk_cell *cell, unsigned depth)
{
    const struct tk_cell *cells = cell->v.p;
    bool good = true;
    tk_kept_put(out, cell->n);
    for (uint32_t i = 0; i < cell->n && good; i++)
        good = put_cell(out, &cells[i], depth + 1);
    return good;
}

static bool put_record(struct tk_kept_bytes *out, const struct tk_cell *cell, unsigned depth)
{
    const struct tk_record *record = cell->v.p;
    bool good = true;
    put_type(out, record->type);
    for (uint32_t i = 0; i < record->type->n_fields && good; i++) {
        struct tk_cell value = {.kind = TK_NONE};
        record->type->value(record, i, &value);
        good = put_cell(out, &value, depth + 1);
    }
    return good;
}

static enum form form_of(unsigned kind, unsigned depth)
{
    return kind > KINDS || depth == TK_CELL_DEPTH ? WRONG : (enum form)forms[kind];
}

static bool put_cell(struct tk_kept_bytes *out, const struct tk_cell *cell, unsigned depth)
{
    const enum form form = form_of(cell->kind, depth);
    tk_kept_put(out, cell->kind | (cell->width ? HAS_WIDTH : 0u));
    if (cell->width)
        tk_kept_put(out, cell->width);
    if (form == UNSIGNED)
        tk_kept_put(out, cell->v.u);
    else if (form == SIGNED)
        tk_kept_put_signed(out, cell->v.i);
    else if (form == BITS)
        put_bits(out, cell->v.r);
    else if (form == RUN)
        put_run(out, cell);
    else if (form == LIST)
        return put_list(out, cell, depth);
    else if (form == RECORD)
        return put_record(out, cell, depth);
    return form != WRONG;
}

bool tk_kept_cells_put(struct tk_kept_bytes *out, const struct tk_cell *cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!put_cell(out, &cells[i], 0))
            return false;
    return !out->failed;
}

static void wrong(struct tk_cur *c)
{
    if (!c->fault)
        c->fault = "a kept value";
    c->p = c->end;
}

static bool is_width(uint64_t width)
{
    return width == 1 || width == 2 || width == 4 || width == 8;
}

static void take_run(struct tk_cur *c, struct tk_cell *out)
{
    const uint64_t of = tk_varint(c, "a kept value"), n = tk_varint(c, "a kept value");
    const bool array = out->kind == TK_ARRAY;
    if (n > tk_cur_left(c) || of > (array ? (uint64_t)KINDS : TK_ENC_UTF16) || array > is_width(out->width)) {
        wrong(c);
        return;
    }
    *(array ? &out->elem : &out->enc) = (uint8_t)of;
    out->n = (uint32_t)n;
    out->v.p = tk_take(c, bytes_of(out), "a kept value");
}

static void take_bits(struct tk_cur *c, struct tk_cell *out)
{
    const uint64_t bits = tk_u64(c, "a kept value");
    memcpy(&out->v.r, &bits, sizeof bits);
}

static int take_cell(struct tk_cur *c, struct tk_arena *nested, struct tk_cell *out, unsigned depth);

/* n cells, at least a byte each. *out NULL: they are wrong, or out of memory. */
static int take_cells(struct tk_cur *c, struct tk_arena *nested, uint64_t n, struct tk_cell **out,
                      unsigned depth)
{
    int rc = TK_OK;
    *out = n <= tk_cur_left(c) ? tk_arena_alloc(nested, ((size_t)n + 1) * sizeof **out) : NULL;
    if (!*out) {
        wrong(c);
        return nested->failed ? TK_ENOMEM : TK_OK;
    }
    for (uint64_t i = 0; i < n && rc == TK_OK && tk_cur_ok(c); i++)
        rc = take_cell(c, nested, &(*out)[i], depth + 1);
    return rc;
}

static int take_list(struct tk_cur *c, struct tk_arena *nested, struct tk_cell *out, unsigned depth)
{
    struct tk_cell *cells;
    const uint64_t n = tk_varint(c, "a kept list");
    const int rc = take_cells(c, nested, n, &cells, depth);
    out->n = (uint32_t)n;
    out->v.p = cells;
    return rc;
}

/* The value of a field of a record that was kept: its implementation is its cells. */
static void kept_value(const struct tk_record *record, uint32_t field, struct tk_cell *out)
{
    const struct tk_cell *cells = record->impl;
    *out = field < record->type->n_fields ? cells[field] : (struct tk_cell){.kind = TK_NONE};
}

/* false: there is none. */
static bool take_text(struct tk_cur *c, struct tk_str *out)
{
    const uint64_t size = tk_varint(c, "a kept text");
    if (!size)
        return false;
    const uint64_t enc = tk_varint(c, "a kept text");
    const uint8_t *p = size - 1 <= tk_cur_left(c) ? tk_take(c, (size_t)size - 1, "a kept text") : NULL;
    if (!p || enc > TK_ENC_UTF16)
        wrong(c);
    else
        *out = (struct tk_str){.p = (const char *)p, .n = (uint32_t)size - 1, .enc = (uint8_t)enc};
    return p != NULL;
}

static const char *take_name(struct tk_cur *c)
{
    struct tk_str name = {.p = NULL};
    if (!take_text(c, &name))
        return NULL;
    if (!name.n || name.p[name.n - 1])
        wrong(c);
    return name.p;
}

static struct tk_record_type *take_type(struct tk_cur *c, struct tk_arena *nested)
{
    const uint64_t n = tk_varint(c, "a kept record");
    struct tk_record_type *type = tk_arena_alloc(nested, sizeof *type);
    struct tk_str *text = tk_arena_alloc(nested, sizeof *text), *fields = NULL;
    if (n <= tk_cur_left(c))
        fields = tk_arena_alloc(nested, ((size_t)n + 1) * sizeof *fields);
    if (!type || !text || !fields) {
        wrong(c);
        return NULL;
    }
    *type = (struct tk_record_type){.n_fields = (uint32_t)n, .fields = fields, .value = kept_value};
    type->named = tk_varint(c, "a kept record") != 0;
    type->name = take_name(c);
    type->text = take_text(c, text) ? text : NULL;
    type->family = take_name(c);
    for (uint64_t i = 0; i < n && tk_cur_ok(c); i++)
        if (!take_text(c, &fields[i]))
            wrong(c);
    return type;
}

static int take_record(struct tk_cur *c, struct tk_arena *nested, struct tk_cell *out, unsigned depth)
{
    struct tk_record *record = tk_arena_alloc(nested, sizeof *record);
    struct tk_cell *cells = NULL;
    if (!record)
        return TK_ENOMEM;
    const struct tk_record_type *type = take_type(c, nested);
    const int rc = type ? take_cells(c, nested, type->n_fields, &cells, depth) : TK_OK;
    *record = (struct tk_record){type, cells};
    out->v.p = record;
    return nested->failed ? TK_ENOMEM : rc;
}

static int take_cell(struct tk_cur *c, struct tk_arena *nested, struct tk_cell *out, unsigned depth)
{
    const uint64_t head = tk_varint(c, "a kept value");
    const unsigned kind = (unsigned)head & ~(unsigned)HAS_WIDTH;
    const enum form form = head > (KINDS | HAS_WIDTH) ? WRONG : form_of(kind, depth);
    const uint64_t width = head & HAS_WIDTH ? tk_varint(c, "a kept value") : 0;
    *out = (struct tk_cell){.kind = (uint8_t)kind, .width = (uint8_t)width};
    if (form == WRONG || (width && !is_width(width)))
        wrong(c);
    else if (form == UNSIGNED)
        out->v.u = tk_varint(c, "a kept value");
    else if (form == SIGNED)
        out->v.i = tk_kept_signed(c, "a kept value");
    else if (form == BITS)
        take_bits(c, out);
    else if (form == RUN)
        take_run(c, out);
    else if (form == LIST)
        return take_list(c, nested, out, depth);
    else if (form == RECORD)
        return take_record(c, nested, out, depth);
    return TK_OK;
}

int tk_kept_cells_take(struct tk_cur *c, struct tk_kept_cells *out, size_t n)
{
    int rc = TK_OK;
    if (n > tk_cur_left(c)) {
        wrong(c);
        return TK_OK;
    }
    out->cells.n = 0;
    if (tk_vec_reserve(&out->cells, n + 1))
        return TK_ENOMEM;
    while (out->cells.n < n && tk_cur_ok(c) && rc == TK_OK)
        rc = take_cell(c, &out->nested, &out->cells.v[out->cells.n++], 0);
    return rc;
}

void tk_kept_cells_release(struct tk_kept_cells *cells)
{
    tk_vec_release(&cells->cells);
    tk_arena_release(&cells->nested);
}
