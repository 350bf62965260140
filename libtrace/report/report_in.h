/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_REPORT_REPORT_IN_H
#define TK_REPORT_REPORT_IN_H

#include "page/album.h"
#include "page/markup.h"
#include "report/gather.h"
#include "tracekit/pages.h"

/*
 * Lists: tables of a capture as HTML tables, and as blocks for the script where they are long. sections.c
 * says which.
 */

struct tk_list {
    const char *table;
    const char *title;   /* caption */
    const char *columns; /* names, a comma between; those that are empty or not there are left out, and with a
                            question mark behind them those that are zero or one text in all rows */
    const char *sort;    /* greatest first; NULL: as they come */
    size_t displayed;    /* rows of the HTML table */
    size_t kept;         /* rows that are read and go to a block; not more than `displayed`: no block */
    const char *question; /* of the table `can`, which says why there are no rows; NULL: none */
};

/* Appends a list, or a sentence where it has no rows. `prefix` begins the ids of the capture. false: the
 * capture has nothing of it, and nothing was said. TK_OK or TK_ENOMEM, or what sorting failed with. */
int tk_list_put(const struct tk_list *list, const struct tk_gather *g, const char *prefix,
                struct tk_markup *m, struct tk_err *err);

/* The rows that there are of a list. */
uint64_t tk_list_rows(const struct tk_list *list, const struct tk_gather *g);

/* Appends an HTML table of rows `first` to `last` (exclusive) of what was kept. */
void tk_list_table(const struct tk_list *list, const struct tk_gathered *kept, size_t first, size_t last,
                   struct tk_markup *m);

/*
 * Chapter: all that a page says of one capture, section by section. page.c begins one for each capture.
 */

/* Hitches that are reported with their reasons, and of these the ones that have a timeline. */
enum { TK_HITCHES_REPORTED = 20, TK_HITCHES_DRAWN = 10 };

/* Bytes of a page behind which no further timeline is added: the script, the style and the tables come on
 * top. */
enum { TK_PAGE_FULL = 1300000 };

struct tk_chapter {
    struct tk_trace *trace;
    const struct tk_query *query;
    const struct tk_page_options *options;
    const char *name;                /* of the capture, without folders */
    char prefix[16];                 /* of ids: "" for the first capture, then "c2-" */
    struct tk_gather first;          /* tables, frames, values */
    struct tk_gather second;         /* call tree, timers by frame */
    struct tk_album_limit *pictures; /* recorded ones that the page still takes */
    uint64_t hitches_beyond;         /* hitches alongside those of the table `hitches`, which are longer */
    uint64_t calls_beyond;           /* calls of stacks that the tree counts together */
    struct tk_markup *m;
    struct tk_err *err;
};

/* Writes the chapter: reads the capture, and puts its sections. As tk_query_run. */
int tk_chapter_put(struct tk_chapter *c);

/* ---- its parts, each in a file of its name ---- */

/* What is in front: the headline in words, and figures at a glance. */
int tk_head_put(struct tk_chapter *c);

/* The sentence of the head on what bounded how many frames. */
void tk_bounded_put(struct tk_chapter *c);

/* What rules find, with their evidence. */
int tk_findings_put(struct tk_chapter *c);

/* Where in the level frames are slow. */
int tk_level_map_put(struct tk_chapter *c);

/* Frame times: the block that the pictures are drawn from. */
int tk_frames_put(struct tk_chapter *c);

/* Hitches with reasons and timelines. */
int tk_hitches_put(struct tk_chapter *c);

/* The longest ones that are reported, at most n of them; how many there are. */
size_t tk_hitches_longest(struct tk_chapter *c, struct tk_album_want *longest, size_t n);

/* Recorded pictures: chooses and reads those of the page, for the hitches (n) first; a strip of them along
 * the frames; the one that is nearest to a hitch. */
int tk_pictures_gather(struct tk_chapter *c, const struct tk_album_want *hitches, size_t n);
void tk_pictures_put(struct tk_chapter *c);
void tk_picture_of_hitch_put(struct tk_chapter *c, const struct tk_album_want *hitch);

/* The call tree by thread, and the curves of timers. */
int tk_tree_put(struct tk_chapter *c);
int tk_curves_put(struct tk_chapter *c);

/* Reads what tk_tree_put and tk_curves_put show. */
int tk_tree_gather(struct tk_chapter *c);

/* Small plots of values over time: one block of a set. */
int tk_values_put(struct tk_chapter *c, const char *id, const struct tk_series_set *set);

/* Which captures, and how made. */
int tk_about_put(struct tk_chapter *c);

/* What a part of the chapter is called where its title alone is that of other captures' parts, too. */
void tk_chapter_label(const struct tk_chapter *c, const char *title, char *out, size_t size);

/* Begins and ends a section; `title` is its heading. */
void tk_section_begin(struct tk_chapter *c, const char *id, const char *title);
void tk_section_end(struct tk_chapter *c);

/* Appends a place for a picture that the script draws from a block: `figure` says which picture. */
void tk_figure_put(struct tk_chapter *c, const char *figure, const char *block);

/* Ends a block: `id` gets the prefix. */
void tk_chapter_block(struct tk_chapter *c, const char *id, struct tk_markup *data);

/*
 * Windows: the scopes of all threads and GPU queues around a hitch, for its timeline and flame graph.
 * report.c requests one after the other.
 */

/* Scopes of a window that are kept: the longest. */
enum { TK_WINDOW_SCOPES = 6000 };

struct tk_window {
    uint64_t frame;
    int64_t from, to;   /* of the window, in nanoseconds */
    int64_t begin, end; /* of the frame */
};

/* Reads a window, with what the query selects in addition, and appends it as JSON. As tk_query_run. */
int tk_window_put(const struct tk_window *window, struct tk_trace *trace, const struct tk_query *query,
                  struct tk_markup *m, struct tk_err *err);

#endif
