/*
 * Table `task_rows`: every task with the times of its stages, in order of ids.
 */
#include "model/threads/task_counts.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    ID,
    TASK,
    THREAD_ID,
    THREAD,
    TRACKED = THREAD + TK_THREAD_COLUMNS,
    CREATED,
    LAUNCHED,
    SCHEDULED,
    STARTED,
    FINISHED,
    COMPLETED,
    DESTROYED,
    SCHEDULE_WAIT,
    START_WAIT,
    RUN,
    LAUNCHER_ID,
    TARGET,
    BYTES,
    MADE_UP,
    PREREQUISITES,
    SUBSEQUENTS,
    NESTED,
    CHAIN,
    CHAIN_LENGTH,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [ID] = {"task_id", TK_UINT, 0, NULL, "number of the task in the capture"},
    [TASK] = {"task", TK_TEXT, 0, NULL, "name"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread that ran it"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread that ran it"),
    [TRACKED] = {"tracked", TK_BOOL, 0, NULL, "does the program count it as scheduled work?"},
    [CREATED] = {"created", TK_TIME, TK_COL_EXTRA, NULL, "when it was created"},
    [LAUNCHED] = {"launched", TK_TIME, 0, NULL, "when it was handed to the scheduler"},
    [SCHEDULED] = {"scheduled", TK_TIME, 0, NULL, "when all its prerequisites were done"},
    [STARTED] = {"started", TK_TIME, 0, NULL, "when it began to run"},
    [FINISHED] = {"finished", TK_TIME, 0, NULL, "when it finished running"},
    [COMPLETED] = {"completed", TK_TIME, TK_COL_EXTRA, NULL, "when all nested tasks had finished as well"},
    [DESTROYED] = {"destroyed", TK_TIME, TK_COL_EXTRA, NULL, "when it was destroyed"},
    [SCHEDULE_WAIT] = {"schedule_wait", TK_DURATION, 0, NULL, "from launched to scheduled"},
    [START_WAIT] = {"start_wait", TK_DURATION, 0, NULL, "from scheduled to started"},
    [RUN] = {"run", TK_DURATION, 0, NULL, "from started to finished"},
    [LAUNCHER_ID] = {"launcher_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that launched it"},
    [TARGET] = {"target", TK_INT, TK_COL_EXTRA, NULL, "code of the thread that is to run it"},
    [BYTES] = {"bytes", TK_SIZE, TK_COL_EXTRA, NULL, "memory it occupies"},
    [MADE_UP] = {"synthesized", TK_UINT, TK_COL_EXTRA, NULL,
                 "stages that were not recorded; they have the time of the next recorded stage"},
    [PREREQUISITES] = {"prerequisites", TK_UINT, TK_COL_EXTRA, NULL, "number of tasks that it waited for"},
    [SUBSEQUENTS] = {"subsequents", TK_UINT, TK_COL_EXTRA, NULL, "number of tasks that waited for it"},
    [NESTED] = {"nested", TK_UINT, TK_COL_EXTRA, NULL, "tasks nested inside it"},
    [CHAIN] = {"chain", TK_DURATION, TK_COL_EXTRA, NULL,
               "longest total run time of a dependency chain of tasks that ends in this one"},
    [CHAIN_LENGTH] = {"chain_length", TK_UINT, TK_COL_EXTRA, "tasks", "number of tasks in that chain"},
};

static const struct tk_table table = {
    .name = "task_rows",
    .help = "every task",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

struct rows {
    struct tk_collector g;
    struct tk_task_list list;
    TK_VEC(struct tk_task_life) rows;
};

static int done_task_rows(void *ctx, const struct tk_task_life *task)
{
    struct rows *r = ctx;
    if (!tk_task_selected(r->g.view, task) || !tk_row_limit_for(&r->g.capacity, r->rows.n))
        return 0;
    return tk_vec_push(&r->rows, *task);
}

static void release_task_rows(void *self)
{
    tk_task_list_release(&((struct rows *)self)->list);
}

static int start_task_rows(void *self)
{
    struct rows *r = self;
    return tk_task_list_init(&r->list, r->g.view, done_task_rows, r);
}

static int take_task_rows(void *self, const struct tk_fact *fact)
{
    return tk_task_list_feed(&((struct rows *)self)->list, fact);
}

static int by_id(const void *a, const void *b)
{
    const struct tk_task_life *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static void fill_span(const struct tk_query_context *view, const struct tk_task_life *task,
                      enum tk_task_what from, struct tk_cell *cell)
{
    if (tk_task_knows(task, from) && tk_task_knows(task, from + 1))
        *cell = tk_query_context_between(view, task->time[from], task->time[from + 1]);
}

static void fill_times_task_rows(const struct tk_query_context *view, const struct tk_task_life *task,
                                 struct tk_cell *row)
{
    unsigned made_up = task->known & ~task->reported & 0xffu, n = 0;
    for (unsigned i = 0; i < TK_TASK_STAGES; i++) {
        if (task->known >> i & 1)
            row[CREATED + i] = tk_query_context_time(view, task->time[i]);
        n += made_up >> i & 1;
    }
    row[MADE_UP] = tk_cell_of_uint(n);
    fill_span(view, task, TK_TASK_LAUNCHED, &row[SCHEDULE_WAIT]);
    fill_span(view, task, TK_TASK_SCHEDULED, &row[START_WAIT]);
    fill_span(view, task, TK_TASK_STARTED, &row[RUN]);
}

static void fill_task_rows(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct rows *)self)->g.view;
    const struct tk_task_life *task = thing;
    row[ID] = tk_cell_of_uint(task->id);
    row[TASK] = tk_cell_of_text(task->name);
    if (tk_task_knows(task, TK_TASK_STARTED)) {
        row[THREAD_ID] = tk_query_context_thread_id(task->thread[TK_TASK_STARTED]);
        tk_thread_put(view, task->thread[TK_TASK_STARTED], &row[THREAD]);
    }
    row[TRACKED] = tk_cell_of_bool(task->tracked);
    fill_times_task_rows(view, task, row);
    row[LAUNCHER_ID] = tk_query_context_thread_id(task->thread[TK_TASK_LAUNCHED]);
    row[TARGET] = tk_cell_of_int(task->target);
    row[BYTES] = tk_cell_of_size(task->bytes);
    row[PREREQUISITES] = tk_cell_of_uint(task->prerequisites);
    row[SUBSEQUENTS] = tk_cell_of_uint(task->subsequents);
    row[NESTED] = tk_cell_of_uint(task->nested);
    if (task->ended) {
        row[CHAIN] = tk_query_context_span(view, tk_task_chain(task));
        row[CHAIN_LENGTH] = tk_cell_of_uint((uint64_t)task->before_length + 1);
    }
}

static int settle_task_rows(void *self)
{
    return tk_task_list_finish(&((struct rows *)self)->list);
}

static const struct tk_collecting gathering = {
    .what = "tasks",
    .start = start_task_rows,
    .take = take_task_rows,
    .settle = settle_task_rows,
    .release = release_task_rows,
    TK_COLLECTOR_ROWS(struct rows, rows),
    .order = by_id,
    .spills = true,
    .fill = fill_task_rows,
};

const struct tk_builder tk_builder_task_rows = {
    .table = &table,
    .needs = {.facts = TK_TASK_FACTS, .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
