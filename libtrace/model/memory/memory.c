/*
 * Table `memory`: what is alive, allocated and freed, by tag, heap, thread, size, asset and callstack.
 *
 * Kinds of rows (column `by`): total, and by root heap all of the others; container: memory of which heaps
 * serve smaller allocations; it is in no other row, so that nothing counts twice; swap: pages that are out.
 */
#include "model/memory/memory_rows.h"
#include "model/memory/memory_table.h"
#include "query/tables.h"
#include "query/collector.h"
#include "query/context_cells.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    BY = TK_MEMORY_BY,
    HEAP = TK_MEMORY_HEAP_ID,
    HEAP_NAME = TK_MEMORY_HEAP_NAME,
    NAME = TK_MEMORY_NAME,
    PATH = TK_MEMORY_PATH,
    ALIVE_BYTES = TK_MEMORY_KEY_COLUMNS,
    ALIVE_COUNT,
    PEAK_BYTES,
    PEAK_COUNT,
    ALLOCS,
    FREES,
    REALLOCS,
    ALLOC_BYTES,
    FREE_BYTES,
    FRAME_ALLOCS,
    FRAME_BYTES,
    FRAME_MAX,
    SHORT_COUNT,
    SHORT_BYTES,
    UNKNOWN,
    PACKED_BYTES,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    TK_MEMORY_KEYS,
    [ALIVE_BYTES] = {"alive_bytes", TK_SIZE, 0, NULL, "alive at the requested time, or at the end"},
    [ALIVE_COUNT] = {"alive_count", TK_UINT, TK_COL_OPTIONAL, NULL, "number of these allocations"},
    [PEAK_BYTES] = {"peak_bytes", TK_SIZE, 0, NULL, "largest number of bytes alive at one time"},
    [PEAK_COUNT] = {"peak_count", TK_UINT, TK_COL_EXTRA, NULL,
                    "largest number of allocations alive at one time"},
    [ALLOCS] = {"allocs", TK_UINT, 0, NULL, "allocations, without reallocations"},
    [FREES] = {"frees", TK_UINT, 0, NULL, "frees of its allocations, without reallocations"},
    [REALLOCS] = {"reallocs", TK_UINT, TK_COL_OPTIONAL, NULL, "reallocations"},
    [ALLOC_BYTES] = {"alloc_bytes", TK_SIZE, 0, NULL, "bytes allocated, also by reallocations"},
    [FREE_BYTES] = {"free_bytes", TK_SIZE, TK_COL_EXTRA, NULL, "bytes freed, also by reallocations"},
    [FRAME_ALLOCS] = {"frame_allocs", TK_REAL, 0, NULL,
                      "mean number of allocations and reallocations per game frame"},
    [FRAME_BYTES] = {"frame_bytes", TK_REAL, 0, "bytes", "mean bytes allocated per game frame"},
    [FRAME_MAX] = {"frame_max", TK_SIZE, TK_COL_EXTRA, NULL,
                   "largest number of bytes allocated in a game frame"},
    [SHORT_COUNT] = {"short_lived", TK_UINT, 0, NULL,
                     "allocations freed within the next 4096 allocations and frees"},
    [SHORT_BYTES] = {"short_bytes", TK_SIZE, TK_COL_EXTRA, NULL, "bytes of these"},
    [UNKNOWN] = {"unknown_frees", TK_UINT, TK_COL_EXTRA, NULL,
                 "frees of unknown addresses (rows of total and heap only)"},
    [PACKED_BYTES] = {"packed_bytes", TK_SIZE, TK_COL_EXTRA, NULL,
                      "bytes of swapped-out pages after compression"},
};

static const struct tk_table table = {
    .name = "memory",
    .help = "memory by tag, heap, thread, size, asset, callstack, function, module and file: alive, peak, "
            "allocated and freed",
    .columns = columns,
    .n_columns = COLUMNS,
};

#define BIT(column) (UINT64_C(1) << (column))

static uint64_t wants_memory(const struct tk_query_context *view, uint64_t wanted)
{
    unsigned groups = tk_memory_groups_asked(view);
    uint64_t facts = tk_memory_groups_facts(groups, wanted & (BIT(NAME) | BIT(PATH)));
    if (wanted & (BIT(FRAME_ALLOCS) | BIT(FRAME_BYTES) | BIT(FRAME_MAX)))
        facts |= TK_FACT_MASK(FRAME);
    return facts;
}

static unsigned parts_asked(uint64_t wanted)
{
    unsigned parts = wanted & (BIT(SHORT_COUNT) | BIT(SHORT_BYTES)) ? TK_ALLOC_SOON : 0;
    if (wanted & (BIT(FRAME_ALLOCS) | BIT(FRAME_BYTES)))
        parts |= TK_ALLOC_UNFRAMED;
    return parts | (wanted & BIT(FRAME_MAX) ? TK_ALLOC_FRAME_MAX : 0);
}

static int start_memory(void *self)
{
    struct tk_memory_table *t = self;
    struct tk_memory_setup setup = {
        .table = table.name, .by = tk_memory_groups_asked(t->g.view), .parts = parts_asked(t->g.columns)};
    return tk_memory_table_init(t, &setup);
}

/* ---- rows ---- */

static void fill_sums(const struct tk_alloc_group *g, struct tk_cell *row)
{
    row[ALIVE_BYTES] = tk_cell_of_size(g->then_bytes);
    row[ALIVE_COUNT] = tk_cell_of_uint(g->then_count);
    row[PEAK_BYTES] = tk_cell_of_size(g->peak_bytes);
    row[PEAK_COUNT] = tk_cell_of_uint(g->peak_count);
    row[ALLOCS] = tk_cell_of_uint(g->allocs);
    row[FREES] = tk_cell_of_uint(g->frees);
}

