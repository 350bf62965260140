/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_MODEL_CAPTURE_CAPTURE_IN_H
#define TK_MODEL_CAPTURE_CAPTURE_IN_H

#include "query/context.h"
#include "query/context_cells.h"

#include <string.h>

/*
 * Selecting events by thread and time. Those of no thread are left out where threads are selected; those
 * without a time of their own are selected by where they stand (struct tk_fact_record).
 */

/* Zero-initialise to begin. */
struct tk_event_select {
    bool requested, wanted; /* is the thread of the event before selected? */
    uint32_t thread;
};

/* Is the event of a TK_FACT_RECORD selected? */
bool tk_event_select_has(struct tk_event_select *s, const struct tk_query_context *view,
                         const struct tk_fact *fact);

/*
 * Session value: what the recording says of itself under a key.
 */

/* The value of a key; no value where the session does not have it. Lives as long as the capture. */
static inline struct tk_cell tk_session_value(const struct tk_dict *dict, const char *key)
{
    for (size_t i = 0; i < dict->session.n; i++) {
        const struct tk_str *name = dict->session.v[i].key;
        if (name->n == strlen(key) && memcmp(name->p, key, name->n) == 0)
            return dict->session.v[i].value;
    }
    return (struct tk_cell){.kind = TK_NONE};
}

#endif
