/*
 * A timeline as a .tracy: threads become threads with zones, queues contexts of the GPU, counters plots,
 * marks messages, frames and regions frame sets. export_timeline.c feeds it.
 *
 *     rc = tk_tracy_sink_open(&t, "out.tracy", force, NULL, &err);
 *     struct tk_timeline_sink sink = tk_tracy_sink(t);
 *     ... the timeline, finish included
 *     rc = rc == TK_OK ? tk_tracy_sink_commit(t, &about, &err) : rc;
 *     tk_tracy_sink_close(t);
 */
#ifndef TK_EXPORT_TRACY_FILE_TRACY_SINK_H
#define TK_EXPORT_TRACY_FILE_TRACY_SINK_H

#include "table/timeline.h"

struct tk_tracy_sink;

/* What the file says of the capture alongside the timeline. Borrowed. */
struct tk_tracy_about {
    const char *name;    /* of the capture, as a file */
    const char *program; /* "" where it is not known */
};

/* Begins the output; scratch is the folder of temporary files (NULL: TMPDIR, else /tmp). TK_OK, TK_EOUTPUT,
 * TK_ENOMEM. */
int tk_tracy_sink_open(struct tk_tracy_sink **out, const char *path, bool force, const char *scratch,
                       struct tk_err *err);

struct tk_timeline_sink tk_tracy_sink(struct tk_tracy_sink *t);

/* Gives it what was gathered alongside the timeline (tracy_events.h), which it owns from then on. */
struct tk_ts_events;
void tk_tracy_sink_events(struct tk_tracy_sink *t, struct tk_ts_events *events);

/* Writes the file and gives it its name. */
int tk_tracy_sink_commit(struct tk_tracy_sink *t, const struct tk_tracy_about *about, struct tk_err *err);

/* Steps of locks that were left out when it was written, for a .tracy has space for so many locks and so many
 * threads of each. Alongside them arrows between threads, and names of zones of the GPU beyond their
 * locations, have no place in any. */
uint64_t tk_tracy_sink_left_out(const struct tk_tracy_sink *t);

/* Zones of the GPU whose text, or own name where the file has no location left for it, has no place in it. */
uint64_t tk_tracy_sink_bare(const struct tk_tracy_sink *t);

/* Once it was written: messages with a severity that the version of the file cannot hold, or with a
 * category or place in the code, which none has. */
uint64_t tk_tracy_sink_bare_messages(const struct tk_tracy_sink *t);

/* NULL is allowed; what is not committed is thrown away. */
void tk_tracy_sink_close(struct tk_tracy_sink *t);

#endif
