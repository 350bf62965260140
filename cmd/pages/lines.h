/*
 * Lines: a page of a few named sentences, sent as a table with a single row. The first pages of commands are
 * written with it.
 */
#ifndef TK_CMD_PAGES_LINES_H
#define TK_CMD_PAGES_LINES_H

#include <tracekit.h>

#define TK_LINES_MOST 16  /* lines a page */
#define TK_LINES_TEXT 640 /* bytes a line; what is longer is cut between two characters */

struct tk_lines {
    struct tk_column columns[TK_LINES_MOST];
    struct tk_cell cells[TK_LINES_MOST];
    uint32_t n; /* lines begun */
};

/* Begins a line of the page at work, of which there is one at a time. name: static, without blanks. Lines
 * that are still empty when the next one begins are taken back; more than TK_LINES_MOST are not kept. */
void tk_lines_begin(struct tk_lines *l, const char *name);

/* Appends to the line, as printf does. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void tk_lines_put(struct tk_lines *l, const char *format, ...);

/* Appends a comma and a blank where the line has something in it. */
void tk_lines_comma(struct tk_lines *l);

/* Appends a text of a capture. Cells without a text are nothing, bytes that are no ASCII in texts of another
 * encoding than UTF-8 are '?', and more than `most` bytes are cut. */
void tk_lines_cell(struct tk_lines *l, const struct tk_cell *cell, size_t most);

/* Appends a length of time with its unit, to so many digits (tables for people have four). */
void tk_lines_span(struct tk_lines *l, double ns, int digits);

/* Appends a size in B, KiB, MiB ..., to three digits. */
void tk_lines_size(struct tk_lines *l, uint64_t bytes);

/* Sends the lines as the table of that name (static). TK_OK or what a hook returned. */
int tk_lines_send(struct tk_lines *l, const char *name, const struct tk_sink *sink, struct tk_err *err);

#endif
