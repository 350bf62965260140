/*
 * Table `switch_rows`: every time that a thread of the operating system ran on a core, in order of time.
 */
#include "model/threads/switch_list.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/emit.h"
#include "query/tables.h"

enum {
    BEGIN,
    END,
    DURATION,
    SYSTEM_ID,
    THREAD_ID,
    THREAD,
    CORE = THREAD + TK_THREAD_COLUMNS,
    END_STATE,
    WAKE,
    WAKER_CORE,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [END] = {"end", TK_TIME, 0, NULL, "end"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [SYSTEM_ID] = {"system_id", TK_INT, 0, NULL, "thread id of the operating system"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "name of the thread, which may belong to another process"),
    [CORE] = {"core", TK_UINT, 0, NULL, "number of the core"},
    [END_STATE] =
        {"end_state", TK_TEXT, 0, NULL,
         "what the thread was at the end, as Linux calls it: R or R+ ready, S sleeping, D blocked, ..; "
         "running: it still ran at the end of the capture; empty: not recorded"},
    [WAKE] = {"wake", TK_TIME, 0, NULL, "when an event woke it before; empty: not recorded"},
    [WAKER_CORE] = {"waker_core", TK_UINT, TK_COL_EXTRA, NULL,
                    "core on which that happened; empty: in an interrupt"},
};

static const struct tk_table table = {
    .name = "switch_rows",
    .help = "every interval in which a thread ran on a core",
    .schema = 2,
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
};

struct rows {
    struct tk_collector g;
    struct tk_switch_list list;
};

static int start_switch_rows(void *self)
{
    struct rows *r = self;
    tk_switch_list_init(&r->list, r->g.view->ctx);
    return 0;
}

static int take_switch_rows(void *self, const struct tk_fact *fact)
{
    return tk_switch_list_feed(&((struct rows *)self)->list, fact);
}

static int settle_switch_rows(void *self)
{
    struct rows *r = self;
    return tk_switch_list_finish(&r->list, r->g.view->dict);
}

static bool is_visible(const struct rows *r, const struct tk_switch *s)
{
    return tk_select_touches(r->g.view->select, s->begin, s->end) &&
           tk_system_thread_selected(&r->list.threads.v.v[s->thread], r->g.view);
}

static void fill_row(const struct rows *r, const struct tk_switch *s, struct tk_cell *row)
{
    const struct tk_query_context *view = r->g.view;
    row[BEGIN] = tk_query_context_time(view, s->begin);
    row[END] = tk_query_context_time(view, s->end);
    row[DURATION] = tk_query_context_between(view, s->begin, s->end);
    tk_system_thread_fill(&r->list.threads.v.v[s->thread], view, &row[SYSTEM_ID]);
    row[CORE] = tk_cell_of_uint(s->core);
    row[END_STATE] = tk_switch_end_cell(s);
    if (s->wake == TK_NOT_WOKEN)
        return;
    row[WAKE] = tk_query_context_time(view, s->wake);
    if (s->waker_core != UINT32_MAX)
        row[WAKER_CORE] = tk_cell_of_uint(s->waker_core);
}

static int send_rows(void *self, struct tk_emit *emit)
{
    const struct rows *r = self;
    struct tk_switch_reading reading = tk_switches_from_first(&r->list);
    for (const struct tk_switch *s; (s = tk_switches_next(&reading));) {
        struct tk_cell *row = is_visible(r, s) ? tk_emit_row(emit) : NULL;
        if (row)
            fill_row(r, s, row);
        else if (tk_emit_status(emit) < 0)
            return 0;
    }
    return 0;
}

static void release_switch_rows(void *self)
{
    tk_switch_list_release(&((struct rows *)self)->list);
}

static const struct tk_collecting gathering = {
    .what = "context switches",
    .start = start_switch_rows,
    .take = take_switch_rows,
    .settle = settle_switch_rows,
    .release = release_switch_rows,
    .size = sizeof(struct rows),
    .send = send_rows,
};

const struct tk_builder tk_builder_switch_rows = {
    .table = &table,
    .needs = {.facts = TK_SWITCH_FACTS},
    TK_COLLECTS(gathering),
};
