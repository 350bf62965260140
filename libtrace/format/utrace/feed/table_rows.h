/*
 * Rows of families: facts TK_FACT_ROW and their cells. Times in cells are cycles since the start, lengths are
 * cycles; the model converts them.
 */
#ifndef TK_FORMAT_UTRACE_FEED_TABLE_ROWS_H
#define TK_FORMAT_UTRACE_FEED_TABLE_ROWS_H

#include "format/utrace/feed/family.h"

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

/* Says a row of a table: its cells, all without a value, to be filled in at once. NULL when memory is out. */
struct tk_cell *tk_ut_row(struct tk_ut_feed *feed, const struct tk_table *table, struct tk_ut_row_key key);

static inline struct tk_cell tk_ut_cell_uint(uint64_t u)
{
    return (struct tk_cell){.kind = TK_UINT, .v.u = u};
}

static inline struct tk_cell tk_ut_cell_int(int64_t i)
{
    return (struct tk_cell){.kind = TK_INT, .v.i = i};
}

static inline struct tk_cell tk_ut_cell_hex(uint64_t u)
{
    return (struct tk_cell){.kind = TK_HEX, .v.u = u};
}

static inline struct tk_cell tk_ut_cell_size(uint64_t bytes)
{
    return (struct tk_cell){.kind = TK_SIZE, .v.u = bytes};
}

static inline struct tk_cell tk_ut_cell_bool(bool b)
{
    return (struct tk_cell){.kind = TK_BOOL, .v.u = b};
}

static inline struct tk_cell tk_ut_cell_real(double r)
{
    return (struct tk_cell){.kind = TK_REAL, .v.r = r};
}

/* A text; no value for NULL and for the empty one. */
static inline struct tk_cell tk_ut_cell_text(const struct tk_str *s)
{
    if (!s || !s->n)
        return (struct tk_cell){.kind = TK_NONE};
    return (struct tk_cell){.kind = TK_TEXT, .enc = s->enc, .n = s->n, .v.p = s->p};
}

/* A static text. */
struct tk_cell tk_ut_cell_c(const char *s);

/* A point in time, cycles since the start. */
static inline struct tk_cell tk_ut_cell_time(int64_t cycles)
{
    return (struct tk_cell){.kind = TK_TIME, .v.i = cycles};
}

/* A sum of cycles. */
static inline struct tk_cell tk_ut_cell_span(int64_t cycles)
{
    return (struct tk_cell){.kind = TK_DURATION, .v.i = cycles};
}

/* The cycles from the point in time in column `from` of the row on. */
static inline struct tk_cell tk_ut_cell_since(unsigned from, int64_t cycles)
{
    return (struct tk_cell){.kind = TK_DURATION, .n = from + 1, .v.i = cycles};
}

#endif
