/*
 * Table `tasks`: tasks by name: how long they waited and ran; a row a name.
 */
#include "base/text/text.h"
#include "base/wrap.h"
#include "model/threads/task_counts.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <string.h>

/*
 * Counters that follow from tasks.
 */

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

enum {
    TASK,
    COUNT,
    TRACKED,
    RAN,
    TOTAL,
    LENGTHS,
    SCHEDULE_WAIT = LENGTHS + TK_DISTRIBUTION_COLUMNS,
    SCHEDULE_WAIT_LENGTHS,
    START_WAIT = SCHEDULE_WAIT_LENGTHS + TK_DISTRIBUTION_COLUMNS,
    START_WAIT_LENGTHS,
    CHAIN = START_WAIT_LENGTHS + TK_DISTRIBUTION_COLUMNS,
    CHAIN_LENGTH,
    PREREQUISITES,
    NESTED,
    COLUMNS
};

#define EXTRA TK_COL_EXTRA

static const struct tk_column columns[COLUMNS] = {
    [TASK] = {"task", TK_TEXT, 0, NULL, "name"},
    [COUNT] = {"count", TK_UINT, 0, "tasks", "tasks launched"},
    [TRACKED] = {"tracked", TK_UINT, EXTRA, "tasks",
                 "launched tasks that the program counts as scheduled work"},
    [RAN] = {"ran", TK_UINT, EXTRA, "tasks", "launched tasks that finished"},
    [TOTAL] = {"total", TK_DURATION, 0, NULL, "total run time"},
    TK_DISTRIBUTION_LENGTHS(LENGTHS, "", 0, "shortest run", "longest run", "mean run", "the runs (to 0.8 %)"),
    [SCHEDULE_WAIT] = {"schedule_wait", TK_DURATION, 0, NULL,
                       "total time from launch until all prerequisites were done"},
    TK_DISTRIBUTION_LENGTHS(SCHEDULE_WAIT_LENGTHS, "schedule_wait_",
                            TK_DISTRIBUTION_ALL & ~TK_DISTRIBUTION_BIT(MEAN), "shortest of these times",
                            "longest of these times", "mean of these times", "these times (to 0.8 %)"),
    [START_WAIT] = {"start_wait", TK_DURATION, 0, NULL, "total time from then until they started to run"},
    TK_DISTRIBUTION_LENGTHS(START_WAIT_LENGTHS, "start_wait_",
                            TK_DISTRIBUTION_ALL & ~TK_DISTRIBUTION_BIT(MEAN), "shortest of these times",
                            "longest of these times", "mean of these times", "these times (to 0.8 %)"),
    [CHAIN] = {"chain", TK_DURATION, 0, NULL,
               "longest total run time of a dependency chain of tasks that ends in one of these"},
    [CHAIN_LENGTH] = {"chain_length", TK_UINT, 0, "tasks", "number of tasks in that chain"},
    [PREREQUISITES] = {"prerequisites", TK_UINT, EXTRA, NULL, "tasks that they waited for (prerequisites)"},
    [NESTED] = {"nested", TK_UINT, EXTRA, NULL, "tasks nested inside them"},
};

static const struct tk_table table = {
    .name = "tasks",
    .help = "tasks by name: waiting and run times",
    .columns = columns,
    .n_columns = COLUMNS,
    .sort_by = "total",
};

struct named {
    const struct tk_str *name;
    uint64_t count, tracked, prerequisites, nested;
    struct tk_distribution run, schedule_wait, start_wait;
    int64_t chain;
    uint32_t chain_length;
};

struct tasks {
    struct tk_collector g;
    struct tk_task_list list;
    TK_VEC(struct named) named; /* looked up by the address of the name */
};

static struct named *named_of(struct tasks *t, const struct tk_str *name)
{
    uint32_t at = tk_map_get(&t->g.index, (uint64_t)(uintptr_t)name);
    if (at == TK_MAP_NONE) {
        struct named fresh = {.name = name};
        at = (uint32_t)t->named.n;
        if (tk_map_put(&t->g.index, (uint64_t)(uintptr_t)name, at) || tk_vec_push(&t->named, fresh))
            return NULL;
    }
    return &t->named.v[at];
}

