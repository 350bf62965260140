/*
 * Wait chains: what the capture records of who waited for whom, for tasks and for locks, and from a wait the
 * one of the thread that it was for.
 */
#ifndef TK_MODEL_BOUNDS_WAIT_CHAINS_H
#define TK_MODEL_BOUNDS_WAIT_CHAINS_H

#include "base/hash.h"
#include "fact/fact.h"
#include "base/health/row_limit.h"
#include "query/dict.h"

#define TK_WAIT_CHAIN_FACTS (TK_FACT_MASK(TASK) | TK_FACT_MASK(TASK_WAIT) | TK_FACT_MASK(LOCK))

/* A wait of a thread, and for whom. */
struct tk_chain_wait {
    int64_t begin, end;        /* cycles since the start; end INT64_MAX: not told */
    uint64_t id;               /* of the task or lock */
    const struct tk_str *name; /* NULL: not told */
    uint32_t thread;
    uint32_t target; /* that ran the task or held the lock; TK_NO_THREAD: not told */
    uint32_t around; /* place of the wait that it happened in, one more; 0: none */
    bool lock;
};

/* Something that happened, until all is sorted out. */
struct tk_chain_event {
    int64_t time;
    uint64_t id;
    const struct tk_str *name;
    uint32_t thread;
    uint8_t what; /* enum tk_task_what, or one of those in wait_chains.c */
};

/* Zero-initialise, then set room. */
struct tk_wait_chains {
    TK_VEC(struct tk_chain_event) events;
    TK_VEC(struct tk_chain_wait) v; /* when all is read: by thread and begin */
    struct tk_row_limit room;
};

/* Takes a fact; ignores others than TK_WAIT_CHAIN_FACTS. 0, or -1 without memory. */
int tk_wait_chains_feed(struct tk_wait_chains *c, const struct tk_fact *fact);

/* To be called when all is read. 0, or -1 without memory. */
int tk_wait_chains_settle(struct tk_wait_chains *c);

/* The wait of a thread that has most of an interval, cycles since the start; NULL: there is none. */
const struct tk_chain_wait *tk_wait_chains_longest(const struct tk_wait_chains *c, uint32_t thread,
                                                   int64_t from, int64_t to);

#define TK_WAIT_LEAST_PART 1000 /* of the interval that a wait has to have to be told */
#define TK_WAIT_LOOK_BACK  64u  /* waits that began so many places before may still go on */
#define TK_WAIT_TIME       32   /* bytes of the text of a time */

/* "5.204 ms", "25.3 us". */
void tk_wait_time_text(int64_t ns, char text[TK_WAIT_TIME]);

#define TK_CHAIN_TEXT 512 /* bytes of the text of a chain */

/*
 * What a thread waited for in an interval, what the one waited for that it waited for, and so on: "GameThread
 * 5 ms for task Bake on Worker; Worker 3 ms for lock scene held by Loader". The length, 0 where there is no
 * wait.
 */
size_t tk_wait_chains_tell(const struct tk_wait_chains *c, const struct tk_dict *dict, uint32_t thread,
                           int64_t from, int64_t to, char text[TK_CHAIN_TEXT]);

void tk_wait_chains_release(struct tk_wait_chains *c);

#endif
