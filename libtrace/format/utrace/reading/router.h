/*
 * Router: knows which families want which types, and hands them the events of the lanes.
 */
#ifndef TK_FORMAT_UTRACE_READING_ROUTER_H
#define TK_FORMAT_UTRACE_READING_ROUTER_H

#include "format/utrace/feed/family.h"

/* Who wants a type? Resolves routes up to all types declared. */
int tk_ut_feed_resolve(struct tk_ut_feed *feed);

/* Bits TK_UT_WANT_... of a type, for tk_ut_decoder.want. */
uint8_t tk_ut_feed_wants(const struct tk_ut_feed *feed, uint32_t type);

/* Does any family want, in this reading, events that stand on tid 1? */
bool tk_ut_feed_wants_important(const struct tk_ut_feed *feed);

/* Who handles plain events of a type in place of tk_ut_feed_event. */
struct tk_ut_quick {
    tk_ut_quick_fn *fn;
    void *state;
    struct tk_ut_quick_field fields[TK_UT_BIND_FIELDS];
};

/* Is there one? Not where somebody else wants the events, too, or more of them than these fields. */
bool tk_ut_feed_quick(const struct tk_ut_feed *feed, const struct tk_ut_type *type, struct tk_ut_quick *out);

/* tk_ut_handler hooks; self is the feed. */
int tk_ut_feed_event(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev);
int tk_ut_feed_enter(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time);
int tk_ut_feed_leave(void *self, struct tk_ut_lane *lane, int64_t time);
int tk_ut_feed_cut(void *self, struct tk_ut_lane *lane);
int tk_ut_feed_scope_end(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type);

/* The part of tk_ut_feed_cut that keeps its place among the events of the lane: families. */
int tk_ut_feed_cut_families(struct tk_ut_feed *feed, uint32_t tid);

/* Events with these numbers are lost: says so where it is asked for. */
int tk_ut_feed_gap(struct tk_ut_feed *feed, enum tk_fact_kind kind, uint64_t first, uint64_t last);

/* Tells families that events are lost here. In readings in order of serial. */
int tk_ut_feed_gap_families(struct tk_ut_feed *feed);

/* The end of a reading: lets families finish. */
int tk_ut_feed_finish(struct tk_ut_feed *feed);

void tk_ut_feed_release(struct tk_ut_feed *feed);

#endif
