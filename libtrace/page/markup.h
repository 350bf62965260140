/*
 * Markup: HTML in which everything that a capture says is text. All pages of report/ are written through it;
 * it is the only place that escapes.
 */
#ifndef TK_REPORT_ENCODE_MARKUP_H
#define TK_REPORT_ENCODE_MARKUP_H

#include "base/err.h"
#include "sink/write/buffer.h"

/* How much of a text is shown, in characters. */
enum { TK_MARKUP_NAME = 300, TK_MARKUP_CELL = 500, TK_MARKUP_MESSAGE = 2000 };

struct tk_markup {
    struct tk_buffer out;     /* the page so far, or a block of it */
    struct tk_buffer scratch; /* a text made valid */
    struct tk_buffer piece;   /* a number made readable */
};

/* Its buffers grow; causes go to err. TK_OK or TK_ENOMEM; tk_markup_release in any case. */
int tk_markup_init(struct tk_markup *m, struct tk_err *err);
void tk_markup_release(struct tk_markup *m);

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

/* Appends a text as a JSON string with the same characters replaced. */
void tk_markup_json_text(struct tk_markup *m, struct tk_str text, size_t most);

/* Appends the value of a cell to JSON: a number or null. */
void tk_markup_json_number(struct tk_markup *m, const struct tk_cell *cell);

#endif
