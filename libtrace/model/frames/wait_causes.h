/*
 * Wait causes: what the capture records of the tasks and locks that threads waited for in frames that are
 * marked, to say what a waiting thread waited for. Only what happens in those frames is kept.
 */
#ifndef TK_MODEL_HITCHES_WAIT_CAUSES_H
#define TK_MODEL_HITCHES_WAIT_CAUSES_H

#include "model/frames/frame_classes.h"

#define TK_WAIT_CAUSE_FACTS (TK_FACT_MASK(TASK) | TK_FACT_MASK(TASK_WAIT) | TK_FACT_MASK(LOCK))

/* Something that happened in a hitch. */
struct tk_wait_event {
    int64_t time;
    uint64_t task; /* of a wait: the first task; 0 at its end. Of a lock: its id */
    const struct tk_str *name;
    uint32_t mark, thread;
    uint32_t other; /* of an end of a wait, when all is read: place of its begin; TK_WAIT_NONE: not there */
    uint8_t what;   /* enum tk_task_what, or one of TK_WAIT_... */
};

#define TK_WAIT_BEGIN 64u
#define TK_WAIT_END   65u
#define TK_WAIT_LOCK  66u /* and more: enum tk_lock_what */
#define TK_WAIT_NONE  (UINT32_MAX - 1)

/* Zero-initialise to begin. */
struct tk_wait_causes {
    TK_VEC(struct tk_wait_event) v; /* as they came; sorted by tk_wait_causes_finish */
    bool any;                       /* the capture tells of waits for tasks at all */
};

/* What a thread waited for longest in a hitch. */
struct tk_wait_cause {
    bool lock; /* not a task */
    uint64_t task;
    const struct tk_str *name; /* NULL: not told in the frame */
    uint32_t thread;           /* that ran the task or held the lock; TK_NO_THREAD: not told in the frame */
    int64_t waited;            /* cycles */
};

/* Takes a fact; ignores others than TK_WAIT_CAUSE_FACTS. 0, or -1 without memory. */
int tk_wait_causes_feed(struct tk_wait_causes *c, const struct tk_frame_classes *marks,
                        const struct tk_fact *fact);

/* To be called when all is read. 0, or -1 without memory. */
int tk_wait_causes_finish(struct tk_wait_causes *c);

/* false: the capture does not tell. */
bool tk_wait_causes_find(const struct tk_wait_causes *c, uint32_t mark, uint32_t thread,
                         struct tk_wait_cause *out);

void tk_wait_causes_release(struct tk_wait_causes *c);

#endif
