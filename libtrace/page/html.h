/*
 * What all pages are made of: head with style and policy, sections, tables, tiles, the end. A page is put
 * into whatever takes bytes: the buffer of markup.h, or the text of a report on comparisons. Texts given here
 * are ours; those of captures go through tk_markup_text or tk_print_xml, which escape by tk_markup_entity.
 */
#ifndef TK_PAGE_HTML_H
#define TK_PAGE_HTML_H

#include "base/err.h"
#include "base/text/text.h"

struct tk_html {
    tk_text_put *put;
    void *to;
};

void tk_html_put(struct tk_html h, const char *html);
void tk_html_format(struct tk_html h, const char *format, ...) TK_PRINTF(2, 3);

struct tk_html_style {
    const char *text, *hash;
    const char *script_hash; /* NULL: the page has no script */
    bool pictures;           /* the page may have some inside it */
};

/* Begins a page: up to its title, and from behind the title to the body. */
void tk_html_head(struct tk_html h, const struct tk_html_style *style);
void tk_html_body(struct tk_html h, const struct tk_html_style *style);

/* Ends it: main, and a footer with a sentence or two; script: NULL where there is none. */
void tk_html_end(struct tk_html h, const char *sentence, const char *script);

/* Begins a section with its heading; an end tag ends it. */
void tk_html_section(struct tk_html h, const char *id, const char *format, ...) TK_PRINTF(3, 4);
void tk_html_section_end(struct tk_html h);

enum {
    TK_HTML_FOCUS = 1,
    TK_HTML_UNSEEN = 2
}; /* it scrolls by keys; its caption is for readers of screens */

/* Begins a table that has data-KIND="name", up to its head; then its columns; then the rows may come. */
void tk_html_table(struct tk_html h, const char *kind, const char *name, unsigned flags, const char *caption);
void tk_html_column(struct tk_html h, const char *attributes, const char *title);
void tk_html_rows(struct tk_html h);
void tk_html_table_end(struct tk_html h);

/* What a column of numbers has. */
#define TK_HTML_NUMBERS " class=\"n\""

/* "and 12 more", where `all` are more than are displayed. */
void tk_html_more(struct tk_html h, size_t all, size_t displayed, const char *what);

/* Bytes in base64, whose alphabet ends no element and no attribute. */
void tk_html_base64(struct tk_html h, const uint8_t *p, size_t n);

/* A number in large. */
void tk_html_tile(struct tk_html h, const char *title, size_t n);

#endif
