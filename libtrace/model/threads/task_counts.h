/*
 * Task counts: counters that follow from what happens to tasks (events 7.1): how many wait, run and are
 * alive, and how long the latest of them waited and ran. They change when a stage is recorded, also for the
 * stages before it that never were (task_list.h).
 */
#ifndef TK_MODEL_TASKS_TASK_COUNTS_H
#define TK_MODEL_TASKS_TASK_COUNTS_H

#include "model/threads/task_list.h"

enum tk_task_count {
    TK_TASKS_WAITING,         /* launched, not scheduled */
    TK_TASKS_SCHEDULED,       /* scheduled for any thread, not started */
    TK_TASKS_NAMED_SCHEDULED, /* the same for a certain thread */
    TK_TASKS_RUNNING,         /* started, not finished */
    TK_TASKS_LATENCY,         /* ms from scheduled to started, of the latest that started */
    TK_TASKS_EXECUTION,       /* ms from started to finished, of the latest that finished */
    TK_TASKS_ALIVE,           /* created, not destroyed */
    TK_TASKS_ALIVE_BYTES,
    TK_TASKS_COUNTS
};

/* Name, unit and type of each; ids are those above. */
extern const struct tk_fact_counter tk_task_counters[TK_TASKS_COUNTS];

struct tk_task_counts {
    struct tk_task_list list;
    int (*changed)(void *ctx, const struct tk_fact *fact); /* 0, or negative if out of memory */
    void *ctx;
};

/* changed gets each change as a fact of a counter's value, its op and number set. 0, or -1 if out of
 * memory. */
int tk_task_counts_init(struct tk_task_counts *t, const struct tk_query_context *view,
                        int (*changed)(void *ctx, const struct tk_fact *fact), void *ctx);

/* Takes a fact; ignores others than TASK. 0, or -1 if out of memory. */
int tk_task_counts_feed(struct tk_task_counts *t, const struct tk_fact *fact);

/* All is read: notes what was wrong. 0, or -1 if out of memory. */
int tk_task_counts_finish(struct tk_task_counts *t);

void tk_task_counts_release(struct tk_task_counts *t);

#endif
