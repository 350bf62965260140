/*
 * Table `task_waits`: waits of threads for tasks, in order of start. While a thread waits it may run
 * tasks that wait themselves: an end belongs to the innermost wait, by their times.
 */
#include "base/hash.h"
#include "base/sort.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <inttypes.h>

enum {
    THREAD_ID,
    THREAD,
    BEGIN = THREAD + TK_THREAD_COLUMNS,
    END,
    DURATION,
    COUNT,
    FIRST_TASK,
    FIRST_NAME,
    RAN_ON,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread"),
    [BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [END] = {"end", TK_TIME, 0, NULL, "end; empty if it is not in the capture"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [COUNT] = {"count", TK_UINT, 0, "tasks", "number of tasks that it waited for"},
    [FIRST_TASK] = {"first_task_id", TK_UINT, 0, NULL, "id of the first of these tasks"},
    [FIRST_NAME] = {"first_task", TK_TEXT, 0, NULL, "its name"},
    [RAN_ON] = {"ran_on", TK_TEXT, 0, NULL, "the thread that ran it"},
};

static const struct tk_table table = {
    .name = "task_waits",
    .help = "waits of threads for tasks",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
};

struct task_wait {
    int64_t begin, end;
    uint64_t first_task;
    uint32_t thread, count;
    uint32_t outer; /* place of the wait around it, or NO_WAIT */
    bool ended;
};

#define NO_WAIT (TK_MAP_NONE - 1)

/* The begin or the end of a wait. */
struct wait_step {
    int64_t time;
    uint64_t first_task;
    uint32_t thread, count;
    bool begin;
};

/* What is reported of a task. */
struct reported_task {
    const struct tk_str *name; /* NULL: nothing */
    uint32_t thread;           /* that ran it, TK_NO_THREAD: not reported */
};

struct waits {
    struct tk_collector g;
    struct tk_map task_index; /* id -> place in tasks */
    TK_VEC(struct reported_task) tasks;
    struct tk_map innermost; /* thread -> place of its innermost open wait, or NO_WAIT */
    TK_VEC(struct wait_step) steps;
    TK_VEC(struct task_wait) rows;
    size_t begins, ends; /* so far */
    uint64_t unmatched;
};

static int take_task_of_waits(struct waits *w, const struct tk_fact *fact)
{
    const struct tk_fact_task *info = &fact->u.task;
    const struct reported_task none = {.thread = TK_NO_THREAD};
    uint32_t at = tk_map_get(&w->task_index, info->id);
    if (info->what != TK_TASK_LAUNCHED && info->what != TK_TASK_STARTED)
        return 0;
    if (at == TK_MAP_NONE) {
        at = (uint32_t)w->tasks.n;
        if (!tk_row_limit_for(&w->g.capacity, w->tasks.n))
            return 0;
        if (tk_vec_push(&w->tasks, none) || tk_map_put(&w->task_index, info->id, at))
            return -1;
    }
    if (info->what == TK_TASK_STARTED)
        w->tasks.v[at].thread = fact->thread;
    else
        w->tasks.v[at].name = info->name;
    return 0;
}

static int take_task_waits(void *self, const struct tk_fact *fact)
{
    struct waits *w = self;
    const struct tk_fact_task_wait *info = &fact->u.task_wait;
    if (fact->kind == TK_FACT_TASK)
        return take_task_of_waits(w, fact);
    if (fact->kind != TK_FACT_TASK_WAIT || (info->begin && !tk_row_limit_for(&w->g.capacity, w->begins)))
        return 0;
    w->begins += info->begin;
    w->ends += !info->begin;
    if (!info->begin && w->ends > w->g.view->ctx->limits.rows)
        return 0;
    const struct wait_step step = {.time = fact->time,
                                   .thread = fact->thread,
                                   .begin = info->begin,
                                   .count = info->begin ? info->n : 0,
                                   .first_task = info->begin && info->n ? info->tasks[0] : 0};
    return tk_vec_push(&w->steps, step);
}

static int begin_task_waits(struct waits *w, const struct wait_step *step)
{
    uint32_t outer = tk_map_get(&w->innermost, step->thread);
    struct task_wait row = {.begin = step->time,
                            .thread = step->thread,
                            .count = step->count,
                            .first_task = step->first_task,
                            .outer = outer == TK_MAP_NONE ? NO_WAIT : outer};
    return tk_map_put(&w->innermost, step->thread, (uint32_t)w->rows.n) || tk_vec_push(&w->rows, row);
}

static int end_task_waits(struct waits *w, const struct wait_step *step)
{
    uint32_t at = tk_map_get(&w->innermost, step->thread);
    if (at >= NO_WAIT) {
        w->unmatched++;
        return 0;
    }
    w->rows.v[at].end = step->time;
    w->rows.v[at].ended = true;
    return tk_map_put(&w->innermost, step->thread, w->rows.v[at].outer);
}

static int by_time_task_waits(const void *a, const void *b)
{
    const struct wait_step *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static int pair_task_waits(struct waits *w)
{
    int rc = tk_sort(w->steps.v, w->steps.n, sizeof *w->steps.v, by_time_task_waits);
    for (size_t i = 0; i < w->steps.n && rc == 0; i++)
        rc = w->steps.v[i].begin ? begin_task_waits(w, &w->steps.v[i]) : end_task_waits(w, &w->steps.v[i]);
    tk_vec_release(&w->steps);
    return rc ? -1 : 0;
}

static int by_begin_task_waits(const void *a, const void *b)
{
    const struct task_wait *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool is_visible_task_waits(const void *self, const void *thing)
{
    const struct tk_query_context *view = ((const struct waits *)self)->g.view;
    const struct task_wait *wait = thing;
    int64_t end = wait->ended && wait->end > wait->begin ? wait->end : wait->begin;
    return tk_select_touches(view->select, wait->begin, wait->ended ? end : INT64_MAX) &&
           tk_select_thread(view->select, view->dict, wait->thread);
}

static void fill_task_waits(const void *self, const void *thing, struct tk_cell *row)
{
    const struct waits *w = self;
    const struct tk_query_context *view = w->g.view;
    const struct task_wait *wait = thing;
    const uint32_t at = wait->count ? tk_map_get(&w->task_index, wait->first_task) : TK_MAP_NONE;
    if (at != TK_MAP_NONE && w->tasks.v[at].name)
        row[FIRST_NAME] = tk_cell_of_text(w->tasks.v[at].name);
    if (at != TK_MAP_NONE)
        row[RAN_ON] = tk_query_context_thread(view, w->tasks.v[at].thread);
    row[THREAD_ID] = tk_query_context_thread_id(wait->thread);
    tk_thread_put(view, wait->thread, &row[THREAD]);
    row[BEGIN] = tk_query_context_time(view, wait->begin);
    row[COUNT] = tk_cell_of_uint(wait->count);
    if (wait->count)
        row[FIRST_TASK] = tk_cell_of_uint(wait->first_task);
    if (!wait->ended)
        return;
    row[END] = tk_query_context_time(view, wait->end);
    row[DURATION] = tk_query_context_between(view, wait->begin, wait->end);
}

static int settle_task_waits(void *self)
{
    struct waits *w = self;
    if (pair_task_waits(w))
        return -1;
    if (w->unmatched)
        tk_health_note(&w->g.view->ctx->health, TK_HEALTH_PART_UNMATCHED, TK_NO_OFFSET, w->unmatched,
                       "%" PRIu64 " ends of waits for tasks without a begin", w->unmatched);
    return 0;
}

static void release_task_waits(void *self)
{
    struct waits *w = self;
    tk_map_release(&w->innermost);
    tk_map_release(&w->task_index);
    tk_vec_release(&w->tasks);
    tk_vec_release(&w->steps);
}

static const struct tk_collecting gathering = {
    .what = "waits for tasks",
    .take = take_task_waits,
    .settle = settle_task_waits,
    .release = release_task_waits,
    TK_COLLECTOR_ROWS(struct waits, rows),
    .order = by_begin_task_waits,
    .displayed = is_visible_task_waits,
    .fill = fill_task_waits,
};

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    const uint64_t named = UINT64_C(1) << FIRST_NAME | UINT64_C(1) << RAN_ON;
    (void)view;
    if (wanted & named)
        needs->facts |= TK_FACT_MASK(TASK);
}

const struct tk_builder tk_builder_task_waits = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(TASK_WAIT)},
    .add_needs = add_needs,
    TK_COLLECTS(gathering),
};
