/*
 * Counters that follow from tasks. See task_counts.h.
 */
#include "model/threads/task_counts.h"

#include "base/wrap.h"

#define NAME(text)                                                                                           \
    &(const struct tk_str)                                                                                   \
    {                                                                                                        \
        (text), sizeof(text) - 1, TK_ENC_UTF8                                                                \
    }
#define COUNTER(...)                                                                                         \
    {                                                                                                        \
        .kind = TK_COUNTER_TASK, __VA_ARGS__                                                                 \
    }

const struct tk_fact_counter tk_task_counters[TK_TASKS_COUNTS] = {
    [TK_TASKS_WAITING] = COUNTER(.id = TK_TASKS_WAITING, .name = NAME("Tasks::WaitingForPrerequisitesTasks")),
    [TK_TASKS_SCHEDULED] = COUNTER(.id = TK_TASKS_SCHEDULED, .name = NAME("Tasks::ScheduledTasks")),
    [TK_TASKS_NAMED_SCHEDULED] =
        COUNTER(.id = TK_TASKS_NAMED_SCHEDULED, .name = NAME("Tasks::NamedThreadsScheduledTasks")),
    [TK_TASKS_RUNNING] = COUNTER(.id = TK_TASKS_RUNNING, .name = NAME("Tasks::RunningTasks")),
    [TK_TASKS_LATENCY] = COUNTER(.id = TK_TASKS_LATENCY, .name = NAME("Tasks::TaskLatency"),
                                 .unit = TK_COUNTER_CYCLES, .real = true),
    [TK_TASKS_EXECUTION] = COUNTER(.id = TK_TASKS_EXECUTION, .name = NAME("Tasks::ExecutionTime"),
                                   .unit = TK_COUNTER_CYCLES, .real = true),
    [TK_TASKS_ALIVE] = COUNTER(.id = TK_TASKS_ALIVE, .name = NAME("Tasks::AliveTasks")),
    [TK_TASKS_ALIVE_BYTES] =
        COUNTER(.id = TK_TASKS_ALIVE_BYTES, .name = NAME("Tasks::AliveTasksSize"), .unit = TK_COUNTER_BYTES),
};

struct step {
    const struct tk_task_counts *counts;
    const struct tk_task_life *before, *task;
    const struct tk_fact *fact;
};

static int say_task_counts(const struct step *s, enum tk_task_count counter, uint8_t op,
                           struct tk_number number)
{
    struct tk_fact fact = *s->fact;
    fact.u.counter_value = (struct tk_fact_counter_value){.id = counter, .op = op, .number = number};
    return s->counts->changed(s->counts->ctx, &fact);
}

static int add_task_counts(const struct step *s, enum tk_task_count counter, int64_t by)
{
    return by ? say_task_counts(s, counter, TK_COUNTER_ADD, (struct tk_number){.v.i = by}) : 0;
}

/* Is the stage known with this step, as it was not before? */
static bool reached(const struct step *s, enum tk_task_what stage)
{
    return tk_task_knows(s->task, stage) && !tk_task_knows(s->before, stage);
}

/* A task is between two stages from the one on until the other. */
static int count_between(const struct step *s, enum tk_task_count counter, enum tk_task_what from)
{
    return add_task_counts(s, counter, reached(s, from) - reached(s, from + 1));
}

/* The length of a stage that is over. */
static int set_length(const struct step *s, enum tk_task_count counter, enum tk_task_what from)
{
    uint64_t frequency = s->counts->list.view->dict->clock.frequency;
    if (!frequency || !reached(s, from + 1))
        return 0;
    double ms = (double)tk_task_span(s->task, from) * 1000.0 / (double)frequency;
    return say_task_counts(s, counter, TK_COUNTER_SET, (struct tk_number){.real = true, .v.r = ms});
}

static int64_t bytes_of(const struct tk_task_life *task)
{
    bool alive = tk_task_knows(task, TK_TASK_CREATED) && !tk_task_knows(task, TK_TASK_DESTROYED);
    return alive ? (int64_t)task->bytes : 0;
}

/* In the low byte of the target all ones stand for any thread. */
static enum tk_task_count scheduled_as(const struct tk_task_life *task)
{
    bool named = task->target >= 0 && (task->target & 0xff) != 0xff;
    return named ? TK_TASKS_NAMED_SCHEDULED : TK_TASKS_SCHEDULED;
}

static int stepped(void *ctx, const struct tk_task_life *before, const struct tk_task_life *task,
                   const struct tk_fact *fact)
{
    const struct step s = {ctx, before, task, fact};
    int64_t alive = reached(&s, TK_TASK_CREATED) - reached(&s, TK_TASK_DESTROYED);
    bool failed = count_between(&s, TK_TASKS_WAITING, TK_TASK_LAUNCHED) ||
                  count_between(&s, scheduled_as(task), TK_TASK_SCHEDULED) ||
                  count_between(&s, TK_TASKS_RUNNING, TK_TASK_STARTED) ||
                  set_length(&s, TK_TASKS_LATENCY, TK_TASK_SCHEDULED) ||
                  set_length(&s, TK_TASKS_EXECUTION, TK_TASK_STARTED) ||
                  add_task_counts(&s, TK_TASKS_ALIVE, alive) ||
                  add_task_counts(&s, TK_TASKS_ALIVE_BYTES, tk_wrap_sub(bytes_of(task), bytes_of(before)));
    return failed ? -1 : 0;
}

static int done_task_counts(void *ctx, const struct tk_task_life *task)
{
    (void)ctx;
    (void)task;
    return 0;
}

int tk_task_counts_init(struct tk_task_counts *t, const struct tk_query_context *view,
                        int (*changed)(void *ctx, const struct tk_fact *fact), void *ctx)
{
    *t = (struct tk_task_counts){.changed = changed, .ctx = ctx};
    int rc = tk_task_list_init(&t->list, view, done_task_counts, t);
    t->list.stepped = stepped;
    return rc;
}

int tk_task_counts_feed(struct tk_task_counts *t, const struct tk_fact *fact)
{
    return tk_task_list_feed(&t->list, fact);
}

int tk_task_counts_finish(struct tk_task_counts *t)
{
    return tk_task_list_finish(&t->list);
}

void tk_task_counts_release(struct tk_task_counts *t)
{
    tk_task_list_release(&t->list);
}
