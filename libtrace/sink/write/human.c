/*
 * Rounding and units for people; integers are rounded half up, without floating point. The formats `table`,
 * `text` and `markdown` write their cells with it (human.h).
 */
#include "sink/write/human.h"

#include "sink/write/value.h"
#include "table/cell.h"

#include <math.h>
#include <string.h>

static const uint32_t ten_to[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};

/* v / size to at most so many digits in all, decimals first: *q is the number without its point, returns the
 * decimals. */
static unsigned rounded(uint64_t v, uint64_t size, unsigned digits, uint64_t *q)
{
    for (unsigned d = digits - 1; d > 0; d--) {
        if (v / size >= ten_to[digits - d])
            continue;
        *q = v / size * ten_to[d] + (v % size * ten_to[d] + size / 2) / size;
        if (*q < ten_to[digits])
            return d;
    }
    *q = v / size + (v % size >= size - size / 2);
    return 0;
}

struct scale {
    uint64_t size;
    const char *name;
};

/* The first scale has size 1; each holds less than `step` of itself, the last any number. */
static void put_scaled(struct tk_buffer *b, uint64_t v, const struct scale *scales, unsigned n, unsigned step,
                       unsigned digits)
{
    unsigned i = 0, decimals = 0;
    uint64_t q = v;
    while (q >= (uint64_t)step * ten_to[decimals] && i + 1 < n) {
        i++;
        decimals = rounded(v, scales[i].size, digits, &q);
    }
    tk_buffer_fixed(b, (int64_t)q, decimals);
    tk_buffer_char(b, ' ');
    tk_buffer_text(b, scales[i].name);
}

void tk_human_span(struct tk_buffer *b, int64_t ns)
{
    static const struct scale scales[] = {{1, "ns"}, {1000, "us"}, {1000000, "ms"}, {1000000000, "s"}};
    if (ns < 0)
        tk_buffer_char(b, '-');
    put_scaled(b, ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, scales, 4, 1000, 4);
}

void tk_human_size(struct tk_buffer *b, uint64_t bytes)
{
    static const struct scale scales[] = {{1, "B"},
                                          {UINT64_C(1) << 10, "KiB"},
                                          {UINT64_C(1) << 20, "MiB"},
                                          {UINT64_C(1) << 30, "GiB"},
                                          {UINT64_C(1) << 40, "TiB"}};
    put_scaled(b, bytes, scales, 5, 1024, 3);
}

static void put_trimmed(struct tk_buffer *b, double v, unsigned decimals)
{
    uint64_t q = (uint64_t)llround(fabs(v) * ten_to[decimals]);
    while (decimals && q % 10 == 0) {
        q /= 10;
        decimals--;
    }
    if (v < 0 && q)
        tk_buffer_char(b, '-');
    tk_buffer_fixed(b, (int64_t)q, decimals);
}

/* To so many significant digits, as far as powers of ten are exact; others are as they are. */
static double to_digits(double v, unsigned digits)
{
    double scale = 1;
    while (scale < 1e22 && fabs(v) * scale < 1)
        scale *= 10;
    for (unsigned i = 1; i < digits; i++)
        scale *= 10;
    return fabs(v) < 1 && scale <= 1e22 ? round(v * scale) / scale : v;
}

static void put_digits(struct tk_buffer *b, double v, unsigned digits)
{
    unsigned decimals = digits - 1;
    double size = fabs(v);
    if (!(size < 1e15) || (size < 1e-4 && size > 0)) {
        tk_buffer_real(b, to_digits(v, digits), false);
        return;
    }
    for (double reach = 10; decimals > 0 && size >= reach; reach *= 10)
        decimals--;
    for (double reach = 1; size > 0 && decimals < 9 && size < reach; reach /= 10)
        decimals++;
    put_trimmed(b, v, decimals);
}

void tk_human_real(struct tk_buffer *b, double v)
{
    put_digits(b, v, 6);
}

void tk_human_percent(struct tk_buffer *b, double v)
{
    const double size = fabs(v);
    unsigned decimals = 1;
    for (double reach = 1; decimals < 9 && size < reach; reach /= 10)
        decimals++;
    if (size >= 1e-7 && size < 0.01)
        put_trimmed(b, v, decimals);
    else if (!(size < 1e15) || (size > 0 && size < 0.01))
        put_digits(b, v, 2);
    else
        tk_buffer_fixed(b, llround(v * 100), 2);
    tk_buffer_text(b, " %");
}

static void put_mean(struct tk_buffer *b, double v, const struct tk_human *h)
{
    unsigned digits = tk_unit_digits(h->unit);
    if (!(fabs(v) < 9e18)) {
        tk_buffer_real(b, tk_unit_scaled(v, h->unit), false);
    } else if (digits) {
        tk_buffer_fixed(b, llround(v), digits);
    } else if (h->unit == TK_UNIT_CYCLES) {
        tk_human_real(b, v);
    } else if (fabs(v) < 999.95) {
        put_digits(b, v, 4);
        tk_buffer_text(b, " ns");
    } else {
        tk_human_span(b, fabs(v) < 1e4 ? llround(v) : (int64_t)v); /* rounded once: below 1e4 to whole ns */
    }
}

