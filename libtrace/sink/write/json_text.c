/*
 * Cells, records and keys as JSON, for the JSON writers of all sinks. The escapes are in
 * base/text/copy.h.
 */
#include "base/err.h"
#include "base/text/copy.h"
#include "base/text/text.h"
#include "sink/write/value.h"
#include "table/cell.h"

#include <math.h>

struct json {
    struct tk_buffer *b, *scratch;
    enum tk_unit unit;
    unsigned depth;
};

static void put_value_json_text(struct json *j, const struct tk_cell *c);

void tk_json_string(struct tk_buffer *b, const char *p, size_t n)
{
    tk_json_put_string(b, tk_buffer_take, p, n, TK_JSON_SHORT);
}

void tk_json_key(struct tk_buffer *b, struct tk_buffer *scratch, struct tk_str s)
{
    s = tk_safe_text_clean(scratch, s);
    tk_json_string(b, s.p, s.n);
}

static void put_bytes(struct tk_buffer *b, const void *p, size_t n)
{
    struct tk_json j = tk_json_into(b);
    tk_json_open(&j, NULL, '{');
    tk_json_member(&j, "bytes");
    tk_buffer_char(b, '"');
    tk_buffer_hex_bytes(b, p, n);
    tk_buffer_char(b, '"');
    tk_json_close(&j);
}

static bool is_ascii(const struct tk_cell *c)
{
    const uint8_t *p = c->v.p;
    uint8_t all = 0;
    for (uint32_t i = 0; i < c->n; i++)
        all |= p[i];
    return all < 0x80;
}

static void put_text_json_text(struct json *j, const struct tk_cell *c)
{
    if (c->enc == TK_ENC_UTF8 && (is_ascii(c) || tk_utf8_valid(c->v.p, c->n)))
        tk_json_string(j->b, c->v.p, c->n);
    else
        put_bytes(j->b, c->v.p, c->n);
}

static void put_number(struct json *j, const struct tk_cell *c)
{
    bool real = c->kind == TK_REAL || c->kind == TK_REAL32 || c->kind == TK_MEAN;
    bool quoted = c->kind == TK_HEX || (real && !isfinite(c->v.r));
    if (quoted)
        tk_buffer_char(j->b, '"');
    tk_value_number(j->b, c, j->unit);
    if (quoted)
        tk_buffer_char(j->b, '"');
}

static void put_elements(struct json *j, const struct tk_cell *c)
{
    const struct tk_cell *cells = c->v.p;
    tk_buffer_char(j->b, '[');
    for (uint32_t i = 0; i < c->n; i++) {
        struct tk_cell element;
        if (c->kind == TK_ARRAY)
            tk_cell_element(c, i, &element);
        if (i)
            tk_buffer_char(j->b, ',');
        put_value_json_text(j, c->kind == TK_ARRAY ? &element : &cells[i]);
    }
    tk_buffer_char(j->b, ']');
}

/* How many fields before it have the name of field i. */
static unsigned namesakes(const struct tk_record_type *type, uint32_t i)
{
    const struct tk_str *name = &type->fields[i];
    unsigned n = 0;
    for (uint32_t k = 0; k < i; k++) {
        const struct tk_str *other = &type->fields[k];
        n += other->n == name->n && other->enc == name->enc &&
             (name->n == 0 || memcmp(other->p, name->p, name->n) == 0);
    }
    return n;
}

/* Keys of an object are unique: the second field of a name is called "name#2". */
static void put_key(struct json *j, const struct tk_record_type *type, uint32_t i)
{
    unsigned before = namesakes(type, i);
    tk_json_key(j->b, j->scratch, type->fields[i]);
    if (before) {
        j->b->n--;
        tk_buffer_char(j->b, '#');
        tk_buffer_u64(j->b, before + 1);
        tk_buffer_char(j->b, '"');
    }
}

static void put_members(struct json *j, const struct tk_record *rec, bool first)
{
    for (uint32_t i = 0; i < rec->type->n_fields; i++) {
        struct tk_cell value = {.kind = TK_NONE};
        rec->type->value(rec, i, &value);
        if (!first)
            tk_buffer_char(j->b, ',');
        first = false;
        put_key(j, rec->type, i);
        tk_buffer_char(j->b, ':');
        put_value_json_text(j, &value);
    }
}

static void put_composite(struct json *j, const struct tk_cell *c)
{
    if (j->depth == TK_CELL_DEPTH) {
        tk_buffer_fail(j->b, tk_err_set(tk_buffer_err(j->b), TK_ELIMIT,
                                        "a value is nested deeper than %d levels", TK_CELL_DEPTH));
        return;
    }
    j->depth++;
    if (c->kind == TK_RECORD) {
        tk_buffer_char(j->b, '{');
        put_members(j, c->v.p, true);
        tk_buffer_char(j->b, '}');
    } else {
        put_elements(j, c);
    }
    j->depth--;
}

static void put_value_json_text(struct json *j, const struct tk_cell *c)
{
    if (tk_value_is_number(c))
        put_number(j, c);
    else if (c->kind == TK_TEXT)
        put_text_json_text(j, c);
    else if (c->kind == TK_BYTES)
        put_bytes(j->b, c->v.p, c->n);
    else if (c->kind == TK_NONE)
        tk_buffer_text(j->b, "null");
    else
        put_composite(j, c);
}

void tk_json_value(struct tk_buffer *b, struct tk_buffer *scratch, const struct tk_cell *c, enum tk_unit unit)
{
    struct json j = {.b = b, .scratch = scratch, .unit = unit};
    put_value_json_text(&j, c);
}

void tk_json_members(struct tk_buffer *b, struct tk_buffer *scratch, const struct tk_record *rec,
                     enum tk_unit unit, bool first)
{
    struct json j = {.b = b, .scratch = scratch, .unit = unit};
    put_members(&j, rec, first);
}
