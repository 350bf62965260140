/*
 * Do the times of CPU batches hold together? Each batch begins with a time of its own, so a time that was
 * changed on its way shows: it is beyond the first time of the thread's next batch, or far beyond the end of
 * all other threads, of which some wrote later. Such a batch is left out from that entry on (events 2.3). A
 * thread that also writes last may live on for long: that is only noted.
 *
 * A batch is compared with the two that follow it. Where the stretch ends before they come and the batch is
 * beyond what other threads have reached, it waits in its lane: for its successor, for the other threads, or
 * for the end of the capture.
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_BATCH_TIMES_H
#define TK_FORMAT_UTRACE_SCOPES_BATCH_TIMES_H

#include "format/utrace/scopes/scope_internal.h"

/* The first time of a batch, in cycles since the start. */
int64_t tk_ut_batch_times_begin(const struct tk_ut_scopes *s, int form, const struct tk_bytes *bytes);

/* A batch comes: what it begins with tells how far the threads are. */
void tk_ut_batch_times_came(struct tk_ut_scopes *s, struct tk_ut_scope_lane *lane, int64_t begin);

/* Before a stretch is decoded: keeps batches back whose times nothing vouches for yet, and lets go of those
 * that waited. last: nothing comes after. TK_OK or TK_ENOMEM. */
int tk_ut_batch_times_hold(struct tk_ut_feed *feed, bool last);

/* After it: leaves out what cannot be. TK_OK or TK_ENOMEM. */
int tk_ut_batch_times_check(struct tk_ut_feed *feed, bool last);

/* The last time of a thread, of any kind of scopes; INT64_MIN: it has none. */
int64_t tk_ut_batch_times_end(const struct tk_ut_scope_lane *lane);

/* How far beyond the end of all others, in cycles, a thread may go; UINT64_MAX where nothing says. */
uint64_t tk_ut_batch_times_far(const struct tk_ut_scopes *s, int64_t others);

/* Did other threads write scopes behind this offset? Theirs are earlier: so no time there can be far later.
 */
bool tk_ut_batch_times_refuted(const struct tk_ut_scopes *s, const struct tk_ut_scope_lane *lane,
                               uint64_t offset);

/* Notes that a thread goes on far beyond the end of all others, and nothing refutes that. */
void tk_ut_batch_times_lives_on(struct tk_ut_feed *feed, const struct tk_ut_scope_lane *lane,
                                uint64_t offset);

/* The batch that a lane keeps back goes to the chunks of this stretch. TK_OK or TK_ENOMEM. */
int tk_ut_batch_times_release(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane);

#endif
