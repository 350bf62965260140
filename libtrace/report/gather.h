/*
 * Gathering: the data that one reading of a capture collects for a page, bounded in size. Rows of tables go
 * to results, durations of frames to arrays, values over time to series. The parts of a page are made from
 * it.
 */
#ifndef TK_REPORT_GATHER_H
#define TK_REPORT_GATHER_H

#include "page/album.h"
#include "page/series.h"
#include "tracekit/captures.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"

/* A table that is kept. */
struct tk_gather_want {
    const char *table;
    size_t most; /* rows kept, the first ones; the others are counted */
};

#define TK_GATHER_TABLES 48

struct tk_gathered {
    const char *name;       /* static */
    struct tk_result *rows; /* owned; NULL: it did not come */
    size_t most;
    uint64_t seen;
};

struct tk_gather {
    struct tk_gathered tables[TK_GATHER_TABLES];
    size_t n;
    struct tk_frame_times frames;
    uint64_t lost_frames;                /* game frames in which events were lost */
    struct tk_series_set counters, tags; /* values by time: counters; sizes of memory tags */
    struct tk_frame_times gpu;           /* work of GPU frames by queue, as types */
    struct tk_frame_times work;          /* of game frames the work in them by game thread, render thread, RHI
                                            thread and GPU, as types; where `bound` is wanted */
    struct tk_album album;               /* where its tables are wanted: when there are recorded pictures */
};

void tk_gather_release(struct tk_gather *g);

/* Answers a query for the tables of `wanted` (static, n) that the capture has, and for frames and values, in
 * one reading. What the query selects counts, and how hitches are reported. As tk_query_run. */
int tk_gather_run(struct tk_gather *g, struct tk_trace *trace, const struct tk_query *query,
                  const struct tk_gather_want *wanted, size_t n, struct tk_err *err);

/* Takes the table `health` anew, as far as the capture was read by now. As tk_health. */
int tk_gather_health(struct tk_gather *g, struct tk_trace *trace, struct tk_err *err);

/* A table that was kept, with its rows and their number in all; NULL where it did not come. */
const struct tk_table *tk_gather_table(const struct tk_gather *g, const char *name,
                                       const struct tk_gathered **kept, size_t *n_rows);

/* A cell of one of its rows, TK_NONE where there is no such column or row. */
const struct tk_cell *tk_gather_cell(const struct tk_gathered *kept, size_t row, const char *column);

/* The integer in it, or 0. */
int64_t tk_gather_int(const struct tk_gathered *kept, size_t row, const char *column);

#endif
