/*
 * Rows of families: facts TK_FACT_ROW and their cells. Times in cells are cycles since the start, lengths are
 * cycles; the model converts them.
 */
#ifndef TK_FORMAT_UTRACE_FEED_TABLE_ROWS_H
#define TK_FORMAT_UTRACE_FEED_TABLE_ROWS_H

#include "base/hash.h"
#include "format/utrace/feed/family.h"
#include "table/cell.h"
#include "table/thread_columns.h"

/* What a row is about. */
struct tk_ut_row_key {
    uint32_t thread; /* TK_NO_THREAD: of no thread */
    uint64_t seq;
    bool timed; /* lasted from begin to end; equal for a point in time */
    int64_t begin, end;
};

/* The thread of an event and a stretch of time. */
static inline struct tk_ut_row_key tk_ut_row_of(const struct tk_ut_event *ev, int64_t begin, int64_t end)
{
    return (struct tk_ut_row_key){ev->tid, ev->seq, true, begin, end};
}

/* Nothing in particular. */
#define TK_UT_ROW_ANY ((struct tk_ut_row_key){.thread = TK_NO_THREAD, .seq = TK_NO_SEQ})

/* Says a row of a table: its cells, all without a value, to be filled in at once. NULL if out of memory. */
struct tk_cell *tk_ut_row(struct tk_ut_feed *feed, const struct tk_table *table, struct tk_ut_row_key key);

/* The cycles from the point in time in column `from` of the row on. */
static inline struct tk_cell tk_ut_cell_since(unsigned from, int64_t cycles)
{
    return (struct tk_cell){.kind = TK_DURATION, .n = from + 1, .v.i = cycles};
}

/*
 * Names that events give to numbers (addresses, ids), as far as a reading has come.
 */

struct tk_ut_id_names {
    struct tk_map index; /* number -> place */
    TK_VEC(const struct tk_str *) names;
};

/* Sets the name of a number to field `name` of the event (characters of `width` bytes where it is attached);
 * a later one replaces it. TK_OK or TK_ENOMEM. */
int tk_ut_id_names_put(struct tk_ut_feed *feed, struct tk_ut_id_names *n, const struct tk_ut_event *ev,
                       uint64_t number, unsigned name, unsigned width);

/* The name of a number, or NULL. */
const struct tk_str *tk_ut_id_names_get(const struct tk_ut_id_names *n, uint64_t number);

/* Forgets all. */
void tk_ut_id_names_release(struct tk_ut_id_names *n);

#endif
