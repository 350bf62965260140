/*
 * What all pages are made of.
 */
#include "page/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
