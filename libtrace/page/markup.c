/*
 * Markup: HTML and JSON with the texts of captures made harmless.
 */
#include "page/markup.h"

#include "base/text/text.h"
#include "sink/write/human.h"
#include "sink/write/value.h"
#include "table/cell.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/*
 * Blocks: JSON, deflated, in base64.
 */

void tk_block_put(struct tk_markup *page, const char *id, struct tk_markup *data)
{
    uLongf n = compressBound((uLong)data->out.n);
    uint8_t *packed = malloc(n);
    if (data->out.status < 0 || !packed ||
        compress2(packed, &n, (const Bytef *)data->out.p, (uLong)data->out.n, 9) != Z_OK) {
        tk_buffer_fail(&page->out, data->out.status < 0 ? data->out.status : TK_ENOMEM);
    } else {
        tk_markup_format(page, "<script type=\"application/octet-stream\" id=\"%s\">", id);
        tk_html_base64(tk_markup_html(page), packed, n);
        tk_markup_put(page, "</script>\n");
    }
    free(packed);
    data->out.n = 0;
    data->json = tk_json_into(&data->out);
}

/*
 * Names.
 */

void tk_names_release(struct tk_names *names)
{
    tk_intern_release(&names->texts);
    tk_vec_release(&names->list);
    free(names->slots);
    names->slots = NULL;
    names->capacity = 0;
}

