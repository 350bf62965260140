/*
 * Table `open_scopes`: scopes that never ended, outermost first, by thread.
 */
#include "base/health/row_limit.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>

enum { THREAD_ID, THREAD, DEPTH = THREAD + TK_THREAD_COLUMNS, TIMER, BEGIN, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread"),
    [DEPTH] = {"depth", TK_UINT, 0, NULL, "nesting depth, from 0"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "its timer"},
    [BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts"},
};

static const struct tk_table table = {
    .name = "open_scopes",
    .help = "scopes still open at the end of the capture",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
};

struct scope {
    uint32_t thread;
    struct tk_open_scope open;
};

struct open_scopes {
    const struct tk_query_context *view;
    TK_VEC(struct scope) rows;
    struct tk_row_limit capacity;
};

static int open_open_scopes(const struct tk_query_context *view, const struct tk_builder *builder,
                            uint64_t wanted, void **self, struct tk_err *err)
{
    (void)builder;
    (void)wanted;
    struct open_scopes *o = calloc(1, sizeof *o);
    if (!o)
        return tk_err_nomem(err, "open scopes");
    o->view = view;
    o->capacity = tk_query_context_row_limit(view, table.name);
    *self = o;
    return TK_OK;
}

static int add_open(struct open_scopes *o, uint32_t thread, const struct tk_open_scope *scopes, size_t n,
                    struct tk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct scope row = {.thread = thread, .open = scopes[i]};
        if (tk_select_touches(o->view->select, row.open.begin, INT64_MAX) &&
            tk_row_limit_for(&o->capacity, o->rows.n) && tk_vec_push(&o->rows, row))
            return tk_err_nomem(err, "open scopes");
    }
    return TK_OK;
}

static int lane_open_scopes(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct open_scopes *o = self;
    int rc = add_open(o, end->thread, end->lost, end->n_lost, err);
    return rc == TK_OK ? add_open(o, end->thread, end->open, end->n_open, err) : rc;
}

static int send_open_scopes(const struct tk_query_context *view, const struct scope *scope,
                            struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_timer *timer = tk_dict_timer(view->dict, scope->open.timer);
    if (!timer)
        return tk_err_nomem(err, "open scopes");
    if (!tk_patterns_pass(&view->select->timers, timer->displayed))
        return TK_OK;
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return tk_emit_status(emit);
    row[THREAD_ID] = tk_query_context_thread_id(scope->thread);
    tk_thread_put(view, scope->thread, &row[THREAD]);
    row[DEPTH] = tk_cell_of_uint(scope->open.depth);
    row[TIMER] = tk_cell_of_text(timer->displayed);
    row[BEGIN] = tk_query_context_time(view, scope->open.begin);
    return TK_OK;
}

static int finish_open_scopes(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct open_scopes *o = self;
    int rc = TK_OK;
    for (size_t i = 0; i < o->rows.n && rc == TK_OK; i++)
        rc = send_open_scopes(o->view, &o->rows.v[i], emit, err);
    return rc;
}

static void close_open_scopes(void *self)
{
    struct open_scopes *o = self;
    tk_vec_release(&o->rows);
    free(o);
}

static const struct tk_scope_hooks scope_hooks = {.lane = lane_open_scopes};

const struct tk_builder tk_builder_open_scopes = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES), .order = TK_NEEDS_ANY_ORDER, .sums = true},
    .scopes = &scope_hooks,
    .open = open_open_scopes,
    .finish = finish_open_scopes,
    .close = close_open_scopes,
};
