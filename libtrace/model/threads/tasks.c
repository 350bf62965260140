/*
 * Table `tasks`: tasks by name: how long they waited and ran; a row a name.
 */
#include "base/text/text.h"
#include "query/tables.h"
#include "model/threads/task_list.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/distribution_cells.h"

#include <string.h>

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
    .facts = TK_TASK_FACTS,
    .traits = TK_BUILDER_SERIAL,
    TK_COLLECTS(gathering),
};
