/*
 * Chapter: all that a page says of one capture, section by section. page.c begins one for each capture.
 */
#ifndef TK_REPORT_CHAPTER_H
#define TK_REPORT_CHAPTER_H

#include "report/gather.h"
#include "report/list.h"

/* Hitches that are told with their reasons, and of these the ones that have a timeline. */
enum { TK_HITCHES_TOLD = 20, TK_HITCHES_DRAWN = 10 };

/* Bytes of a page behind which no further timeline is added: the script, the style and the tables come on
 * top. */
enum { TK_PAGE_FULL = 1300000 };

struct tk_chapter {
    struct tk_trace *trace;
    const struct tk_query *query;
    const struct tk_page_options *options;
    const char *name;        /* of the capture, without folders */
    char prefix[16];         /* of ids: "" for the first capture, then "c2-" */
    struct tk_gather first;  /* tables, frames, values */
    struct tk_gather second; /* call tree, timers by frame */
    uint64_t hitches_beyond; /* hitches beside those of the table `hitches`, which are longer */
    uint64_t calls_beyond;   /* calls of stacks that the tree counts together */
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

/* Frame times: the block that the pictures are drawn from. */
int tk_frames_put(struct tk_chapter *c);

/* Hitches with reasons and timelines. */
int tk_hitches_put(struct tk_chapter *c);

/* The call tree by thread, and the curves of timers. */
int tk_tree_put(struct tk_chapter *c);
int tk_curves_put(struct tk_chapter *c);

/* Reads what tk_tree_put and tk_curves_put show. */
int tk_tree_gather(struct tk_chapter *c);

/* Small plots of values over time: one block of a set. */
int tk_values_put(struct tk_chapter *c, const char *id, const struct tk_series_set *set);

/* Which captures, and how made. */
int tk_about_put(struct tk_chapter *c);

/* Begins and ends a section; `title` is its heading. */
void tk_section_begin(struct tk_chapter *c, const char *id, const char *title);
void tk_section_end(struct tk_chapter *c);

/* Appends a place for a picture that the script draws from a block: `figure` says which picture. */
void tk_figure_put(struct tk_chapter *c, const char *figure, const char *block);

/* Ends a block: `id` gets the prefix. */
void tk_chapter_block(struct tk_chapter *c, const char *id, struct tk_markup *data);

#endif
