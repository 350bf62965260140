/*
 * Lane cursors by their place in the file: the one whose head comes first is on top.
 */
#ifndef TK_UTRACE_CURSOR_HEAP_H
#define TK_UTRACE_CURSOR_HEAP_H

#include "utrace/cursor_lane.h"

struct tk_ut_cursor_heap {
    struct tk_ut_lane_cursor **v; /* owned; room for all lanes; v[0] is the first in the file */
    size_t n;
};

void tk_ut_cursor_heap_push(struct tk_ut_cursor_heap *h, struct tk_ut_lane_cursor *c);

/* Takes the cursor at index i out. */
struct tk_ut_lane_cursor *tk_ut_cursor_heap_take(struct tk_ut_cursor_heap *h, size_t i);

#endif
