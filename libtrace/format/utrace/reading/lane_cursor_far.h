/*
 * Lanes whose place in the file has not come near (wire 4): by that place, and by the serial numbers of their
 * heads, so that none of them has to be looked at to know which one has a certain number.
 */
#ifndef TK_FORMAT_UTRACE_READING_LANE_CURSOR_FAR_H
#define TK_FORMAT_UTRACE_READING_LANE_CURSOR_FAR_H

#include "format/utrace/reading/lane_cursor_heap.h"

struct tk_ut_cursor_far {
    struct tk_ut_cursor_heap heap;
    struct tk_ut_lane_cursor **chains; /* by serial number, its low bits; linked by far_next; owned */
    size_t mask;                       /* number of chains - 1 */
};

/* Room for n lanes. 0, or -1 if out of memory; release in both cases. */
int tk_ut_cursor_far_init(struct tk_ut_cursor_far *f, size_t n);
void tk_ut_cursor_far_release(struct tk_ut_cursor_far *f);

/* Its head has a serial number, and stays the head until the lane is taken out. */
void tk_ut_cursor_far_push(struct tk_ut_cursor_far *f, struct tk_ut_lane_cursor *c);

/* The lane that comes first in the file, or NULL; tk_ut_cursor_far_take takes it out. */
static inline struct tk_ut_lane_cursor *tk_ut_cursor_far_first(const struct tk_ut_cursor_far *f)
{
    return f->heap.n ? f->heap.v[0].cursor : NULL;
}

void tk_ut_cursor_far_take(struct tk_ut_cursor_far *f, struct tk_ut_lane_cursor *c);

/* Of the lanes whose head has this serial number, as stored, the one that comes first in the file; or NULL.
 */
struct tk_ut_lane_cursor *tk_ut_cursor_far_with(const struct tk_ut_cursor_far *f, uint32_t serial);

#endif
