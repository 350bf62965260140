/*
 * Table `memory_growth`: what is alive at both ends of the selected time, and what became of it between them.
 *
 * The state at an end is what is alive when all steps before it are played. Where the clock of memory is
 * coarse, a step has the time of the last mark before it, and `grain` says how far
 * apart the marks around an end are.
 */
#include "model/memory/memory_in.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    GROWTH_BYTES = TK_MEMORY_KEY_COLUMNS,
    GROWTH_COUNT,
    FROM_BYTES,
    FROM_COUNT,
    TO_BYTES,
    TO_COUNT,
    KEPT_BYTES,
    KEPT_COUNT,
    CHURN_BYTES,
    CHURN_COUNT,
    PEAK_BYTES,
    PEAK_TIME,
    GRAIN,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    TK_MEMORY_KEYS,
    [GROWTH_BYTES] = {"growth_bytes", TK_INT, 0, "bytes", "to_bytes minus from_bytes"},
    [GROWTH_COUNT] = {"growth_count", TK_INT, TK_COL_OPTIONAL, "allocations", "to_count minus from_count"},
    [FROM_BYTES] = {"from_bytes", TK_SIZE, 0, NULL, "alive at the start of the selected time"},
    [FROM_COUNT] = {"from_count", TK_UINT, TK_COL_OPTIONAL, NULL, "number of these allocations"},
    [TO_BYTES] = {"to_bytes", TK_SIZE, 0, NULL, "alive at its end"},
    [TO_COUNT] = {"to_count", TK_UINT, TK_COL_OPTIONAL, NULL, "number of these allocations"},
    [KEPT_BYTES] = {"kept_bytes", TK_SIZE, 0, NULL,
                    "allocated between the two moments and alive at the second"},
    [KEPT_COUNT] = {"kept_count", TK_UINT, 0, NULL, "number of these allocations"},
    [CHURN_BYTES] = {"churn_bytes", TK_SIZE, 0, NULL, "allocated between the two moments and freed again"},
    [CHURN_COUNT] = {"churn_count", TK_UINT, TK_COL_OPTIONAL, NULL, "number of these allocations"},
    [PEAK_BYTES] = {"peak_bytes", TK_SIZE, 0, NULL,
                    "largest number of bytes alive at one time between the two moments"},
    [PEAK_TIME] = {"peak_time", TK_TIME, 0, NULL, "time of that peak"},
    [GRAIN] = {"grain", TK_DURATION, TK_COL_OPTIONAL, NULL,
               "precision of the two moments: the interval between the recorded times around them; empty if "
               "they are exact"},
};

static const struct tk_table table = {
    .name = "memory_growth",
    .help = "memory between two moments: alive at both, growth, kept, churn, peak; by tag, heap, thread, "
            "size, asset, callstack, function, module, file",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_ON_REQUEST,
    .sort_by = "growth_bytes",
};

#define BIT(column) (UINT64_C(1) << (column))

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    tk_memory_groups_add_needs(view, wanted & (BIT(TK_MEMORY_NAME) | BIT(TK_MEMORY_PATH)), needs);
}

static int start_memory_growth(void *self)
{
    struct tk_memory_table *t = self;
    const struct tk_memory_setup setup = {
        .table = table.name, .by = tk_memory_groups_requested(t->g.view), .parts = TK_ALLOC_ENDS};
    return tk_memory_table_init(t, &setup);
}

static int64_t growth_of(const struct tk_alloc_group *g)
{
    return (int64_t)(g->ends.to_bytes - g->ends.from_bytes);
}

/* The same as a number that is greater where it is, from 0. */
static uint64_t growth_amount(const struct tk_alloc_group *g)
{
    return (uint64_t)growth_of(g) ^ UINT64_C(1) << 63;
}

static int settle_memory_growth(void *self)
{
    return tk_memory_table_rank(self, growth_amount);
}

/* What was allocated between the two and is not there at the second; moves between groups can make it less
 * than none. */
static uint64_t rest_of(uint64_t all, uint64_t kept)
{
    return all > kept && all <= INT64_MAX ? all - kept : 0;
}

static void fill_memory_growth(const struct tk_memory_table *m, const struct tk_alloc_group *g,
                               struct tk_cell *row)
{
    row[GROWTH_BYTES] = tk_cell_of_int(growth_of(g));
    row[GROWTH_COUNT] = tk_cell_of_int((int64_t)(g->ends.to_count - g->ends.from_count));
    row[FROM_BYTES] = tk_cell_of_size(g->ends.from_bytes);
    row[FROM_COUNT] = tk_cell_of_uint(g->ends.from_count);
    row[TO_BYTES] = tk_cell_of_size(g->ends.to_bytes);
    row[TO_COUNT] = tk_cell_of_uint(g->ends.to_count);
    row[KEPT_BYTES] = tk_cell_of_size(g->ends.kept_bytes);
    row[KEPT_COUNT] = tk_cell_of_uint(g->ends.kept_count);
    row[CHURN_BYTES] = tk_cell_of_size(rest_of(g->alloc_bytes, g->ends.kept_bytes));
    row[CHURN_COUNT] = tk_cell_of_uint(rest_of(g->allocs + g->reallocs, g->ends.kept_count));
    row[PEAK_BYTES] = tk_cell_of_size(g->peak_bytes);
    if (g->peak_bytes)
        row[PEAK_TIME] = tk_query_context_time(m->g.view, g->ends.peak_time);
    if (m->model.has_clock)
        row[GRAIN] = tk_query_context_span(m->g.view, m->model.grain);
}

static bool is_still(const struct tk_alloc_group *g)
{
    return !g->ends.from_count && !g->ends.to_count && !g->peak_count && !g->allocs && !g->reallocs;
}

static int send_memory_growth(void *self, struct tk_emit *emit)
{
    struct tk_memory_table *m = self;
    const struct tk_alloc_groups *groups = &m->model.groups;
    for (size_t i = 0; i < groups->ranks.n; i++) {
        const struct tk_alloc_group g = tk_alloc_group_at(groups, groups->ranks.v[i].index);
        if (is_still(&g))
            continue;
        const struct tk_memory_texts texts = tk_memory_texts_make(m, &g, emit);
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        tk_memory_fill_key(m, &g, &texts, row);
        fill_memory_growth(m, &g, row);
    }
    return 0;
}

static const struct tk_collecting gathering = {
    .what = "memory",
    .size = sizeof(struct tk_memory_table),
    .start = start_memory_growth,
    .settle = settle_memory_growth,
    .send = send_memory_growth,
    .release = tk_memory_table_release,
};

const struct tk_builder tk_builder_memory_growth = {
    .table = &table,
    .needs = {.facts = TK_MEMORY_FACTS | TK_FACT_MASK(MEMORY_TAG), .order = TK_NEEDS_SEQ_ORDER},
    .add_needs = add_needs,
    TK_MEMORY_TABLE(gathering),
};
