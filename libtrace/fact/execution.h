/*
 * Facts about how work gets onto cores: tasks, context switches, stack samples and locks. See fact/fact.h for
 * what holds of all facts.
 */
#ifndef TK_FACT_EXECUTION_H
#define TK_FACT_EXECUTION_H

#include "tracekit.h"

enum tk_task_what {
    TK_TASK_CREATED,
    TK_TASK_LAUNCHED,
    TK_TASK_SCHEDULED, /* all it waited for is done */
    TK_TASK_STARTED,
    TK_TASK_FINISHED,
    TK_TASK_COMPLETED, /* with all that is nested in it */
    TK_TASK_DESTROYED,
    TK_TASK_STAGES,
    TK_TASK_SUBSEQUENT = TK_TASK_STAGES, /* task `other` waits for it */
    TK_TASK_NESTED                       /* task `other` is nested in it */
};

/* Something happens to a task, a piece of work that a scheduler runs. */
struct tk_fact_task {
    uint64_t id, other;
    uint64_t bytes;            /* CREATED, LAUNCHED: what it occupies; 0: not known */
    const struct tk_str *name; /* LAUNCHED */
    int32_t target;            /* LAUNCHED: code of the thread that is to run it; negative: any of a pool */
    uint8_t what;              /* enum tk_task_what */
    bool tracked;              /* LAUNCHED: it counts as schedulable work */
};

/* A thread begins or ends to wait for tasks. */
struct tk_fact_task_wait {
    const uint64_t *tasks; /* batch, n ids; none at an end */
    uint32_t n;
    bool begin;
};

/* A thread of the operating system ran on a core from `time` to `end`. */
struct tk_fact_switch {
    uint64_t system_id;
    int64_t end;
    uint32_t core;
};

/* The name of a thread of the operating system, perhaps of another process. */
struct tk_fact_system_thread {
    uint64_t system_id, process_id;
    const struct tk_str *name;
};

/* What a thread of the operating system was executing at `time`, innermost first: where it was, exactly, and
 * return addresses. The first address below those of the kernel, whose top bit is set, is exact, too. */
struct tk_fact_sample {
    uint64_t system_id;
    const uint64_t *addresses; /* batch, n */
    uint32_t n;
    uint32_t callstack; /* id of TK_FACT_CALLSTACK, which has the addresses; 0: they are here */
};

enum tk_hardware_event {
    TK_HARDWARE_CYCLES,
    TK_HARDWARE_RETIRED, /* instructions */
    TK_HARDWARE_CACHE_REFERENCES,
    TK_HARDWARE_CACHE_MISSES,
    TK_HARDWARE_BRANCHES, /* retired */
    TK_HARDWARE_BRANCH_MISSES,
    TK_HARDWARE_EVENTS
};

/* A counter of the processor ran over, by as many events as for every other sample, at an instruction. */
struct tk_fact_hardware {
    uint64_t address;
    uint8_t event; /* enum tk_hardware_event */
};

enum tk_lock_what { TK_LOCK_REQUESTED, TK_LOCK_OBTAINED, TK_LOCK_RELEASED };

/* The thread of the fact asks for a lock, gets it or gives it back. */
struct tk_fact_lock {
    uint64_t id;               /* locks of one name; 0 where there is only one */
    const struct tk_str *name; /* NULL: not known */
    uint8_t what;              /* enum tk_lock_what */
    bool write;                /* REQUESTED: for itself alone */
};

#endif
