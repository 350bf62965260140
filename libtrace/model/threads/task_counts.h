/*
 * Task counts: counters that follow from what happens to tasks (events 7.1): how many wait, run and are
 * alive, and how long the latest of them waited and ran. They change when a stage is recorded, also for the
 * stages before it that never were.
 */
#ifndef TK_MODEL_THREADS_TASK_COUNTS_H
#define TK_MODEL_THREADS_TASK_COUNTS_H

#include "base/record_map.h"
#include "base/wrap.h"
#include "query/context.h"

/*
 * Task list: puts the life of each task together from what happens to it (events 7.1), and hands
 * it on when nothing more is to be expected. Only tasks that are alive are kept (limit `tasks`).
 *
 * Stages that the capture does not record come from later ones, so that a task goes through all of them; a
 * stage that is recorded after all replaces the synthesized one. Without that it was launched nothing of a
 * task counts.
 */

#define TK_TASK_FACTS (TK_FACT_MASK(TASK) | TK_FACT_MASK(GAP))

/* Destroyed tasks that are still kept, as stages may be reported a bit late. */
#define TK_TASK_LINGER 4096u

struct tk_task_life {
    uint64_t id, bytes;
    const struct tk_str *name;
    int64_t time[TK_TASK_STAGES];    /* cycles since the start, of the stages that are known */
    uint32_t thread[TK_TASK_STAGES]; /* on which each happened */
    uint8_t known, reported;         /* bit i: stage i; known by the capture */
    bool tracked;
    int32_t target;
    uint32_t prerequisites, subsequents, nested; /* tasks that it waits for, that wait for it, inside of it */

    /* The longest chain of tasks, each of which had run before the next one began that waited for it, up to
     * those that this one waited for: time that they ran together, and how many they are. */
    int64_t before;
    uint32_t before_length;

    uint64_t gaps;            /* places where events were lost, before the last stage that was reported */
    uint32_t links, links_in; /* of the list: first of those that wait for it, that it waits for */
    bool ended;               /* it has run, and its chain was handed on */
    bool lingers;
};

/* Time from a stage to the next one; both must be known. */
static inline int64_t tk_task_span(const struct tk_task_life *task, enum tk_task_what from)
{
    return tk_wrap_sub(task->time[from + 1], task->time[from]);
}

/* Time of the longest chain that ends with a task. Of one that has ended. */
static inline int64_t tk_task_chain(const struct tk_task_life *task)
{
    int64_t run = tk_task_span(task, TK_TASK_STARTED);
    return tk_wrap_add(task->before, run > 0 ? run : 0);
}

static inline bool tk_task_knows(const struct tk_task_life *task, enum tk_task_what stage)
{
    return task->known >> stage & 1;
}

struct tk_task_link;

struct tk_task_list {
    const struct tk_query_context *view;
    struct tk_record_map tasks; /* id -> struct tk_task_life */
    TK_VEC(struct tk_task_link) links;
    uint32_t free_link;
    TK_VEC(uint64_t) changed; /* tasks that have run, and whose chain may have become longer */
    uint64_t requested;       /* so far */
    uint64_t *lingering;      /* owned ring of ids, TK_TASK_LINGER */
    size_t linger_at;
    uint64_t base; /* the first id seen */
    bool has_base, full;
    uint64_t unmatched, gaps, torn; /* torn: tasks with stages made up that may be lost */
    int (*done)(void *ctx, const struct tk_task_life *task); /* 0, or -1 if out of memory */
    /* A stage was reported of a task, which was `before` until then. 0, or -1 if out of memory. NULL: nobody
     * requests. */
    int (*stepped)(void *ctx, const struct tk_task_life *before, const struct tk_task_life *task,
                   const struct tk_fact *fact);
    void *ctx;
};

/* done gets each task that was launched, once; ctx is handed to it. 0, or -1 if out of memory. */
int tk_task_list_init(struct tk_task_list *list, const struct tk_query_context *view,
                      int (*done)(void *ctx, const struct tk_task_life *task), void *ctx);

/* Takes a fact; ignores others than TK_TASK_FACTS. 0, or -1 if out of memory. */
int tk_task_list_feed(struct tk_task_list *list, const struct tk_fact *fact);

/* Hands on all that is left, and notes what was wrong. 0, or -1 if out of memory. */
int tk_task_list_finish(struct tk_task_list *list);

void tk_task_list_release(struct tk_task_list *list);

/* Is a task selected? By the time from launch to its last stage, and the thread that ran it (or launched it,
 * where it did not run). */
bool tk_task_selected(const struct tk_query_context *view, const struct tk_task_life *task);

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
