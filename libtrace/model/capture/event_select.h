/*
 * Selecting events by thread and time. Those of no thread are left out where threads are selected; those
 * without a time of their own are selected by where they stand (struct tk_fact_record).
 */
#ifndef TK_MODEL_CAPTURE_EVENT_SELECT_H
#define TK_MODEL_CAPTURE_EVENT_SELECT_H

#include "query/context_cells.h"

/* Zero-initialise to begin. */
struct tk_event_select {
    bool asked, wanted; /* is the thread of the event before selected? */
    uint32_t thread;
};

/* Is the event of a TK_FACT_RECORD selected? */
bool tk_event_select_has(struct tk_event_select *s, const struct tk_query_context *view,
                         const struct tk_fact *fact);

#endif
