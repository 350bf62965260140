/*
 * What a reading learns of each batch before its tables are given it: times, threads, and the names of
 * events. Private to capture_reading.c.
 */
#ifndef TK_ENGINE_SEEN_FACTS_H
#define TK_ENGINE_SEEN_FACTS_H

#include "query/context.h"

struct tk_seen {
    struct tk_query_context *view;        /* borrowed; its first and last time are kept up to date */
    struct tk_dict *dict;                 /* borrowed; gets the threads that nobody defined */
    uint32_t thread;                      /* the last one that was made known; TK_NO_THREAD: none yet */
    TK_VEC(struct tk_scope_run) runs;     /* of the batch, where queues are left out of it */
    TK_VEC(const struct tk_str *) events; /* names of those there are, where there are patterns for them */
};

/* Something lies at `first` to `last` cycles: the times of the view reach as far, at least. */
void tk_seen_times(struct tk_query_context *view, int64_t first, int64_t last);

/* Looks at a batch. TK_OK or TK_ENOMEM. */
int tk_seen_facts(struct tk_seen *seen, const struct tk_batch *batch, struct tk_err *err);

/* Makes *out the batch without the scopes of queues that are not selected, as sources do for threads. It
 * borrows from both, until the next call. TK_OK or TK_ENOMEM. */
int tk_seen_select(struct tk_seen *seen, const struct tk_batch *batch, struct tk_batch *out,
                   struct tk_err *err);

/* Frees what it holds, not what it borrows. */
void tk_seen_release(struct tk_seen *seen);

#endif
