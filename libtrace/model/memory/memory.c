/*
 * Table `memory`: what is alive, allocated and freed, by tag, heap, thread, size, asset and callstack.
 *
 * Kinds of rows (column `by`): total, and by root heap all of the others; container: memory of which heaps
 * serve smaller allocations; it is in no other row, so that nothing counts twice; swap: pages that are out.
 */
#include "model/memory/memory_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"
#include "tracekit/queries.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * What tables about memory share.
 */

int tk_memory_table_init(struct tk_memory_table *t, const struct tk_memory_setup *setup)
{
    tk_memory_init(&t->model, t->g.view, setup);
    tk_memory_names_init(&t->names, t->g.view->ctx);
    t->names.allocators.text = t->g.view->query->allocators;
    return 0;
}

int tk_memory_table_feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_memory_table *t = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (batch->facts[i].kind != TK_FACT_MEMORY && tk_memory_names_feed(&t->names, &batch->facts[i]))
            return tk_err_nomem(err, "the names of memory");
    return tk_memory_feed(&t->model, batch, err);
}

int tk_memory_table_settle(void *self)
{
    struct tk_memory_table *t = self;
    return tk_memory_finish(&t->model, NULL) < 0 || tk_memory_names_settle(&t->names) ? -1 : 0;
}

int tk_memory_table_rank(struct tk_memory_table *t, uint64_t (*amount)(const struct tk_alloc_group *g))
{
    if (tk_memory_table_settle(t))
        return -1;
    tk_memory_forget(&t->model);
    return tk_alloc_groups_rank(&t->model.groups, amount);
}

void tk_memory_table_release(void *self)
{
    struct tk_memory_table *t = self;
    tk_memory_release(&t->model);
    tk_memory_names_release(&t->names);
}

/*
 * What rows about groups of allocations are called.
 */

static const char *const by_names[TK_ALLOC_BY_COUNT] = {
    [TK_ALLOC_BY_TOTAL] = "total",
    [TK_ALLOC_BY_HEAP] = "heap",
    [TK_ALLOC_BY_TAG] = "tag",
    [TK_ALLOC_BY_THREAD] = "thread",
    [TK_ALLOC_BY_SIZE] = "size",
    [TK_ALLOC_BY_ASSET] = "asset",
    [TK_ALLOC_BY_CALLSTACK] = "callstack",
    [TK_ALLOC_BY_FUNCTION] = "function",
    [TK_ALLOC_BY_MODULE] = "module",
    [TK_ALLOC_BY_FILE] = "file",
};

/* What queries call the groups. */
static const struct {
    unsigned requested;
    enum tk_alloc_by by;
} groups_requested[] = {
    {TK_BY_HEAP, TK_ALLOC_BY_HEAP},     {TK_BY_TAG, TK_ALLOC_BY_TAG},
    {TK_BY_THREAD, TK_ALLOC_BY_THREAD}, {TK_BY_SIZE, TK_ALLOC_BY_SIZE},
    {TK_BY_ASSET, TK_ALLOC_BY_ASSET},   {TK_BY_CALLSTACK, TK_ALLOC_BY_CALLSTACK},
    {TK_BY_FILE, TK_ALLOC_BY_FILE},     {TK_BY_FUNCTION, TK_ALLOC_BY_FUNCTION},
    {TK_BY_MODULE, TK_ALLOC_BY_MODULE},
};

unsigned tk_memory_groups_requested(const struct tk_query_context *view)
{
    const unsigned total = TK_ALLOC_BIT(TK_ALLOC_BY_TOTAL);
    unsigned bits = total;
    for (size_t i = 0; i < sizeof groups_requested / sizeof *groups_requested; i++)
        if (view->query->by & groups_requested[i].requested)
            bits |= TK_ALLOC_BIT(groups_requested[i].by);
    return bits == total ? (TK_ALLOC_BIT(TK_ALLOC_BY_COUNT) - 1) & ~TK_ALLOC_BY_CODE : bits;
}

/* Facts of the names of groups, and of what else distinguishes them. */
static uint64_t facts_of_groups(unsigned groups, bool named)
{
    uint64_t facts = 0;
    if (groups & TK_ALLOC_BIT(TK_ALLOC_BY_ASSET))
        facts |= TK_FACT_MASK(CONTEXT) | (named ? TK_FACT_MASK(DEFINITION) : 0);
    /* With groups of what allocated the places of all callstacks are known beforehand. */
    if (groups & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK) && !(groups & TK_ALLOC_BY_CODE) && named)
        facts |= TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(MODULE) | TK_FACT_MASK(SYMBOL);
    return facts;
}

void tk_memory_groups_add_needs(const struct tk_query_context *view, bool named, struct tk_needs *needs)
{
    const unsigned groups = tk_memory_groups_requested(view);
    needs->facts |= facts_of_groups(groups, named);
    needs->lists.places = groups & TK_ALLOC_BY_CODE;
}