static int add_span(struct tk_distribution *lengths, const struct tk_task_life *task, enum tk_task_what from)
{
    if (!tk_task_knows(task, from) || !tk_task_knows(task, from + 1))
        return 0;
    return tk_distribution_add_length(lengths, tk_task_span(task, from));
}

static int done_tasks(void *ctx, const struct tk_task_life *task)
{
    struct tasks *t = ctx;
    if (!tk_task_selected(t->g.view, task))
        return 0;
    struct named *n = named_of(t, task->name);
    if (!n)
        return -1;
    n->count++;
    n->tracked += task->tracked;
    n->prerequisites += task->prerequisites;
    n->nested += task->nested;
    if (task->ended && (!n->chain_length || tk_task_chain(task) > n->chain)) {
        n->chain = tk_task_chain(task);
        n->chain_length = task->before_length + 1;
    }
    return add_span(&n->schedule_wait, task, TK_TASK_LAUNCHED) ||
                   add_span(&n->start_wait, task, TK_TASK_SCHEDULED) ||
                   add_span(&n->run, task, TK_TASK_STARTED)
               ? -1
               : 0;
}

static void release_named(void *thing)
{
    struct named *n = thing;
    tk_distribution_release(&n->run);
    tk_distribution_release(&n->schedule_wait);
    tk_distribution_release(&n->start_wait);
}

static void release_tasks(void *self)
{
    tk_task_list_release(&((struct tasks *)self)->list);
}

static int start_tasks(void *self)
{
    struct tasks *t = self;
    return tk_task_list_init(&t->list, t->g.view, done_tasks, t);
}

static int take_tasks(void *self, const struct tk_fact *fact)
{
    return tk_task_list_feed(&((struct tasks *)self)->list, fact);
}

static int by_name_tasks(const void *a, const void *b)
{
    return tk_str_order(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static void fill_tasks(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct tasks *)self)->g.view;
    const struct named *n = thing;
    row[TASK] = tk_cell_of_text(n->name);
    row[COUNT] = tk_cell_of_uint(n->count);
    row[TRACKED] = tk_cell_of_uint(n->tracked);
    row[RAN] = tk_cell_of_uint(n->run.count);
    row[TOTAL] = tk_query_context_span(view, (int64_t)n->run.total);
    tk_distribution_put(view, TK_DURATION, &n->run, &row[LENGTHS]);
    row[SCHEDULE_WAIT] = tk_query_context_span(view, (int64_t)n->schedule_wait.total);
    tk_distribution_put(view, TK_DURATION, &n->schedule_wait, &row[SCHEDULE_WAIT_LENGTHS]);
    row[START_WAIT] = tk_query_context_span(view, (int64_t)n->start_wait.total);
    tk_distribution_put(view, TK_DURATION, &n->start_wait, &row[START_WAIT_LENGTHS]);
    if (n->chain_length) {
        row[CHAIN] = tk_query_context_span(view, n->chain);
        row[CHAIN_LENGTH] = tk_cell_of_uint(n->chain_length);
    }
    row[PREREQUISITES] = tk_cell_of_uint(n->prerequisites);
    row[NESTED] = tk_cell_of_uint(n->nested);
}

static int settle_tasks(void *self)
{
    return tk_task_list_finish(&((struct tasks *)self)->list);
}

static const struct tk_collecting gathering = {
    .what = "tasks",
    .start = start_tasks,
    .take = take_tasks,
    .settle = settle_tasks,
    .release = release_tasks,
    TK_COLLECTOR_ROWS(struct tasks, named),
    .release_thing = release_named,
    .order = by_name_tasks,
    .fill = fill_tasks,
};

const struct tk_builder tk_builder_tasks = {
    .table = &table,
    .needs = {.facts = TK_TASK_FACTS, .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
