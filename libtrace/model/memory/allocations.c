/*
 * Table `allocations`: what is alive at the moment requested (else at the end), in the order in which it was
 * allocated.
 */
#include "base/sort.h"
#include "model/memory/memory_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum {
    INDEX,
    TIME,
    ADDRESS,
    SIZE,
    ALIGNMENT,
    KIND,
    HEAP,
    HEAP_NAME,
    TAG,
    TAG_NAME,
    THREAD_ID,
    THREAD,
    CALLSTACK = THREAD + TK_THREAD_COLUMNS,
    FRAME,
    ASSET,
    ASSET_CLASS,
    PACKAGE,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [INDEX] = {"index", TK_UINT, 0, NULL, "position among all allocations and frees, from 1"},
    [TIME] = {"time", TK_TIME, 0, NULL,
              "last time recorded before the allocation (one is recorded every few thousand allocations)"},
    [ADDRESS] = {"address", TK_HEX, 0, NULL, "address"},
    [SIZE] = {"bytes", TK_SIZE, 0, NULL, "size; of a swapped-out page after compression"},
    [ALIGNMENT] = {"alignment", TK_SIZE, TK_COL_EXTRA, NULL, "bytes"},
    [KIND] = {"kind", TK_TEXT, 0, NULL,
              "allocation, container (holds smaller ones) or swap (a swapped-out page)"},
    [HEAP] = {"heap_id", TK_UINT, 0, NULL, "root heap; for a container the heap that it belongs to"},
    [HEAP_NAME] = {"heap", TK_TEXT, TK_COL_EXTRA, NULL, "name of the heap"},
    [TAG] = {"tag_id", TK_INT, TK_COL_EXTRA, NULL, "number of the tag, 0 none"},
    [TAG_NAME] = {"tag", TK_TEXT, 0, NULL, "name of the tag"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_EXTRA, NULL, "id of the thread that allocated it"},
    [THREAD] = TK_THREAD_COLUMNS_AS(0, "the thread that allocated it"),
    [CALLSTACK] = {"callstack_id", TK_UINT, 0, NULL, "id of the callstack, 0 none; see table callstacks"},
    [FRAME] = {"frame", TK_TEXT, TK_COL_EXTRA, NULL, "innermost frame of the callstack by module and offset"},
    [ASSET] = {"asset", TK_TEXT, 0, NULL, "asset that the thread was working on"},
    [ASSET_CLASS] = {"asset_class", TK_TEXT, TK_COL_EXTRA, NULL, "class of the asset"},
    [PACKAGE] = {"package", TK_TEXT, TK_COL_EXTRA, NULL, "package of the asset"},
};

static const struct tk_table table = {
    .name = "allocations",
    .help = "live allocations, in order of allocation",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_EACH,
};

#define BIT(column) (UINT64_C(1) << (column))

#define ASSET_COLUMNS (BIT(ASSET) | BIT(ASSET_CLASS) | BIT(PACKAGE))

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    (void)view;
    if (wanted & ASSET_COLUMNS)
        needs->facts |= TK_FACT_MASK(CONTEXT) | TK_FACT_MASK(DEFINITION);
    if (wanted & BIT(FRAME))
        needs->facts |= TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(MODULE) | TK_FACT_MASK(SYMBOL);
}

static unsigned keep_allocations(uint64_t wanted)
{
    unsigned bits = wanted & ASSET_COLUMNS ? TK_ALLOC_BIT(TK_ALLOC_BY_ASSET) : 0;
    if (wanted & (BIT(THREAD_ID) | BIT(THREAD)))
        bits |= TK_ALLOC_BIT(TK_ALLOC_BY_THREAD);
    return bits | (wanted & (BIT(CALLSTACK) | BIT(FRAME)) ? TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK) : 0);
}

static int start_allocations(void *self)
{
    struct tk_memory_table *t = self;
    struct tk_memory_setup setup = {
        .table = table.name, .keep = keep_allocations(t->g.columns), .stops = true};
    return tk_memory_table_init(t, &setup);
}

/* ---- rows ---- */

struct displayed {
    const struct tk_block *block;
    const char *kind;
};

struct displayed_list {
    TK_VEC(struct displayed) v;
};