static void put_point(struct tk_buffer *b, int64_t ns)
{
    int64_t us = ns / 1000, rest = ns % 1000;
    us += rest >= 500 ? 1 : rest < -500 ? -1 : 0;
    tk_buffer_fixed(b, us, 6);
    tk_buffer_text(b, " s");
}

/* Bytes that grew, shrank or are a mean. */
static void put_bytes(struct tk_buffer *b, const struct tk_cell *c)
{
    const double size = c->kind == TK_REAL ? fabs(c->v.r) : 0;
    if (size >= 9e18 || isnan(size)) {
        tk_human_real(b, c->v.r);
        return;
    }
    const int64_t v = c->kind == TK_REAL ? llround(c->v.r) : c->v.i;
    if (v < 0)
        tk_buffer_char(b, '-');
    tk_human_size(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void put_number(struct tk_buffer *b, const struct tk_cell *c, const struct tk_human *h)
{
    if (h->exact)
        tk_value_number(b, c, h->unit);
    else if (h->bytes && (c->kind == TK_INT || c->kind == TK_REAL))
        put_bytes(b, c);
    else if (c->kind == TK_SIZE)
        tk_human_size(b, c->v.u);
    else if (c->kind == TK_REAL && h->percent > 0)
        tk_human_percent(b, c->v.r * h->percent);
    else if (c->kind == TK_REAL || c->kind == TK_REAL32)
        tk_human_real(b, c->v.r);
    else if (c->kind == TK_MEAN)
        put_mean(b, c->v.r, h);
    else if (c->kind == TK_DURATION && h->unit == TK_UNIT_NS)
        tk_human_span(b, c->v.i);
    else if (c->kind == TK_TIME && h->unit == TK_UNIT_NS)
        put_point(b, c->v.i);
    else
        tk_value_number(b, c, h->unit);
}

void tk_human_column(struct tk_human *h, const struct tk_column *column)
{
    h->least = column->flags & TK_COL_LOWER_BOUND;
    h->bytes = column->unit && strcmp(column->unit, "bytes") == 0;
    h->percent = column->flags & TK_COL_PART ? 100 : column->unit && strcmp(column->unit, "%") == 0 ? 1 : 0;
}

/* Is it a list of records whose names say enough? */
static bool is_named_list(const struct tk_cell *c)
{
    const struct tk_cell *elements = c->v.p;
    const struct tk_record *first =
        c->kind == TK_LIST && c->n && elements[0].kind == TK_RECORD ? elements[0].v.p : NULL;
    return first && first->type->named;
}

static void put_names(struct tk_buffer *b, const struct tk_cell *c, unsigned show)
{
    const struct tk_cell *elements = c->v.p;
    for (uint32_t i = 0; i < c->n; i++) {
        const struct tk_record *rec = elements[i].v.p;
        struct tk_cell name = {.kind = TK_NONE};
        rec->type->value(rec, 0, &name);
        if (i)
            tk_buffer_text(b, ", ");
        if (name.kind == TK_TEXT)
            tk_safe_text(b, tk_cell_text(&name), show);
    }
}

enum { MOST_HEX = 32 }; /* bytes that are written as they are; of more the size says more */

void tk_human_cell(struct tk_buffer *b, const struct tk_cell *c, const struct tk_human *h)
{
    unsigned show = h->ascii ? TK_SHOW_ASCII : 0;
    if (h->least && tk_value_is_number(c))
        tk_buffer_text(b, ">= ");
    if (tk_value_is_number(c))
        put_number(b, c, h);
    else if (c->kind == TK_TEXT)
        tk_safe_text(b, tk_cell_text(c), show);
    else if (c->kind == TK_BYTES && c->n > MOST_HEX && !h->exact)
        tk_human_size(b, c->n);
    else if (is_named_list(c) && !h->exact)
        put_names(b, c, show);
    else
        tk_value_put(b, c, h->unit, show);
}

static bool is_time(uint8_t kind)
{
    return kind == TK_TIME || kind == TK_DURATION || kind == TK_MEAN;
}

const char *tk_human_times(const struct tk_table *table, const struct tk_human *h)
{
    static const char *const names[] = {[TK_UNIT_NS] = "ns",
                                        [TK_UNIT_CYCLES] = "cycles",
                                        [TK_UNIT_US] = "us",
                                        [TK_UNIT_MS] = "ms",
                                        [TK_UNIT_S] = "s"};
    if (h->unit == TK_UNIT_NS && !h->exact)
        return NULL;
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (is_time(table->columns[i].kind))
            return names[h->unit];
    return NULL;
}

bool tk_human_right(uint8_t kind)
{
    return kind > TK_BOOL && kind < TK_TEXT;
}
