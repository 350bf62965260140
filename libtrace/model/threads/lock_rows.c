/*
 * Table `lock_rows`: every use of a lock, in order of the requests.
 */
#include "model/threads/threads_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    LOCK,
    LOCK_ID,
    MODE,
    THREAD_ID,
    THREAD,
    REQUESTED = THREAD + TK_THREAD_COLUMNS,
    OBTAINED,
    RELEASED,
    WAIT,
    HELD,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [LOCK] = {"lock", TK_TEXT, 0, NULL, "name of the lock"},
    [LOCK_ID] = {"lock_id", TK_UINT, TK_COL_EXTRA, NULL, "distinguishes locks of the same name"},
    [MODE] = {"mode", TK_TEXT, 0, NULL, "read (shared) or write (exclusive)"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread"),
    [REQUESTED] = {"requested", TK_TIME, 0, NULL, "when it requested the lock"},
    [OBTAINED] = {"obtained", TK_TIME, 0, NULL, "when it acquired the lock; empty if it did not"},
    [RELEASED] = {"released", TK_TIME, 0, NULL, "when it released the lock; empty if it did not"},
    [WAIT] = {"wait", TK_DURATION, 0, NULL, "from requested to obtained"},
    [HELD] = {"held", TK_DURATION, 0, NULL, "from obtained to released"},
};

static const struct tk_table table = {
    .name = "lock_rows",
    .help = "every use of a lock",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

struct rows {
    struct tk_collector g;
    struct tk_lock_list list;
    TK_VEC(struct tk_lock_use) rows;
};

static int done_lock_rows(void *ctx, const struct tk_lock_use *use)
{
    struct rows *r = ctx;
    if (!tk_lock_selected(r->g.view, use) || !tk_row_limit_for(&r->g.capacity, r->rows.n))
        return 0;
    return tk_vec_push(&r->rows, *use);
}

static int start_lock_rows(void *self)
{
    struct rows *r = self;
    tk_lock_list_init(&r->list, r->g.view, done_lock_rows, r);
    return 0;
}

static int take_lock_rows(void *self, const struct tk_fact *fact)
{
    return tk_lock_list_feed(&((struct rows *)self)->list, fact);
}

static int by_request(const void *a, const void *b)
{
    const struct tk_lock_use *x = a, *y = b;
    return (x->requested > y->requested) - (x->requested < y->requested);
}

static void fill_lock_rows(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct rows *)self)->g.view;
    const struct tk_lock_use *use = thing;
    row[LOCK] = tk_cell_of_text(use->name);
    row[LOCK_ID] = tk_cell_of_uint(use->id);
    row[MODE] = tk_cell_of_c(use->write ? "write" : "read");
    row[THREAD_ID] = tk_query_context_thread_id(use->thread);
    tk_thread_put(view, use->thread, &row[THREAD]);
    row[REQUESTED] = tk_query_context_time(view, use->requested);
    if (use->has_obtained) {
        row[OBTAINED] = tk_query_context_time(view, use->obtained);
        row[WAIT] = tk_query_context_between(view, use->requested, use->obtained);
    }
    if (use->has_released)
        row[RELEASED] = tk_query_context_time(view, use->released);
    if (use->has_obtained && use->has_released)
        row[HELD] = tk_query_context_between(view, use->obtained, use->released);
}

static int settle_lock_rows(void *self)
{
    return tk_lock_list_finish(&((struct rows *)self)->list);
}

static void release_lock_rows(void *self)
{
    tk_lock_list_release(&((struct rows *)self)->list);
}

static const struct tk_collecting gathering = {
    .what = "locks",
    .start = start_lock_rows,
    .take = take_lock_rows,
    .settle = settle_lock_rows,
    .release = release_lock_rows,
    TK_COLLECTOR_ROWS(struct rows, rows),
    .order = by_request,
    .fill = fill_lock_rows,
};

const struct tk_builder tk_builder_lock_rows = {
    .table = &table,
    .needs = {.facts = TK_LOCK_FACTS, .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