/* Where the number of an interned text is, or belongs. The order of addresses decides nothing but speed. */
static uint32_t *slot_of(const struct tk_names *names, const struct tk_str *text)
{
    size_t at =
        (size_t)((uint64_t)(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (names->capacity - 1);
    while (names->slots[at] && names->list.v[names->slots[at] - 1] != text)
        at = (at + 1) & (names->capacity - 1);
    return &names->slots[at];
}

/* At most half of the slots are taken. */
static int reserve(struct tk_names *names)
{
    if (2 * (names->list.n + 1) <= names->capacity)
        return 0;
    const size_t capacity = names->capacity ? 2 * names->capacity : 256;
    uint32_t *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return -1;
    free(names->slots);
    names->slots = slots;
    names->capacity = capacity;
    for (size_t i = 0; i < names->list.n; i++)
        *slot_of(names, names->list.v[i]) = (uint32_t)i + 1;
    return 0;
}

int64_t tk_names_number(struct tk_names *names, struct tk_str text)
{
    const struct tk_str *known = tk_intern(&names->texts, text.p, text.n, (enum tk_encoding)text.enc);
    if (!known || reserve(names))
        return -1;
    uint32_t *slot = slot_of(names, known);
    if (!*slot) {
        if (tk_vec_push(&names->list, known))
            return -1;
        *slot = (uint32_t)names->list.n;
    }
    return *slot - 1;
}

/* Characters of a name so that all of them take no more than `most` bytes, or hardly more. */
static size_t characters_of(const struct tk_names *names, size_t most)
{
    enum { LEAST = 8 };
    size_t all = 0;
    for (size_t i = 0; i < names->list.n; i++)
        all += names->list.v[i]->n < TK_MARKUP_NAME ? names->list.v[i]->n : TK_MARKUP_NAME;
    if (!most || all <= most)
        return TK_MARKUP_NAME;
    return most / names->list.n > LEAST ? most / names->list.n : LEAST;
}

void tk_names_put(const struct tk_names *names, size_t most, struct tk_markup *m)
{
    const size_t each = characters_of(names, most);
    tk_json_open(&m->json, "names", '[');
    for (size_t i = 0; i < names->list.n; i++)
        tk_markup_json_text(m, NULL, *names->list.v[i], each);
    tk_json_close(&m->json);
}

/*
 * Columns.
 */

static bool is_text(const struct tk_column *column)
{
    const struct tk_cell cell = {.kind = column->kind};
    return column->kind == TK_HEX || !tk_value_is_number(&cell);
}

/* Bytes of a rate or a mean are displayed as those of a size. */
static unsigned kind_of(const struct tk_column *column)
{
    if (is_text(column))
        return TK_TEXT;
    return column->kind == TK_REAL && column->unit && strcmp(column->unit, "bytes") == 0 ? TK_SIZE
                                                                                         : column->kind;
}

/* The number of the text of a cell, -1 where it has none, -2 if out of memory. */
static int64_t number_of(struct tk_markup *m, struct tk_names *names, const struct tk_cell *cell,
                         const struct tk_column *column)
{
    struct tk_str text;
    if (cell->kind == TK_NONE)
        return -1;
    if (cell->kind == TK_TEXT) {
        text = tk_cell_text(cell);
    } else {
        struct tk_human human = {.unit = TK_UNIT_NS};
        tk_human_column(&human, column);
        m->piece.n = 0;
        tk_human_cell(&m->piece, cell, &human);
        text = (struct tk_str){.p = m->piece.p, .n = (uint32_t)m->piece.n};
    }
    const int64_t number = tk_names_number(names, text);
    return number < 0 ? -2 : number;
}

static int put_cells(struct tk_markup *m, struct tk_names *names, const struct tk_result *rows, size_t n,
                     int at)
{
    const struct tk_column *column = &tk_result_table(rows, 0, NULL)->columns[at];
    const bool text = is_text(column);
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *cell = &tk_result_row(rows, 0, i)[at];
        const int64_t number = text ? number_of(m, names, cell, column) : 0;
        if (number == -2)
            return TK_ENOMEM;
        if (text)
            tk_json_i64(&m->json, NULL, number);
        else
            tk_markup_json_number(m, cell);
    }
    return TK_OK;
}

static int put_column(struct tk_markup *m, struct tk_names *names, const struct tk_result *rows, size_t n,
                      int at)
{
    const struct tk_column *column = &tk_result_table(rows, 0, NULL)->columns[at];
    const struct tk_str help = {.p = column->help, .n = (uint32_t)strlen(column->help)};
    tk_json_open(&m->json, NULL, '{');
    tk_json_c(&m->json, "name", column->name);
    tk_json_u64(&m->json, "kind", kind_of(column));
    tk_json_u64(&m->json, "part", (column->flags & TK_COL_PART) != 0);
    tk_markup_json_text(m, "title", help, SIZE_MAX);
    tk_json_open(&m->json, "cells", '[');
    const int rc = put_cells(m, names, rows, n, at);
    tk_json_close(&m->json);
    tk_json_close(&m->json);
    return rc;
}

int tk_columns_put(const char *name, const struct tk_result *rows, const int *at, size_t n_at, size_t n,
                   size_t names_most, struct tk_markup *m)
{
    struct tk_names names = {0};
    int rc = TK_OK;
    tk_json_open(&m->json, name, '{');
    tk_json_u64(&m->json, "rows", n);
    tk_json_open(&m->json, "columns", '[');
    for (size_t i = 0; i < n_at && rc == TK_OK; i++)
        rc = put_column(m, &names, rows, n, at[i]);
    tk_json_close(&m->json);
    tk_names_put(&names, names_most, m);
    tk_json_close(&m->json);
    tk_names_release(&names);
    return rc;
}

int tk_markup_init(struct tk_markup *m, struct tk_err *err)
{
    *m = (struct tk_markup){0};
    m->json = tk_json_into(&m->out);
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

/* Apostrophes, too, whatever quotes an attribute has. */
static const char *entity(uint32_t c)
{
    return c == '\'' ? "&#39;" : tk_markup_entity(c);
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
    for (size_t displayed = 0; n > 0; p += step, n -= step, displayed++) {
        if (displayed == most) {
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

void tk_markup_json_text(struct tk_markup *m, const char *name, struct tk_str text, size_t most)
{
    const struct tk_str clean = tk_safe_text_clean(&m->scratch, text);
    m->piece.n = 0;
    put_characters(&m->piece, clean, most, put_utf8);
    tk_json_text_of(&m->json, name, m->piece.p, m->piece.n);
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
        tk_json_plain(&m->json, NULL, "null");
    else if (cell->kind == TK_BOOL)
        tk_json_u64(&m->json, NULL, cell->v.u != 0);
    else {
        tk_json_member(&m->json, NULL);
        tk_value_number(&m->out, cell, TK_UNIT_NS);
    }
}

/*
 * What all pages are made of.
 */

void tk_html_put(struct tk_html h, const char *html)
{
    h.put(h.to, html, strlen(html));
}

static void put_formatted(struct tk_html h, const char *format, va_list ap)
{
    char text[1024];
    const int n = vsnprintf(text, sizeof text, format, ap);
    if (n > 0)
        h.put(h.to, text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

void tk_html_format(struct tk_html h, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    put_formatted(h, format, ap);
    va_end(ap);
}

void tk_html_head(struct tk_html h, const struct tk_html_style *style)
{
    tk_html_put(h, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
    if (style->script_hash)
        tk_html_format(h, "script-src 'sha256-%s'; ", style->script_hash);
    tk_html_format(h, "style-src 'sha256-%s'; %sbase-uri 'none'; form-action 'none'\">\n", style->hash,
                   style->pictures ? "img-src data:; " : "");
    tk_html_put(h, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"referrer\" content=\"no-referrer\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
}

void tk_html_body(struct tk_html h, const struct tk_html_style *style)
{
    tk_html_put(h, " - Tracekit</title>\n<style>");
    tk_html_put(h, style->text);
    tk_html_put(h, "</style>\n</head>\n<body>\n");
}

void tk_html_end(struct tk_html h, const char *sentence, const char *script)
{
    tk_html_put(h, "</main>\n<footer><p>Made by Tracekit " TK_VERSION ". ");
    tk_html_put(h, sentence);
    tk_html_put(h, "</p></footer>\n");
    if (script) {
        tk_html_put(h, "<script>");
        tk_html_put(h, script);
        tk_html_put(h, "</script>\n");
    }
    tk_html_put(h, "</body>\n</html>\n");
}

void tk_html_section(struct tk_html h, const char *id, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    tk_html_format(h, "<section aria-labelledby=\"h-%s\">\n<h2 id=\"h-%s\">", id, id);
    put_formatted(h, format, ap);
    tk_html_put(h, "</h2>\n");
    va_end(ap);
}

void tk_html_section_end(struct tk_html h)
{
    tk_html_put(h, "</section>\n");
}

void tk_html_table(struct tk_html h, const char *kind, const char *name, unsigned flags, const char *caption)
{
    tk_html_format(h, "<div class=\"scroll\"%s><table data-%s=\"%s\"><caption%s>%s</caption>\n<thead><tr>",
                   flags & TK_HTML_FOCUS ? " tabindex=\"0\"" : "", kind, name,
                   flags & TK_HTML_UNSEEN ? " class=\"unseen\"" : "", caption);
}

void tk_html_column(struct tk_html h, const char *attributes, const char *title)
{
    tk_html_format(h, "<th scope=\"col\"%s>%s</th>", attributes, title);
}

void tk_html_rows(struct tk_html h)
{
    tk_html_put(h, "</tr></thead>\n<tbody>\n");
}

void tk_html_table_end(struct tk_html h)
{
    tk_html_put(h, "</tbody></table></div>\n");
}

void tk_html_more(struct tk_html h, size_t all, size_t displayed, const char *what)
{
    if (all > displayed)
        tk_html_format(h, "<p class=\"more\">and %zu %s</p>\n", all - displayed, what);
}

void tk_html_base64(struct tk_html h, const uint8_t *p, size_t n)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char out[1024];
    size_t used = 0;
    for (size_t i = 0; i < n; i += 3) {
        const uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) |
                           (i + 2 < n ? (uint32_t)p[i + 2] : 0);
        out[used++] = alphabet[v >> 18];
        out[used++] = alphabet[v >> 12 & 63];
        out[used++] = i + 1 < n ? alphabet[v >> 6 & 63] : '=';
        out[used++] = i + 2 < n ? alphabet[v & 63] : '=';
        if (used == sizeof out || i + 3 >= n) {
            h.put(h.to, out, used);
            used = 0;
        }
    }
}

void tk_html_tile(struct tk_html h, const char *title, size_t n)
{
    tk_html_format(h, "<div><dt>%s</dt><dd><data value=\"%zu\">%zu</data></dd></div>\n", title, n, n);
}
