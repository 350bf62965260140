/*
 * Lines of CSV, cell by cell.
 */
#ifndef TK_FORMAT_FRAME_CSV_CSV_LINES_H
#define TK_FORMAT_FRAME_CSV_CSV_LINES_H

#include "base/cursor.h"
#include "base/text/copy.h"
#include "format/events/feed.h"
#include "format/events/window.h"

#include <stdbool.h>

enum { TK_CSV_COLUMNS = 65536 }; /* cells that are looked at */

/* What is left of a line, without its end. */
struct tk_csv_line {
    const uint8_t *p, *end;
    bool ended;      /* there is no further cell */
    bool quote_open; /* the line ends between the quotes of a cell */
};

/* Begins with a line of n bytes. */
struct tk_csv_line tk_csv_line_of(const uint8_t *p, size_t n);

/* The next cell, without the quotes around it (doubled ones inside stay). false: there is none. */
bool tk_csv_cell(struct tk_csv_line *l, struct tk_bytes *out);

/* A number, and nothing else. Infinities are none. */
bool tk_csv_number(struct tk_bytes cell, double *out);

/* Is it this text, whatever the case of its letters? */
bool tk_csv_is(struct tk_bytes cell, const char *text);

/* The next line of a window, with its end, and its offset in the file. TK_ITEM; TK_OK at the end; TK_ELIMIT
 * where it is too long; what else failed. */
int tk_csv_next_line(struct tk_ev_window *w, const uint8_t **p, size_t *n, uint64_t *offset,
                     struct tk_err *err);

/* Begins a walk over rows that are frames: the thread of the frames of a process, and the window. TK_OK or
 * what failed. */
int tk_csv_open_frames(struct tk_ev_capture *c, struct tk_ev_window *w, uint32_t *process, uint32_t *thread,
                       struct tk_err *err);

/* The file ends inside a row, whose last n bytes are not used. */
void tk_csv_note_cut(struct tk_ev_capture *c, uint64_t offset, size_t n);

/* Do these bytes begin with the names of columns of PresentMon, perhaps behind lines of comments? */
bool tk_csv_has_presents(const uint8_t *head, size_t n);

#endif
