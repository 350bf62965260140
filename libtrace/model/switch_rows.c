/*
 * Table `switch_rows`: every time that a thread of the operating system ran on a core, in order of time.
 */
#include "model/builders.h"
#include "model/switch_list.h"
#include "model/view.h"

#include <stdlib.h>

enum { BEGIN, END, DURATION, SYSTEM_ID, THREAD_ID, THREAD, PROCESS_ID, CORE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [BEGIN] = {"begin", TK_TIME, 0, NULL, "begin"},
    [END] = {"end", TK_TIME, 0, NULL, "end"},
    [DURATION] = {"duration", TK_SPAN, 0, NULL, "from begin to end"},
    [SYSTEM_ID] = {"system_id", TK_UINT, 0, NULL, "number of the thread in the operating system"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "name of the thread, perhaps of another process"},
    [PROCESS_ID] = {"process_id", TK_UINT, TK_COL_EXTRA, NULL, "process, where the system told it"},
    [CORE] = {"core", TK_UINT, 0, NULL, "number of the core"},
};

static const struct tk_table table = {
    .name = "switch_rows",
    .help = "every time that a thread ran on a core",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct rows {
    const struct tk_view *view;
    struct tk_switch_list list;
};

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    struct rows *r = calloc(1, sizeof *r);
    (void)wanted;
    if (!r)
        return tk_err_nomem(err, "context switches");
    r->view = view;
    tk_switch_list_init(&r->list, view->ctx);
    *self = r;
    return TK_OK;
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct rows *r = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (tk_switch_list_feed(&r->list, &batch->facts[i]))
            return tk_err_nomem(err, "context switches");
    return TK_OK;
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct rows *r = self;
    if (tk_switch_list_finish(&r->list, r->view->dict))
        return tk_err_nomem(err, "context switches");
    for (size_t i = 0; i < r->list.v.n; i++) {
        const struct tk_switch *s = &r->list.v.v[i];
        const struct tk_system_thread *thread = &r->list.threads.v.v[s->thread];
        if (!tk_select_touches(r->view->select, s->begin, s->end) ||
            !tk_system_thread_selected(thread, r->view))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        row[BEGIN] = tk_view_time(r->view, s->begin);
        row[END] = tk_view_time(r->view, s->end);
        row[DURATION] = tk_view_between(r->view, s->begin, s->end);
        tk_system_thread_fill(thread, r->view, &row[SYSTEM_ID]);
        row[CORE] = tk_cell_of_uint(s->core);
    }
    return tk_emit_status(emit);
}

static void close(void *self)
{
    struct rows *r = self;
    tk_switch_list_release(&r->list);
    free(r);
}

const struct tk_builder tk_builder_switch_rows = {
    .table = &table,
    .facts = TK_SWITCH_FACTS,
    .open = open,
    .feed = feed,
    .finish = finish,
    .close = close,
};
