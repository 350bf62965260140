/*
 * Selection: the options that say what part of a capture is in question.
 */
#ifndef TK_ARGS_SELECT_H
#define TK_ARGS_SELECT_H

#include "args/opt.h"
#include "tracekit/queries.h"

#include <stdbool.h>
#include <stdint.h>

struct tk_select_args {
    const char *from, *to, *frames, *from_bookmark, *to_bookmark;
    struct tk_opt_list regions, threads, timers;
};

#define TK_SELECT_COUNT 8

/* The first TK_SELECT_COUNT - 1 of them make sense for events, too. */
extern const struct tk_opt tk_select_options[TK_SELECT_COUNT];

/* Fills the selection (borrows the lists). true, or false with a sentence. */
bool tk_select_fill(struct tk_selection *out, const struct tk_select_args *args,
                    char message[TK_OPT_MESSAGE]);

/* Of two sides: where both have a selection of one kind (time, frames, bookmarks, regions, threads) each
 * keeps its own; one that only one side has becomes that of both. Lists are borrowed. */
void tk_select_share(struct tk_select_args *a, struct tk_select_args *b);

/* Is a part of the events requested? Timers are none. */
bool tk_select_given(const struct tk_select_args *args);

/* Nanoseconds of "1.5s", "20ms", "7us", "100ns"; seconds where there is no unit. Further digits are dropped.
 */
bool tk_select_time(const char *text, int64_t *ns);

/* The first and the last time that are displayed like this: with six decimals seconds stand for what pages
 * round to them, anything else for itself. */
bool tk_select_displayed(const char *text, int64_t *first, int64_t *last);

/*
 * Rows: the options that choose rows of tables by their values, and how many rows match.
 */

struct tk_row_args {
    struct tk_opt_list where, counters, logs;
    const char *callstack;
};

/* The first is --where alone; the short forms follow. */
#define TK_ROW_COUNT       4
#define TK_ROW_COUNT_WHERE 1

extern const struct tk_opt tk_row_options[TK_ROW_COUNT];

struct tk_row_filtering {
    struct tk_opt_list conditions; /* owned: those of the query */
    const char *program;
    bool quiet;
    bool each; /* tell of each table; else only of those that are empty */
};

/* Fills in the query's part, and adds the tables of short forms where none is named. false if out of
 * memory; release the conditions in any case. */
bool tk_row_fill(struct tk_row_filtering *f, struct tk_query *query, const struct tk_row_args *args,
                 struct tk_opt_list *tables);

/*
 * --split: into what parts an output is divided; one grammar for all commands that have it.
 */

#define TK_SPLIT_VALUE "SIZE|TIME|frames=N|region=GLOB"

/* One of the members is set, or none. */
struct tk_split {
    uint64_t bytes;     /* about so many in each part */
    int64_t ns;         /* so long */
    uint64_t frames;    /* so many game frames */
    const char *region; /* each region of this name; borrowed */
};

/* "200MB", "10s", "frames=100", "region=Load*"; NULL: none. true, or false with a sentence. */
bool tk_split_read(struct tk_split *out, const char *text, char message[TK_OPT_MESSAGE]);

/* Is there anything to be split? */
static inline bool tk_split_any(const struct tk_split *s)
{
    return s->bytes || s->ns || s->frames || s->region;
}

#endif
