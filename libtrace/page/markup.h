/*
 * Markup: HTML in which everything that a capture says is text. All pages of report/ are written through it;
 * those of comparisons are written through report_print.h.
 */
#ifndef TK_PAGE_MARKUP_H
#define TK_PAGE_MARKUP_H

#include "base/err.h"
#include "base/text/intern.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "sink/write/buffer.h"

/*
 * What all pages are made of: head with style and policy, sections, tables, tiles, the end. A page is put
 * into whatever takes bytes: the buffer below, or the text of a report on comparisons. Texts given here
 * are ours; those of captures go through tk_markup_text or tk_print_xml, which escape by tk_markup_entity.
 */

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

/*
 * Markup: a buffer of it.
 */

/* How much of a text is displayed, in characters. */
enum { TK_MARKUP_NAME = 300, TK_MARKUP_CELL = 500, TK_MARKUP_MESSAGE = 2000 };

struct tk_markup {
    struct tk_buffer out;     /* the page so far, or a block of it */
    struct tk_buffer scratch; /* a text made valid */
    struct tk_buffer piece;   /* a number made readable */
    struct tk_json json;      /* into out */
};

/* Its buffers grow; causes go to err. TK_OK or TK_ENOMEM; tk_markup_release in any case. */
int tk_markup_init(struct tk_markup *m, struct tk_err *err);
void tk_markup_release(struct tk_markup *m);

/* To put what all pages are made of. */
static inline struct tk_html tk_markup_html(struct tk_markup *m)
{
    return (struct tk_html){.put = tk_buffer_take, .to = &m->out};
}

/* Appends markup as it is: never with a text of a capture. */
void tk_markup_put(struct tk_markup *m, const char *html);
void tk_markup_format(struct tk_markup *m, const char *format, ...) TK_PRINTF(2, 3);

/* Appends a text for the content of an element or an attribute in double quotes: & < > " ' are escaped, what
 * is not valid or steers the direction of text is U+FFFD, and what is longer than `most` characters is cut.
 */
void tk_markup_text(struct tk_markup *m, struct tk_str text, size_t most);
void tk_markup_string(struct tk_markup *m, const char *text);

/* Appends the value of a column for people; numbers as <data value="NUMBER">. Nothing for TK_NONE. */
void tk_markup_cell(struct tk_markup *m, const struct tk_cell *cell, const struct tk_column *column);

/* Appends a length of time as <data>. */
void tk_markup_span(struct tk_markup *m, int64_t ns);

/* Appends a text to JSON with the same characters replaced. */
void tk_markup_json_text(struct tk_markup *m, const char *name, struct tk_str text, size_t most);

/* Appends the value of a cell to JSON: a number or null. */
void tk_markup_json_number(struct tk_markup *m, const struct tk_cell *cell);

/*
 * Blocks: data of a page that its script unpacks, as deflated and base64-coded JSON in an element that
 * nothing runs. The alphabet of base64 has no "<", so that no text of a capture can end the element.
 */

/* Appends the JSON in `data`, whose bytes are then forgotten, as a block with an id. A failure is noted in
 * `page`. */
void tk_block_put(struct tk_markup *page, const char *id, struct tk_markup *data);

/*
 * Columns: rows of a result as JSON, a column at a time, as the tables of page/tables.js take them. Lists of
 * pages and answers of the viewer are made so.
 */

/*
 * Appends the member `name`, {"rows": n, "columns": [...], "names": [...]}, of the first n rows of the first
 * table and its columns `at` (n_at of them). Cells are numbers, numbers of names, or nothing: null, and -1
 * for texts. What is neither number nor text is a text as people read it. names_most: as tk_names_put. TK_OK
 * or TK_ENOMEM.
 */
int tk_columns_put(const char *name, const struct tk_result *rows, const int *at, size_t n_at, size_t n,
                   size_t names_most, struct tk_markup *m);

/*
 * Names: texts of a block, each once, that its columns refer to by number. Blocks of timers, trees and
 * hitches use it.
 */

/* Zero-initialise to begin. */
struct tk_names {
    struct tk_intern texts;
    TK_VEC(const struct tk_str *) list;
    uint32_t *slots; /* owned: a number + 1 by address, open addressing; `space` of them */
    size_t capacity;
};

void tk_names_release(struct tk_names *names);

/* The number of a text, or -1 if out of memory. */
int64_t tk_names_number(struct tk_names *names, struct tk_str text);

/* Bytes of the names of a block that is bounded in size. */
enum { TK_NAMES_BYTES = 200000 };

/* Appends them as the member "names", a list. `most` bytes of names in all, where they are cut to as many
 * each; 0: no bound. */
void tk_names_put(const struct tk_names *names, size_t most, struct tk_markup *m);

#endif
