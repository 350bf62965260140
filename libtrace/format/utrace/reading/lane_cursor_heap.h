/*
 * Lane cursors by a key, as their place in the file: one with the least is on top. A cursor is in one heap at
 * a time.
 */
#ifndef TK_FORMAT_UTRACE_READING_LANE_CURSOR_HEAP_H
#define TK_FORMAT_UTRACE_READING_LANE_CURSOR_HEAP_H

#include "format/utrace/reading/lane_cursor.h"

struct tk_ut_cursor_keyed {
    uint64_t key;
    struct tk_ut_lane_cursor *cursor; /* borrowed */
};

struct tk_ut_cursor_heap {
    struct tk_ut_cursor_keyed *v; /* owned; room for all lanes; v[0] has the least key */
    size_t n;
};

void tk_ut_cursor_heap_push(struct tk_ut_cursor_heap *h, struct tk_ut_lane_cursor *c, uint64_t key);

/* Takes the cursor at index i out. */
struct tk_ut_lane_cursor *tk_ut_cursor_heap_take(struct tk_ut_cursor_heap *h, size_t i);

#endif