static int collect_allocations(const struct tk_memory_table *a, const struct tk_live_blocks *from,
                               const char *kind, struct displayed_list *list)
{
    for (uint32_t i = 0; i < from->n; i++) {
        struct displayed displayed = {tk_live_blocks_at(from, i), kind};
        if (displayed.block && tk_memory_answers(&a->model, displayed.block) &&
            tk_vec_push(&list->v, displayed))
            return -1;
    }
    return 0;
}

static int by_index(const void *a, const void *b)
{
    const struct tk_block *x = ((const struct displayed *)a)->block,
                          *y = ((const struct displayed *)b)->block;
    return (x->index > y->index) - (x->index < y->index);
}

/* Of a page that is out only the thread is known. */
static void fill_site(const struct tk_memory_table *a, const struct tk_alloc_site *site, struct tk_cell *row)
{
    const struct tk_asset_list *assets = &a->model.assets;
    row[TAG] = tk_cell_of_int((int32_t)site->tag);
    row[TAG_NAME] = tk_memory_tag_name(&a->names, (int32_t)site->tag);
    row[THREAD_ID] = tk_query_context_thread_id(site->thread);
    tk_thread_put(a->g.view, site->thread, &row[THREAD]);
    row[ASSET] = tk_cell_of_text(tk_asset_name(assets, site->asset));
    row[ASSET_CLASS] = tk_cell_of_text(tk_asset_class(assets, site->asset));
    row[PACKAGE] = tk_cell_of_text(tk_asset_package(assets, site->asset));
}

static int send_one(struct tk_memory_table *a, const struct displayed *displayed, struct tk_emit *emit)
{
    const struct tk_block *b = displayed->block;
    const struct tk_alloc_site *site = &a->model.groups.sites.v[b->site];
    struct tk_cell frame = {.kind = TK_NONE};
    uint32_t callstack = a->model.groups.stacks.n ? a->model.groups.stacks.v[b->stack].callstack : 0;
    if (a->g.columns & BIT(FRAME))
        frame = tk_memory_callstack_name(&a->names, callstack, emit);
    struct tk_cell *row = tk_emit_row(emit);
    if (!row)
        return tk_emit_status(emit);
    row[INDEX] = tk_cell_of_uint(b->index);
    row[TIME] = tk_query_context_time(a->g.view, b->time);
    row[ADDRESS] = (struct tk_cell){.kind = TK_HEX, .v.u = b->address};
    row[SIZE] = tk_cell_of_size(b->size);
    row[ALIGNMENT] = tk_cell_of_size(b->alignment < 64 ? UINT64_C(1) << b->alignment : 0);
    row[KIND] = tk_cell_of_c(displayed->kind);
    row[HEAP] = tk_cell_of_uint(b->heap);
    row[HEAP_NAME] = tk_memory_heap_name(&a->names, b->heap);
    fill_site(a, site, row);
    row[CALLSTACK] = tk_cell_of_uint(callstack);
    row[FRAME] = frame;
    return TK_OK;
}

static int send_all_allocations(struct tk_memory_table *a, struct displayed_list *list, struct tk_emit *emit)
{
    int rc = TK_OK;
    if (collect_allocations(a, &a->model.alive, "allocation", list) ||
        collect_allocations(a, &a->model.containers, "container", list) ||
        collect_allocations(a, &a->model.swapped, "swap", list) ||
        tk_sort(list->v.v, list->v.n, sizeof *list->v.v, by_index))
        return TK_ENOMEM;
    for (size_t i = 0; i < list->v.n && rc == TK_OK; i++)
        rc = send_one(a, &list->v.v[i], emit);
    return rc;
}

static int send_allocations(void *self, struct tk_emit *emit)
{
    struct displayed_list list = {0};
    int rc = send_all_allocations(self, &list, emit);
    tk_vec_release(&list.v);
    return rc == TK_ENOMEM ? -1 : 0;
}

static const struct tk_collecting gathering = {
    .what = "allocations",
    .size = sizeof(struct tk_memory_table),
    .start = start_allocations,
    .settle = tk_memory_table_settle,
    .send = send_allocations,
    .release = tk_memory_table_release,
};

const struct tk_builder tk_builder_allocations = {
    .table = &table,
    .needs = {.facts = TK_MEMORY_FACTS | TK_FACT_MASK(MEMORY_TAG), .order = TK_NEEDS_SEQ_ORDER},
    .add_needs = add_needs,
    TK_MEMORY_TABLE(gathering),
};
