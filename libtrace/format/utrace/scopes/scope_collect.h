/*
 * Scopes of a reading: collects CPU batches and stamped scopes lane by lane while records are parsed, has the
 * batches decoded by the pool's workers, and joins both kinds to scope runs (events 2.3, 2.5). Scopes
 * of GPU queues are lanes alongside those of threads.
 *
 * Both writers of a thread are in time order by themselves, but a batch comes in the stream after its
 * contents in time: a stamped record waits until a batch entry at or after its time shows its place.
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_SCOPE_COLLECT_H
#define TK_FORMAT_UTRACE_SCOPES_SCOPE_COLLECT_H

#include "format/utrace/feed/family.h"

struct tk_ut_scopes;

int tk_ut_scopes_open(struct tk_ut_scopes **out, struct tk_ut_capture *capture);
void tk_ut_scopes_close(struct tk_ut_scopes *s);

/* Stamped scopes (tk_ut_handler), and bytes that are missing on a lane. */
int tk_ut_scopes_enter(struct tk_ut_feed *feed, struct tk_ut_lane *lane, const struct tk_ut_type *type,
                       int64_t time);
int tk_ut_scopes_leave(struct tk_ut_feed *feed, struct tk_ut_lane *lane, int64_t time);

/* The text of the scope around a stamped event that is being handled. TK_OK or TK_ENOMEM. */
int tk_ut_scopes_text(struct tk_ut_feed *feed, const struct tk_ut_event *ev, const struct tk_str *text);

int tk_ut_scopes_cut(struct tk_ut_feed *feed, struct tk_ut_lane *lane);

/* An op of a lane of a GPU queue, in the order in which it is to be worked off. */
int tk_ut_scopes_queue(struct tk_ut_feed *feed, uint8_t kind, uint32_t queue, int64_t time, uint32_t op);

/* A batch of a form (1, 2, 3) of a thread. ev says where for notes. */
int tk_ut_scopes_batch(struct tk_ut_feed *feed, uint32_t thread, int form, const struct tk_ut_event *ev,
                       const struct tk_bytes *bytes);

/* The thread writes no batches from here on. */
int tk_ut_scopes_end(struct tk_ut_feed *feed, uint32_t thread);

/* Makes runs of all that was collected since the last call, in feed->out. last: nothing comes after. */
int tk_ut_scopes_runs(struct tk_ut_feed *feed, bool last);

#endif
