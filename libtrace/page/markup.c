/*
 * Markup: HTML and JSON with the texts of captures made harmless. See markup.h.
 */
#include "page/markup.h"

#include "base/text/shown.h"
#include "sink/write/human.h"
#include "sink/write/json_text.h"
#include "sink/write/safe_text.h"
#include "sink/write/value.h"
#include "table/cell.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int tk_markup_init(struct tk_markup *m, struct tk_err *err)
{
    *m = (struct tk_markup){0};
    int rc = tk_buffer_init(&m->out, NULL, err);
    if (rc == TK_OK)
        rc = tk_buffer_init_scratch(&m->scratch, &m->out);
    if (rc == TK_OK)
        rc = tk_buffer_init_scratch(&m->piece, &m->out);
    return rc;
}

void tk_markup_release(struct tk_markup *m)
{
    tk_buffer_release(&m->piece);
    tk_buffer_release(&m->scratch);
    tk_buffer_release(&m->out);
}

void tk_markup_put(struct tk_markup *m, const char *html)
{
    tk_buffer_text(&m->out, html);
}

void tk_markup_format(struct tk_markup *m, const char *format, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, format);
    const int n = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (n > 0)
        tk_buffer_put(&m->out, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

/* ---- characters ---- */

static const char *entity(uint32_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* A line or a tab is a space; what steers is a replacement character. */
static uint32_t harmless(uint32_t c)
{
    if (c == '\n' || c == '\t' || c == '\r')
        return ' ';
    return tk_is_unsafe(c) ? 0xfffd : c;
}

typedef void put_character(struct tk_buffer *b, uint32_t c);

static void put_utf8(struct tk_buffer *b, uint32_t c)
{
    uint8_t bytes[4];
    tk_buffer_put(b, bytes, tk_utf8_put(bytes, c));
}

static void put_html(struct tk_buffer *b, uint32_t c)
{
    const char *name = entity(c);
    if (name)
        tk_buffer_text(b, name);
    else
        put_utf8(b, c);
}

static void put_characters(struct tk_buffer *b, struct tk_str text, size_t most, put_character *put)
{
    const uint8_t *p = (const uint8_t *)text.p;
    size_t n = text.n, step;
    for (size_t shown = 0; n > 0; p += step, n -= step, shown++) {
        if (shown == most) {
            tk_buffer_text(b, "\xe2\x80\xa6");
            return;
        }
        put(b, harmless(tk_utf8_next(p, n, &step)));
    }
}

void tk_markup_text(struct tk_markup *m, struct tk_str text, size_t most)
{
    put_characters(&m->out, tk_safe_text_clean(&m->scratch, text), most, put_html);
}

void tk_markup_string(struct tk_markup *m, const char *text)
{
    tk_markup_text(m, (struct tk_str){.p = text, .n = (uint32_t)strlen(text)}, SIZE_MAX);
}

void tk_markup_json_text(struct tk_markup *m, struct tk_str text, size_t most)
{
    const struct tk_str clean = tk_safe_text_clean(&m->scratch, text);
    m->piece.n = 0;
    put_characters(&m->piece, clean, most, put_utf8);
    tk_json_string(&m->out, m->piece.p, m->piece.n);
}

/* ---- cells ---- */

/* What people read, escaped: names of records and lists are texts of the capture, too. */
static void put_human(struct tk_markup *m, const struct tk_cell *cell, const struct tk_column *column)
{
    struct tk_human human = {.unit = TK_UNIT_NS};
    tk_human_column(&human, column);
    m->piece.n = 0;
    tk_human_cell(&m->piece, cell, &human);
    put_characters(&m->out, (struct tk_str){.p = m->piece.p, .n = (uint32_t)m->piece.n}, TK_MARKUP_CELL,
                   put_html);
}

void tk_markup_cell(struct tk_markup *m, const struct tk_cell *cell, const struct tk_column *column)
{
    if (cell->kind == TK_NONE)
        return;
    if (cell->kind == TK_TEXT) {
        tk_markup_text(m, tk_cell_text(cell), TK_MARKUP_CELL);
        return;
    }
    if (!tk_value_is_number(cell)) {
        put_human(m, cell, column);
        return;
    }
    tk_markup_put(m, "<data value=\"");
    tk_value_number(&m->out, cell, TK_UNIT_NS);
    tk_markup_put(m, "\">");
    put_human(m, cell, column);
    tk_markup_put(m, "</data>");
}

void tk_markup_span(struct tk_markup *m, int64_t ns)
{
    static const struct tk_column column = {.name = "", .kind = TK_DURATION};
    const struct tk_cell cell = tk_cell_of_span(ns);
    tk_markup_cell(m, &cell, &column);
}

void tk_markup_json_number(struct tk_markup *m, const struct tk_cell *cell)
{
    const bool real = cell->kind == TK_REAL || cell->kind == TK_REAL32 || cell->kind == TK_MEAN;
    if (!tk_value_is_number(cell) || cell->kind == TK_HEX || (real && !isfinite(cell->v.r)))
        tk_markup_put(m, "null");
    else if (cell->kind == TK_BOOL)
        tk_markup_put(m, cell->v.u ? "1" : "0");
    else
        tk_value_number(&m->out, cell, TK_UNIT_NS);
}
