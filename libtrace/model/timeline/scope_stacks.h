/*
 * Stacks of scopes, named, for profiles: the call tree in the words of table/stacks.h.
 */
#ifndef TK_MODEL_TIMELINE_SCOPE_STACKS_H
#define TK_MODEL_TIMELINE_SCOPE_STACKS_H

#include "query/builder.h"
#include "table/stacks.h"

struct tk_stacks_request {
    struct tk_stacks *stacks; /* borrowed: filled when all is read; begins empty */
    bool per_thread;          /* threads and queues of the GPU each below a name of its own */
};

/*
 * The builder that fills stacks; its table has no rows. Calls are those of `tree`, and those of the GPU:
 * scopes without an end are in no sum. Scopes that touch the selection count whole, or cut to it where the
 * query clips; timers that are not selected are left out, their own time is that of who called them. Borrows
 * the request.
 */
struct tk_builder tk_stacks_builder(struct tk_stacks_request *request);

#endif
