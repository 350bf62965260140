/*
 * Table `leaks`: what was allocated in a window and is still alive at a moment, by the callstack that
 * allocated it, with the function behind it that is not an allocator. The window is the one of the query,
 * else the selected time, else the whole capture; the moment is the one of the query, else the end of the
 * selected time, else that of the capture.
 */
#include "model/memory/memory_in.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum { BYTES, COUNT, SHARE, FUNCTION, MODULE, FILE_NAME, LINE, CALLSTACK, HEAP, HEAP_NAME, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [BYTES] = {"bytes", TK_SIZE, 0, NULL, "bytes allocated in the window and still alive"},
    [COUNT] = {"count", TK_UINT, 0, "allocations", "number of these allocations"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "share of the bytes of all rows, 0 to 1"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL,
                  "innermost function of the callstack that is not an allocator; without symbols module and "
                  "offset, or the address"},
    [MODULE] = {"module", TK_TEXT, 0, NULL, "executable or library of the function"},
    [FILE_NAME] = {"file", TK_TEXT, 0, NULL, "source file of the function"},
    [LINE] = {"line", TK_UINT, 0, NULL, "line in it"},
    [CALLSTACK] = {"callstack_id", TK_UINT, 0, NULL,
                   "id of the callstack, 0 none; --callstack shows its frames"},
    [HEAP] = {"heap_id", TK_UINT, TK_COL_EXTRA, NULL, "root heap: 0 system memory, 1 video memory, others"},
    [HEAP_NAME] = {"heap", TK_TEXT, TK_COL_EXTRA, NULL, "name of the heap"},
};

static const struct tk_table table = {
    .name = "leaks",
    .help = "memory that was allocated in the selected time and not freed, by callstack and function",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST,
    .sort_by = "bytes",
};

/* Blocks know when they were allocated, so the selected time becomes a window of its own. */
static void select_window(struct tk_memory *m)
{
    const struct tk_select *select = m->view->select;
    if (m->has_window || select->all_time || !select->n_ranges)
        return;
    m->has_window = true;
    m->window_from = select->ranges[0].from;
    m->window_to = select->ranges[select->n_ranges - 1].to;
}

static int start_leaks(void *self)
{
    struct tk_memory_table *t = self;
    const struct tk_memory_setup setup = {.table = table.name, .by = TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK)};
    const int rc = tk_memory_table_init(t, &setup);
    select_window(&t->model);
    return rc;
}

static uint64_t leaked(const struct tk_alloc_group *g)
{
    return g->then_bytes;
}

static int settle_leaks(void *self)
{
    return tk_memory_table_rank(self, leaked);
}

static int send_leak(struct tk_memory_table *t, const struct tk_alloc_group *g, uint64_t all,
                     struct tk_emit *emit)
{
    struct tk_memory_place place;
    if (tk_memory_place_of(&t->names, g->key, &place))
        return -1;
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return tk_emit_status(emit);
    row[BYTES] = tk_cell_of_size(g->then_bytes);
    row[COUNT] = tk_cell_of_uint(g->then_count);
    row[SHARE] = tk_cell_of_real((double)g->then_bytes / (double)(all ? all : 1));
    row[FUNCTION] = tk_cell_of_text(place.function);
    row[MODULE] = tk_cell_of_text(place.module);
    row[FILE_NAME] = tk_cell_of_text(place.file);
    if (place.file)
        row[LINE] = tk_cell_of_uint(place.line);
    row[CALLSTACK] = tk_cell_of_uint(g->key);
    row[HEAP] = tk_cell_of_uint(g->heap);
    row[HEAP_NAME] = tk_memory_heap_name(&t->names, g->heap);
    return TK_OK;
}

static int send_leaks(void *self, struct tk_emit *emit)
{
    struct tk_memory_table *t = self;
    const struct tk_alloc_groups *groups = &t->model.groups;
    uint64_t all = 0;
    int rc = TK_OK;
    for (size_t i = 0; i < groups->ranks.n; i++)
        all += groups->ranks.v[i].amount;
    for (size_t i = 0; i < groups->ranks.n && rc == TK_OK; i++) {
        const struct tk_alloc_group g = tk_alloc_group_at(groups, groups->ranks.v[i].index);
        if (g.then_count)
            rc = send_leak(t, &g, all, emit);
    }
    return rc == -1 ? -1 : 0;
}

static const struct tk_collecting gathering = {
    .what = "leaks",
    .size = sizeof(struct tk_memory_table),
    .start = start_leaks,
    .settle = settle_leaks,
    .send = send_leaks,
    .release = tk_memory_table_release,
};

const struct tk_builder tk_builder_leaks = {
    .table = &table,
    /* NOLINTNEXTLINE(misc-redundant-expression): parts that want the same facts */
    .needs = {.facts = TK_MEMORY_FACTS | TK_MEMORY_NAME_FACTS, .order = TK_NEEDS_SEQ_ORDER},
    TK_MEMORY_TABLE(gathering),
};
