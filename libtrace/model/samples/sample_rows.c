/*
 * Table `sample_rows`: every stack sample, in order of time. Addresses of the recorded process have a module
 * and offset, too, and a function where the capture has it.
 */
#include "model/samples/sample_list.h"
#include "query/tables.h"
#include "query/context_cells.h"

enum {
    TIME,
    SYSTEM_ID,
    THREAD_ID,
    THREAD,
    PROCESS_ID,
    DEPTH,
    ADDRESS,
    MODULE,
    OFFSET,
    FUNCTION,
    CALLSTACK,
    STACK,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_TIME, 0, NULL, "when it was taken"},
    [SYSTEM_ID] = {"system_id", TK_INT, 0, NULL, "thread id of the operating system"},
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread; empty for other processes"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "name of the thread"},
    [PROCESS_ID] = {"process_id", TK_UINT, TK_COL_EXTRA, NULL, "process id, if it was recorded"},
    [DEPTH] = {"depth", TK_UINT, 0, "addresses", "number of addresses in its stack"},
    [ADDRESS] = {"address", TK_HEX, 0, NULL, "innermost address"},
    [MODULE] = {"module", TK_TEXT, 0, NULL, "module that contains it"},
    [OFFSET] = {"offset", TK_HEX, 0, NULL, "offset from the start of the module"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL,
                  "function that contains it, if the capture or the symbols name it"},
    [CALLSTACK] = {"callstack_id", TK_UINT, TK_COL_EXTRA, NULL, "id of its callstack; see table callstacks"},
    [STACK] = {"stack", TK_ARRAY, TK_COL_EXTRA, NULL, "all addresses, innermost first"},
};

static const struct tk_table table = {
    .name = "sample_rows",
    .help = "stack samples, in order of time",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
};

static int start_rows(void *self)
{
    struct tk_sample_list *s = self;
    s->whole = s->g.columns >> STACK & 1;
    return tk_sample_list_start(s);
}

static int by_time(const void *a, const void *b)
{
    const struct tk_listed_sample *x = a, *y = b;
    return (x->time > y->time) - (x->time < y->time);
}

static bool is_shown(const void *self, const void *thing)
{
    return tk_sample_list_selected(self, ((const struct tk_listed_sample *)thing)->thread);
}

static void fill_row(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_sample_list *s = self;
    const struct tk_query_context *view = s->g.view;
    const struct tk_listed_sample *sample = thing;
    uint32_t n;
    const uint64_t *addresses = tk_sample_list_addresses(s, sample, &n);
    row[TIME] = tk_query_context_time(view, sample->time);
    tk_system_thread_fill(&s->threads.v.v[sample->thread], view, &row[SYSTEM_ID]);
    row[DEPTH] = tk_cell_of_uint(tk_sample_list_depth(s, sample));
    if (sample->callstack)
        row[CALLSTACK] = tk_cell_of_uint(sample->callstack);
    if (n)
        tk_sample_list_fill_address(s, sample->thread, addresses[0], &row[ADDRESS]);
    if (s->whole)
        row[STACK] =
            (struct tk_cell){.kind = TK_ARRAY, .elem = TK_UINT, .width = 8, .n = n, .v.p = addresses};
}

static const struct tk_collecting of_rows = {
    .what = "stack samples",
    .start = start_rows,
    .take = tk_sample_list_take,
    .settle = tk_sample_list_settle,
    .release = tk_sample_list_release,
    TK_COLLECTOR_ROWS(struct tk_sample_list, v),
    .order = by_time,
    .shown = is_shown,
    .fill = fill_row,
};

const struct tk_builder tk_builder_sample_rows = {
    .table = &table, .facts = TK_SAMPLE_LIST_FACTS, TK_COLLECTS(of_rows)};
