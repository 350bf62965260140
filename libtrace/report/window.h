/*
 * Windows: the scopes of all threads and GPU queues around a hitch, for its timeline and flame graph.
 * report.c asks for one after the other.
 */
#ifndef TK_REPORT_WINDOW_H
#define TK_REPORT_WINDOW_H

#include "page/markup.h"

/* Scopes of a window that are kept: the longest. */
enum { TK_WINDOW_SCOPES = 6000 };

struct tk_window {
    uint64_t frame;
    int64_t from, to;   /* of the window, in nanoseconds */
    int64_t begin, end; /* of the frame */
};

/* Reads a window, with what the query selects besides, and appends it as JSON. As tk_query_run. */
int tk_window_put(const struct tk_window *window, struct tk_trace *trace, const struct tk_query *query,
                  struct tk_markup *m, struct tk_err *err);

#endif
