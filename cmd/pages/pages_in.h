/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_PAGES_PAGES_IN_H
#define TK_PAGES_PAGES_IN_H

#include "pages/summary_pages.h"

#include <stdbool.h>

/*
 * Lines: a page of a few named sentences, sent as a table with a single row. The first pages of commands are
 * written with it.
 */

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

/*
 * Game frames: what a first page says of their durations: the longest, and those that are hitches.
 */

struct tk_game_frame {
    uint64_t index;
    int64_t duration;
    bool lost; /* events were lost in it */
};

#define TK_HITCHES_LISTED 5 /* by number */

struct tk_game_frames {
    struct tk_game_frame *v; /* owned; frames with an end */
    size_t n, cap;
    uint64_t lost;       /* frames in which events were lost, with an end or without */
    uint64_t first_lost; /* the first of these */
    struct tk_game_frame hitches[TK_HITCHES_LISTED]; /* the longest, longest first */
    size_t n_hitches, loading, startup, uneven;      /* of each class of the table `late_frames` */
};

/* Takes a row of the table `late_frames`. */
void tk_game_frames_add_late(struct tk_game_frames *frames, const struct tk_table *table,
                             const struct tk_cell *row);

/* Takes a row of the table `frames`. TK_OK or TK_ENOMEM. */
int tk_game_frames_add(struct tk_game_frames *frames, const struct tk_table *table,
                       const struct tk_cell *row);

/* Behind the number of frames: in which of them events were lost, if in any. */
void tk_game_frames_put_lost(const struct tk_game_frames *frames, struct tk_lines *lines);

/* Longest first; of equally long ones the earliest. */
void tk_game_frames_sort(struct tk_game_frames *frames);

/* The lines about hitches, worst first, and about uneven frames; smoothness: the table of that name. */
void tk_game_frames_put_hitches(const struct tk_game_frames *frames, const struct tk_answer *smoothness,
                                struct tk_lines *lines);

/* Behind the number of complete frames: how many of this row of `frame_stats` have no end, if any. */
void tk_game_frames_put_open(const struct tk_answer *stats, size_t row, struct tk_lines *lines);

void tk_game_frames_release(struct tk_game_frames *frames);

/*
 * UTC: a date and time of day from the seconds since 1970, without the clock or the zone of the machine.
 */

#define TK_UTC_TEXT 80

/* "2026-11-20 09:21:04 UTC". false: it is not in the years 1970 to 9999. */
bool tk_utc(char text[TK_UTC_TEXT], double seconds);

#endif