static void fill_flow(const struct tk_memory_table *m, const struct tk_alloc_group *g, struct tk_cell *row)
{
    row[REALLOCS] = tk_cell_of_uint(g->reallocs);
    row[ALLOC_BYTES] = tk_cell_of_size(g->alloc_bytes);
    row[FREE_BYTES] = tk_cell_of_size(g->freed_bytes);
    row[SHORT_COUNT] = tk_cell_of_uint(g->short_count);
    row[SHORT_BYTES] = tk_cell_of_size(g->short_bytes);
    row[FRAME_MAX] = tk_cell_of_size(g->frame_max);
    if (m->model.frame) {
        row[FRAME_ALLOCS] =
            tk_cell_of_real((double)(g->allocs + g->reallocs - g->unframed) / (double)m->model.frame);
        row[FRAME_BYTES] =
            tk_cell_of_real((double)(g->alloc_bytes - g->unframed_bytes) / (double)m->model.frame);
    }
    if (g->by <= TK_ALLOC_BY_HEAP)
        row[UNKNOWN] = tk_cell_of_uint(g->unknown);
}

static bool is_empty(const struct tk_alloc_group *g)
{
    return !g->then_count && !g->peak_count && !g->allocs && !g->reallocs && !g->frees && !g->unknown;
}

static int send_group(struct tk_memory_table *m, const struct tk_alloc_group *g, struct tk_emit *emit)
{
    struct tk_memory_texts texts = tk_memory_texts_make(m, g, emit);
    struct tk_cell *row = is_empty(g) ? NULL : tk_emit_row(emit);
    if (!row)
        return tk_emit_status(emit);
    tk_memory_fill_key(m, g, &texts, row);
    fill_sums(g, row);
    fill_flow(m, g, row);
    return TK_OK;
}

static int send_container(const struct tk_memory_table *m, const struct tk_alloc_group *g,
                          struct tk_emit *emit)
{
    struct tk_cell *row = is_empty(g) ? NULL : tk_emit_row(emit);
    if (!row)
        return tk_emit_status(emit);
    row[BY] = tk_cell_of_c("container");
    row[HEAP] = tk_cell_of_uint(g->heap);
    row[HEAP_NAME] = row[NAME] = tk_memory_heap_name(&m->names, g->heap);
    fill_sums(g, row);
    return TK_OK;
}

static int send_swap(const struct tk_memory_table *m, struct tk_emit *emit)
{
    const struct tk_alloc_group swap = tk_memory_swap(&m->model);
    struct tk_cell *row = is_empty(&swap) ? NULL : tk_emit_row(emit);
    if (!row)
        return tk_emit_status(emit);
    row[BY] = tk_cell_of_c("swap");
    row[HEAP] = tk_cell_of_uint(0);
    row[HEAP_NAME] = tk_memory_heap_name(&m->names, 0);
    fill_sums(&swap, row);
    row[PACKED_BYTES] = tk_cell_of_size(m->model.swap_then_packed);
    return TK_OK;
}

static uint64_t then_of_group(const struct tk_alloc_group *g)
{
    return g->then_bytes;
}

/* Callstacks, of which there are many, come last. */
static int send_kinds(struct tk_memory_table *m, enum tk_alloc_by first, enum tk_alloc_by last,
                      struct tk_emit *emit)
{
    int rc = TK_OK;
    const struct tk_alloc_groups *groups = &m->model.groups;
    for (size_t i = 0; i < groups->ranks.n && rc == TK_OK; i++) {
        const struct tk_alloc_rank *rank = &groups->ranks.v[i];
        if (rank->by < first || rank->by > last)
            continue;
        const struct tk_alloc_group g = tk_alloc_group_at(groups, rank->index);
        rc = send_group(m, &g, emit);
    }
    return rc;
}

static int settle_memory(void *self)
{
    struct tk_memory_table *m = self;
    const int rc = tk_memory_table_rank(m, then_of_group);
    return rc || tk_alloc_groups_rank(&m->model.container_groups, then_of_group) ? -1 : 0;
}

static int send_memory(void *self, struct tk_emit *emit)
{
    struct tk_memory_table *m = self;
    const struct tk_alloc_groups *containers = &m->model.container_groups;
    int rc = send_kinds(m, TK_ALLOC_BY_TOTAL, TK_ALLOC_BY_ASSET, emit);
    for (size_t i = 0; i < containers->ranks.n && rc == TK_OK; i++) {
        const struct tk_alloc_group g = tk_alloc_group_at(containers, containers->ranks.v[i].index);
        rc = send_container(m, &g, emit);
    }
    if (rc == TK_OK)
        rc = send_swap(m, emit);
    if (rc == TK_OK)
        send_kinds(m, TK_ALLOC_BY_CALLSTACK, TK_ALLOC_BY_FILE, emit);
    return 0;
}

static const struct tk_collecting gathering = {
    .what = "memory",
    .size = sizeof(struct tk_memory_table),
    .start = start_memory,
    .settle = settle_memory,
    .send = send_memory,
    .release = tk_memory_table_release,
};

const struct tk_builder tk_builder_memory = {
    .table = &table,
    .facts = TK_MEMORY_FACTS | TK_FACT_MASK(MEMORY_TAG),
    .traits = TK_BUILDER_SERIAL,
    .wants = wants_memory,
    .beforehand = tk_memory_beforehand,
    TK_MEMORY_TABLE(gathering),
};
