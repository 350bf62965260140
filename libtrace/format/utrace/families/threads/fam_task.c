/*
 * Tasks (events 7.1).
 */
#include "format/utrace/feed/family_list.h"

#define NO_TASK UINT64_MAX

enum { TIME, TASK, OTHER, SIZE = OTHER, NAME, TRACKED, TARGET };

static struct tk_fact fact_of(const struct tk_ut_feed *feed, const struct tk_ut_event *ev,
                              enum tk_task_what what)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_TASK, tk_ut_since(feed, tk_ut_u64(ev, TIME)));
    fact.u.task = (struct tk_fact_task){.id = tk_ut_u64(ev, TASK), .what = (uint8_t)what};
    return fact;
}

static int say_task(struct tk_ut_feed *feed, const struct tk_fact *fact)
{
    if (fact->u.task.id == NO_TASK || !tk_ut_requested(feed, TK_FACT_MASK(TASK)))
        return TK_OK;
    return tk_ut_emit(feed, fact);
}

static int on_created(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = fact_of(feed, ev, TK_TASK_CREATED);
    (void)state;
    fact.u.task.bytes = tk_ut_u64(ev, SIZE);
    return say_task(feed, &fact);
}

static int on_launched(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = fact_of(feed, ev, TK_TASK_LAUNCHED);
    struct tk_fact_task *task = &fact.u.task;
    (void)state;
    task->bytes = tk_ut_u64(ev, SIZE);
    task->name = tk_ut_str(feed, ev, NAME, 2);
    task->tracked = !tk_ut_has(ev, TRACKED) || tk_ut_u64(ev, TRACKED);
    task->target = (int32_t)tk_ut_u64(ev, TARGET);
    return task->name ? say_task(feed, &fact) : TK_ENOMEM;
}

static int say_stage(struct tk_ut_feed *feed, const struct tk_ut_event *ev, enum tk_task_what what)
{
    struct tk_fact fact = fact_of(feed, ev, what);
    return say_task(feed, &fact);
}

static int on_scheduled(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_stage(feed, ev, TK_TASK_SCHEDULED);
}

static int on_started(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_stage(feed, ev, TK_TASK_STARTED);
}

static int on_finished(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_stage(feed, ev, TK_TASK_FINISHED);
}

static int on_completed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_stage(feed, ev, TK_TASK_COMPLETED);
}

static int on_destroyed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_stage(feed, ev, TK_TASK_DESTROYED);
}

static int say_link(struct tk_ut_feed *feed, const struct tk_ut_event *ev, enum tk_task_what what)
{
    struct tk_fact fact = fact_of(feed, ev, what);
    fact.u.task.other = tk_ut_u64(ev, OTHER);
    return fact.u.task.other == NO_TASK ? TK_OK : say_task(feed, &fact);
}

static int on_subsequent(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_link(feed, ev, TK_TASK_SUBSEQUENT);
}

static int on_nested(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    (void)state;
    return say_link(feed, ev, TK_TASK_NESTED);
}

/* ---- waiting ---- */

enum { WAIT_TIME, WAIT_TASKS };

static int on_wait_begin(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact =
        tk_ut_fact(feed, ev, TK_FACT_TASK_WAIT, tk_ut_since(feed, tk_ut_u64(ev, WAIT_TIME)));
    struct tk_fact_task_wait *wait = &fact.u.task_wait;
    (void)state;
    if (!tk_ut_requested(feed, TK_FACT_MASK(TASK_WAIT)))
        return TK_OK;
    wait->begin = true;
    wait->tasks = tk_ut_u64s(ev, WAIT_TASKS, &feed->out->arena, &wait->n);
    return wait->tasks ? tk_ut_emit(feed, &fact) : TK_ENOMEM;
}

static int on_wait_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact =
        tk_ut_fact(feed, ev, TK_FACT_TASK_WAIT, tk_ut_since(feed, tk_ut_u64(ev, WAIT_TIME)));
    (void)state;
    fact.u.task_wait = (struct tk_fact_task_wait){0};
    return tk_ut_requested(feed, TK_FACT_MASK(TASK_WAIT)) ? tk_ut_emit(feed, &fact) : TK_OK;
}

#define STAGE                                                                                                \
    {                                                                                                        \
        "Timestamp", "TaskId"                                                                                \
    }

static const struct tk_ut_bind binds[] = {
    {"TaskTrace.Created", on_created, false, {"Timestamp", "TaskId", "TaskSize"}},
    {"TaskTrace.Launched",
     on_launched,
     false,
     {"Timestamp", "TaskId", "TaskSize", "DebugName", "Tracked", "ThreadToExecuteOn"}},
    {"TaskTrace.Scheduled", on_scheduled, false, STAGE},
    {"TaskTrace.Started", on_started, false, STAGE},
    {"TaskTrace.Finished", on_finished, false, STAGE},
    {"TaskTrace.Completed", on_completed, false, STAGE},
    {"TaskTrace.Destroyed", on_destroyed, false, STAGE},
    {"TaskTrace.SubsequentAdded", on_subsequent, false, {"Timestamp", "TaskId", "SubsequentId"}},
    {"TaskTrace.NestedAdded", on_nested, false, {"Timestamp", "TaskId", "NestedId"}},
    {"TaskTrace.WaitingStarted", on_wait_begin, false, {"Timestamp", "Tasks"}},
    {"TaskTrace.WaitingFinished", on_wait_end, false, {"Timestamp"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_task = {
    .name = "task", .facts = TK_FACT_MASK(TASK) | TK_FACT_MASK(TASK_WAIT), .binds = binds};
