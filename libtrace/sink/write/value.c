/*
 * Cells as plain text, in the forms listed in value.h. The CSV writer and the composite values of the formats
 * for people use it.
 */
#include "sink/write/value.h"

#include "base/err.h"
#include "base/text/text.h"
#include "table/cell.h"

/*
 * Replaces invalid Unicode and makes control characters visible. Every sink calls it before it writes a text
 * of a capture.
 */

bool tk_text_is_utf8(const struct tk_str *s)
{
    return s->enc == TK_ENC_UTF8 && tk_utf8_valid(s->p, s->n);
}

/* The next code point of a text in any encoding; *len bytes were used. n >= 1. */
static uint32_t next_code(const uint8_t *p, size_t n, uint8_t enc, size_t *len)
{
    if (enc != TK_ENC_UTF16)
        return tk_utf8_next(p, n, len);
    *len = n;
    uint32_t c = n < 2 ? 0xFFFD : tk_utf16_next(p, n, len);
    return tk_is_surrogate(c) ? 0xFFFD : c;
}

static void put_code(struct tk_buffer *b, uint32_t code)
{
    uint8_t bytes[4];
    size_t n = tk_utf8_put(bytes, code);
    tk_buffer_put(b, bytes, n);
}

struct tk_str tk_safe_text_clean(struct tk_buffer *scratch, struct tk_str s)
{
    const uint8_t *p = (const uint8_t *)s.p;
    if (tk_text_is_utf8(&s))
        return s;
    scratch->n = 0;
    for (size_t at = 0, len = 0; at < s.n; at += len)
        put_code(scratch, next_code(p + at, s.n - at, s.enc, &len));
    return (struct tk_str){.p = scratch->p, .n = (uint32_t)scratch->n, .enc = TK_ENC_UTF8};
}

/* The character behind, or 0. */
static uint32_t peek(const uint8_t *p, size_t n, uint8_t enc)
{
    size_t ignored;
    return n ? next_code(p, n, enc, &ignored) : 0;
}

void tk_safe_text(struct tk_buffer *b, struct tk_str s, unsigned flags)
{
    const uint8_t *p = (const uint8_t *)s.p;
    struct tk_display displayed = {0};
    char out[TK_DISPLAY_BYTES];
    for (size_t at = 0, len = 0; at < s.n; at += len) {
        uint32_t c = next_code(p + at, s.n - at, s.enc, &len);
        tk_buffer_put(b, out, tk_show(&displayed, c, peek(p + at + len, s.n - at - len, s.enc), flags, out));
    }
}

unsigned tk_unit_digits(enum tk_unit unit)
{
    static const uint8_t digits[] = {[TK_UNIT_US] = 3, [TK_UNIT_MS] = 6, [TK_UNIT_S] = 9};
    return (size_t)unit < sizeof digits ? digits[unit] : 0;
}

double tk_unit_scaled(double v, enum tk_unit unit)
{
    static const double ns[] = {[TK_UNIT_US] = 1e3, [TK_UNIT_MS] = 1e6, [TK_UNIT_S] = 1e9};
    return tk_unit_digits(unit) ? v / ns[unit] : v;
}

static void put_time(struct tk_buffer *b, int64_t v, enum tk_unit unit)
{
    unsigned digits = tk_unit_digits(unit);
    if (digits)
        tk_buffer_fixed(b, v, digits);
    else
        tk_buffer_i64(b, v);
}

void tk_value_number(struct tk_buffer *b, const struct tk_cell *c, enum tk_unit unit)
{
    switch (c->kind) {
    case TK_BOOL:
        tk_buffer_text(b, c->v.u ? "true" : "false");
        break;
    case TK_INT:
        tk_buffer_i64(b, c->v.i);
        break;
    case TK_UINT:
    case TK_SIZE:
        tk_buffer_u64(b, c->v.u);
        break;
    case TK_HEX:
        tk_buffer_hex(b, c->v.u);
        break;
    case TK_TIME:
    case TK_DURATION:
        put_time(b, c->v.i, unit);
        break;
    case TK_MEAN:
        tk_buffer_real(b, tk_unit_scaled(c->v.r, unit), false);
        break;
    default:
        tk_buffer_real(b, c->v.r, c->kind == TK_REAL32);
        break;
    }
}

struct form {
    struct tk_buffer *b;
    enum tk_unit unit;
    unsigned show, depth;
};

static void put_any(struct form *f, const struct tk_cell *c);

static void put_elements(struct form *f, const struct tk_cell *c)
{
    const struct tk_cell *cells = c->v.p;
    tk_buffer_char(f->b, '[');
    for (uint32_t i = 0; i < c->n; i++) {
        struct tk_cell element;
        if (c->kind == TK_ARRAY)
            tk_cell_element(c, i, &element);
        if (i)
            tk_buffer_char(f->b, ',');
        put_any(f, c->kind == TK_ARRAY ? &element : &cells[i]);
    }
    tk_buffer_char(f->b, ']');
}

static void put_fields(struct form *f, const struct tk_record *rec)
{
    for (uint32_t i = 0; i < rec->type->n_fields; i++) {
        struct tk_cell value = {.kind = TK_NONE};
        rec->type->value(rec, i, &value);
        if (i)
            tk_buffer_char(f->b, ' ');
        tk_safe_text(f->b, rec->type->fields[i], f->show);
        tk_buffer_char(f->b, '=');
        put_any(f, &value);
    }
}

static void put_composite(struct form *f, const struct tk_cell *c)
{
    bool braces = f->depth > 0 && c->kind == TK_RECORD;
    if (f->depth == TK_CELL_DEPTH) {
        tk_buffer_fail(f->b, tk_err_set(tk_buffer_err(f->b), TK_ELIMIT,
                                        "a value is nested deeper than %d levels", TK_CELL_DEPTH));
        return;
    }
    f->depth++;
    if (braces)
        tk_buffer_char(f->b, '{');
    if (c->kind == TK_RECORD)
        put_fields(f, c->v.p);
    else
        put_elements(f, c);
    if (braces)
        tk_buffer_char(f->b, '}');
    f->depth--;
}

static void put_text_value(struct form *f, const struct tk_cell *c)
{
    if (f->depth == 0) {
        tk_buffer_put(f->b, c->v.p, c->n);
        return;
    }
    tk_buffer_char(f->b, '"');
    tk_safe_text(f->b, tk_cell_text(c), f->show | TK_SHOW_QUOTED);
    tk_buffer_char(f->b, '"');
}

static void put_any(struct form *f, const struct tk_cell *c)
{
    if (tk_value_is_number(c))
        tk_value_number(f->b, c, f->unit);
    else if (c->kind == TK_TEXT)
        put_text_value(f, c);
    else if (c->kind == TK_BYTES)
        tk_buffer_hex_bytes(f->b, c->v.p, c->n);
    else if (c->kind != TK_NONE)
        put_composite(f, c);
}

void tk_value_put(struct tk_buffer *b, const struct tk_cell *c, enum tk_unit unit, unsigned show)
{
    put_any(&(struct form){.b = b, .unit = unit, .show = show}, c);
}

void tk_value_nested(struct tk_buffer *b, const struct tk_cell *c, enum tk_unit unit, unsigned show)
{
    put_any(&(struct form){.b = b, .unit = unit, .show = show, .depth = 1}, c);
}