static struct tk_cell callstack_name(struct tk_memory_table *m, uint32_t callstack, struct tk_emit *emit)
{
    const struct tk_alloc_places *places = m->model.groups.places;
    if (!places)
        return tk_memory_callstack_name(&m->names, callstack, emit);
    const struct tk_alloc_place *place = &places->places.v[tk_alloc_place_of(places, callstack)];
    return tk_cell_of_text(tk_alloc_place_text(places, place->texts[TK_ALLOC_FUNCTION]));
}

static struct tk_cell asset_name(const struct tk_asset_list *assets, uint32_t asset)
{
    static const struct tk_str none = {"(no asset)", 10, TK_ENC_UTF8};
    return tk_cell_of_text(asset ? tk_asset_name(assets, asset) : &none);
}

struct tk_memory_texts tk_memory_texts_make(struct tk_memory_table *m, const struct tk_alloc_group *g,
                                            struct tk_emit *emit)
{
    struct tk_memory_texts made = {{.kind = TK_NONE}, {.kind = TK_NONE}};
    if (g->by == TK_ALLOC_BY_TAG) {
        made.name = tk_memory_tag_name(&m->names, (int32_t)g->key);
        made.path = tk_memory_tag_path(&m->names, (int32_t)g->key, emit);
    } else if (g->by == TK_ALLOC_BY_HEAP) {
        made.name = tk_memory_heap_name(&m->names, g->heap);
    } else if (g->by == TK_ALLOC_BY_THREAD) {
        made.name = tk_query_context_thread(m->g.view, g->key);
    } else if (g->by == TK_ALLOC_BY_ASSET) {
        made.name = asset_name(&m->model.assets, g->key);
        made.path = tk_cell_of_text(tk_asset_package(&m->model.assets, g->key));
    } else if (g->by == TK_ALLOC_BY_CALLSTACK) {
        made.name = callstack_name(m, g->key, emit);
    } else if (g->by >= TK_ALLOC_BY_FUNCTION) {
        made.name = tk_cell_of_text(tk_alloc_place_text(m->model.groups.places, g->key));
    }
    return made;
}

static struct tk_cell key_of_memory(const struct tk_alloc_group *g)
{
    if (g->by == TK_ALLOC_BY_TAG)
        return tk_cell_of_int((int32_t)g->key);
    if (g->by == TK_ALLOC_BY_THREAD && g->key == TK_NO_THREAD)
        return (struct tk_cell){.kind = TK_NONE};
    if (g->by == TK_ALLOC_BY_THREAD || g->by == TK_ALLOC_BY_CALLSTACK)
        return tk_cell_of_int(g->key);
    if (g->by == TK_ALLOC_BY_SIZE)
        return tk_cell_of_int(g->key < 63 ? INT64_C(1) << g->key : INT64_MAX);
    return (struct tk_cell){.kind = TK_NONE};
}

void tk_memory_fill_key(const struct tk_memory_table *m, const struct tk_alloc_group *g,
                        const struct tk_memory_texts *texts, struct tk_cell *row)
{
    row[TK_MEMORY_BY] = tk_cell_of_c(by_names[g->by]);
    if (g->by != TK_ALLOC_BY_TOTAL) {
        row[TK_MEMORY_HEAP_ID] = tk_cell_of_uint(g->heap);
        row[TK_MEMORY_HEAP_NAME] = tk_memory_heap_name(&m->names, g->heap);
    }
    row[TK_MEMORY_KEY] = key_of_memory(g);
    row[TK_MEMORY_NAME] = texts->name;
    row[TK_MEMORY_PATH] = texts->path;
}

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

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    tk_memory_groups_add_needs(view, wanted & (BIT(NAME) | BIT(PATH)), needs);
    if (wanted & (BIT(FRAME_ALLOCS) | BIT(FRAME_BYTES) | BIT(FRAME_MAX)))
        needs->facts |= TK_FACT_MASK(FRAME);
}

static unsigned parts_requested(uint64_t wanted)
{
    unsigned parts = wanted & (BIT(SHORT_COUNT) | BIT(SHORT_BYTES)) ? TK_ALLOC_SOON : 0;
    if (wanted & (BIT(FRAME_ALLOCS) | BIT(FRAME_BYTES)))
        parts |= TK_ALLOC_UNFRAMED;
    return parts | (wanted & BIT(FRAME_MAX) ? TK_ALLOC_FRAME_MAX : 0);
}

static int start_memory(void *self)
{
    struct tk_memory_table *t = self;
    struct tk_memory_setup setup = {.table = table.name,
                                    .by = tk_memory_groups_requested(t->g.view),
                                    .parts = parts_requested(t->g.columns)};
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
    .needs = {.facts = TK_MEMORY_FACTS | TK_FACT_MASK(MEMORY_TAG), .order = TK_NEEDS_SEQ_ORDER},
    .add_needs = add_needs,
    TK_MEMORY_TABLE(gathering),
};
