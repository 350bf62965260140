/*
 * Latest times: where events stand in time that have no time of their own. Such an event is selected by the
 * latest time of its thread, the start of the capture where there is none yet. Events are selected by thread,
 * too; those of no thread are left out where threads are selected.
 */
#ifndef TK_MODEL_CAPTURE_EVENT_LATEST_H
#define TK_MODEL_CAPTURE_EVENT_LATEST_H

#include "base/hash.h"
#include "base/vec.h"
#include "query/context_cells.h"

/* Zero-initialise to begin. */
struct tk_event_latest {
    struct tk_map index; /* thread -> index in times */
    TK_VEC(int64_t) times;
    bool asked, wanted; /* is the thread of the event before selected? */
    uint32_t thread;
};

/* Is the event of a TK_FACT_RECORD selected by thread and time? Must be asked of all events in order. 1, 0,
 * or TK_ENOMEM. */
int tk_event_latest_has(struct tk_event_latest *latest, const struct tk_query_context *view,
                        const struct tk_fact *fact);

void tk_event_latest_release(struct tk_event_latest *latest);

#endif
