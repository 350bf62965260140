/*
 * Table `assets`: what threads worked for, in the order of first use, and the memory that belongs to it.
 */
#include "model/memory/memory_in.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>

enum {
    ASSET,
    CLASS,
    PACKAGE,
    PACKAGE_ID,
    SCOPES,
    ALIVE_BYTES,
    ALIVE_COUNT,
    PEAK_BYTES,
    ALLOCS,
    FREES,
    ALLOC_BYTES,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [ASSET] = {"asset", TK_TEXT, 0, NULL, "name of the asset, or of the package if no asset is known"},
    [CLASS] = {"class", TK_TEXT, 0, NULL, "class of the asset"},
    [PACKAGE] = {"package", TK_TEXT, 0, NULL, "package of the asset"},
    [PACKAGE_ID] = {"package_id", TK_HEX, TK_COL_EXTRA, NULL, "id of the package, if no asset is known"},
    [SCOPES] = {"scopes", TK_UINT, 0, NULL, "number of times that a thread started to work on it"},
    [ALIVE_BYTES] = {"alive_bytes", TK_SIZE, 0, NULL,
                     "bytes alive at the requested time, or at the end, in all heaps"},
    [ALIVE_COUNT] = {"alive_count", TK_UINT, 0, NULL, "number of these allocations"},
    [PEAK_BYTES] = {"peak_bytes", TK_SIZE, 0, NULL,
                    "largest number of bytes alive at one time; with several heaps the sum of their peaks"},
    [ALLOCS] = {"allocs", TK_UINT, 0, NULL, "allocations, without reallocations"},
    [FREES] = {"frees", TK_UINT, 0, NULL, "frees of its allocations, without reallocations"},
    [ALLOC_BYTES] = {"alloc_bytes", TK_SIZE, 0, NULL, "bytes allocated, also by reallocations"},
};

static const struct tk_table table = {
    .name = "assets",
    .help = "assets that threads were working on, and their memory",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct sums {
    uint64_t bytes, count, peak, allocs, frees, alloc_bytes;
};

static int start_assets(void *self)
{
    struct tk_memory_setup setup = {.table = table.name, .by = TK_ALLOC_BIT(TK_ALLOC_BY_ASSET)};
    return tk_memory_table_init(self, &setup);
}

/* By number of the asset, over all heaps. */
static void add_up(const struct tk_memory *m, struct sums *sums)
{
    for (size_t i = 0; i < tk_alloc_groups_count(&m->groups); i++) {
        const struct tk_alloc_group g = tk_alloc_group_at(&m->groups, i);
        struct sums *s = &sums[g.key];
        s->bytes += g.then_bytes;
        s->count += g.then_count;
        s->peak += g.peak_bytes;
        s->allocs += g.allocs;
        s->frees += g.frees;
        s->alloc_bytes += g.alloc_bytes;
    }
}

static void fill_assets(const struct tk_asset_list *assets, uint32_t asset, const struct sums *s,
                        struct tk_cell *row)
{
    const struct tk_asset *info = &assets->assets.v[asset - 1];
    row[ASSET] = tk_cell_of_text(tk_asset_name(assets, asset));
    row[CLASS] = tk_cell_of_text(tk_asset_class(assets, asset));
    row[PACKAGE] = tk_cell_of_text(tk_asset_package(assets, asset));
    if (info->info.op == TK_CONTEXT_PACKAGE)
        row[PACKAGE_ID] = (struct tk_cell){.kind = TK_HEX, .v.u = info->info.id};
    row[SCOPES] = tk_cell_of_uint(info->scopes);
    row[ALIVE_BYTES] = tk_cell_of_size(s->bytes);
    row[ALIVE_COUNT] = tk_cell_of_uint(s->count);
    row[PEAK_BYTES] = tk_cell_of_size(s->peak);
    row[ALLOCS] = tk_cell_of_uint(s->allocs);
    row[FREES] = tk_cell_of_uint(s->frees);
    row[ALLOC_BYTES] = tk_cell_of_size(s->alloc_bytes);
}

static void send_all_assets(const struct tk_memory *m, const struct sums *sums, struct tk_emit *emit)
{
    for (uint32_t asset = 1; asset <= m->assets.assets.n; asset++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return;
        fill_assets(&m->assets, asset, &sums[asset], row);
    }
}

static int send_assets(void *self, struct tk_emit *emit)
{
    const struct tk_memory *m = &((struct tk_memory_table *)self)->model;
    struct sums *sums = calloc(m->assets.assets.n + 1, sizeof *sums);
    if (!sums)
        return -1;
    add_up(m, sums);
    send_all_assets(m, sums, emit);
    free(sums);
    return 0;
}

static const struct tk_collecting gathering = {
    .what = "assets",
    .size = sizeof(struct tk_memory_table),
    .start = start_assets,
    .settle = tk_memory_table_settle,
    .send = send_assets,
    .release = tk_memory_table_release,
};

const struct tk_builder tk_builder_assets = {
    .table = &table,
    .needs = {.facts = TK_MEMORY_FACTS | TK_FACT_MASK(CONTEXT) | TK_FACT_MASK(DEFINITION),
              .order = TK_NEEDS_SEQ_ORDER},
    TK_MEMORY_TABLE(gathering),
};
