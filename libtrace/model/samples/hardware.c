/*
 * Tables `hardware_functions` and `hardware_lines`: what the counters of the processor found executed, by
 * function and by line, and the ratios of counters that belong together. Samples of one counter stand for the
 * same number of events each, so that ratios of samples are those of events.
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "model/code/code_map.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdio.h>

enum {
    FUNCTION,
    MODULE,
    FILE_NAME,
    LINE,
    CYCLES,
    RETIRED,
    CACHE_REFERENCES,
    CACHE_MISSES,
    BRANCHES,
    BRANCH_MISSES,
    CYCLES_SHARE,
    IPC,
    CACHE_MISS,
    BRANCH_MISS,
    OFFSETS,
    COLUMNS
};

#define COUNTER_COLUMNS                                                                                      \
    [CYCLES] = {"cycles", TK_UINT, 0, "samples", "samples of cycles"},                                       \
    [RETIRED] = {"retired", TK_UINT, 0, "samples", "samples of retired instructions"},                       \
    [CACHE_REFERENCES] = {"cache_references", TK_UINT, TK_COL_EXTRA, "samples",                              \
                          "samples of cache references"},                                                    \
    [CACHE_MISSES] = {"cache_misses", TK_UINT, TK_COL_EXTRA, "samples", "samples of cache misses"},          \
    [BRANCHES] = {"branches", TK_UINT, TK_COL_EXTRA, "samples", "samples of retired branches"},              \
    [BRANCH_MISSES] = {"branch_misses", TK_UINT, TK_COL_EXTRA, "samples",                                    \
                       "samples of mispredicted branches"},                                                  \
    [CYCLES_SHARE] = {"cycles_share", TK_REAL, TK_COL_PART, NULL, "share of all cycle samples, 0 to 1"},     \
    [IPC] = {"ipc", TK_REAL, 0, NULL, "instructions per cycle: retired by cycles, in samples"},              \
    [CACHE_MISS] = {"cache_miss", TK_REAL, TK_COL_PART, NULL,                                                \
                    "cache miss rate: misses by references, 0 to 1"},                                        \
    [BRANCH_MISS] = {"branch_miss", TK_REAL, TK_COL_PART, NULL,                                              \
                     "branch miss rate: misses by branches, 0 to 1"},                                        \
    [OFFSETS] = {"offsets", TK_TEXT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY | TK_COL_OPTIONAL, NULL,               \
                 TK_CODE_OFFSETS_HELP}

#define FUNCTION_HELP "function; one row for all of a module without any"

static const struct tk_column function_columns[COLUMNS] = {
    [FUNCTION] = {"function", TK_TEXT, 0, NULL, FUNCTION_HELP},
    [MODULE] = {"module", TK_TEXT, 0, NULL, "executable or library"},
    [FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file"},
    [LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line of the first sample, or of the start"},
    COUNTER_COLUMNS,
};

static const struct tk_column line_columns[COLUMNS] = {
    [FUNCTION] = {"function", TK_TEXT, 0, NULL, FUNCTION_HELP},
    [MODULE] = {"module", TK_TEXT, TK_COL_EXTRA, NULL, "executable or library"},
    [FILE_NAME] = {"file", TK_TEXT, 0, NULL, "source file; empty if it is not known"},
    [LINE] = {"line", TK_UINT, 0, NULL, "line in it; empty if it is not known"},
    COUNTER_COLUMNS,
};

static const struct tk_table tables[] = {
    {.name = "hardware_functions",
     .schema = 2,
     .help = "hardware counter samples by function, with instructions per cycle and miss rates",
     .columns = function_columns,
     .n_columns = COLUMNS,
     .sort_by = "cycles"},
    {.name = "hardware_lines",
     .schema = 2,
     .help = "hardware counter samples by source line",
     .columns = line_columns,
     .n_columns = COLUMNS,
     .sort_by = "cycles"},
};

/* Samples of all counters, of an address or of a row. */
struct counts {
    uint64_t n[TK_HARDWARE_EVENTS];
};

struct sampled_address {
    uint64_t address;
    struct counts counts;
};

/* A row. Texts live as long as the capture, or as the state. */
struct sum {
    const struct tk_str *function, *module, *file;
    uint32_t line;
    uint32_t number; /* in the order in which they were met */
    bool unknown;    /* it stands for all of a module whose function is not known */
    struct counts counts;
};

struct hardware {
    struct tk_collector g;
    bool by_line;
    struct tk_code_map code;
    struct tk_intern texts;
    TK_VEC(struct tk_fact_function) functions; /* by address, when all is read */
    TK_VEC(struct sampled_address) addresses;
    struct tk_map address_index; /* address -> place */
    TK_VEC(struct sum) v;
    struct counts all;
    struct tk_code_offsets offsets;
};

static int start_lines(void *self)
{
    ((struct hardware *)self)->by_line = true;
    return 0;
}

static int take_sample(struct hardware *h, const struct tk_fact *fact)
{
    const struct tk_fact_hardware *info = &fact->u.hardware;
    if (info->event >= TK_HARDWARE_EVENTS || !tk_select_has(h->g.view->select, fact->time))
        return 0;
    uint32_t at = tk_map_get(&h->address_index, info->address);
    if (at == TK_MAP_NONE) {
        if (!tk_row_limit_for(&h->g.capacity, h->addresses.n))
            return 0;
        at = (uint32_t)h->addresses.n;
        if (tk_vec_push(&h->addresses, ((struct sampled_address){.address = info->address})) ||
            tk_map_put(&h->address_index, info->address, at) ||
            tk_code_map_want(&h->code, info->address, true))
            return -1;
    }
    h->addresses.v[at].counts.n[info->event]++;
    h->all.n[info->event]++;
    return 0;
}

static int take_hardware(void *self, const struct tk_fact *fact)
{
    struct hardware *h = self;
    if (fact->kind == TK_FACT_HARDWARE)
        return take_sample(h, fact);
    if (fact->kind == TK_FACT_FUNCTION)
        return tk_vec_push(&h->functions, fact->u.function);
    return tk_code_map_feed(&h->code, fact);
}

/* ---- functions ---- */

static int by_address(const void *a, const void *b)
{
    const struct tk_fact_function *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* The function that an address lies in, by the sizes that the capture knows. */
static const struct tk_fact_function *function_at(const struct hardware *h, uint64_t address)
{
    size_t at;
    TK_SEARCH(at, h->functions.n, h->functions.v[at].address <= address);
    const struct tk_fact_function *f = at ? &h->functions.v[at - 1] : NULL;
    return f && address - f->address < f->bytes ? f : NULL;
}

/* What an address is displayed as: the innermost function there, else the one around it, else its module. 0,
 * or -1 if out of memory. */
static int place_of(struct hardware *h, uint64_t address, struct sum *out)
{
    const struct tk_symbol *symbol = tk_code_symbol(&h->code, address, true);
    const struct tk_symbol_place *known =
        symbol && !symbol->open ? tk_symbol_place(&h->code.symbols, symbol, 0) : NULL;
    const struct tk_fact_function *around = known && known->function ? NULL : function_at(h, address);
    const struct tk_code_place place =
        tk_code_place_of(&h->code, tk_module_at(&h->code.modules, address), address);
    out->module = NULL;
    if (place.module.p && !(out->module = tk_intern(&h->texts, place.module.p, place.module.n,
                                                    (enum tk_encoding)place.module.enc)))
        return -1;
    if (known && known->function) {
        *out = (struct sum){known->function, out->module, known->file, known->line, 0, false, {{0}}};
    } else if (around && around->place.function) {
        const uint32_t line = h->by_line ? 0 : around->place.line; /* that of another instruction */
        *out = (struct sum){around->place.function, around->image, around->place.file, line, 0, false, {{0}}};
    } else {
        out->function = tk_code_no_function(&h->texts, out->module);
        out->unknown = true;
    }
    return out->function ? 0 : -1;
}

static uint64_t text_hash(const struct tk_str *text)
{
    return text ? tk_hash_bytes(text->p, text->n, text->enc) : 0;
}

/* What is one row: equal texts are one, whoever keeps them. */
static uint64_t key_of(const struct hardware *h, const struct sum *sum)
{
    const uint64_t key = tk_hash_pair(text_hash(sum->function), text_hash(sum->module));
    return h->by_line ? tk_hash_pair(tk_hash_pair(key, text_hash(sum->file)), sum->line) : key;
}

static int add_offset(struct hardware *h, const struct sum *sum, const struct sampled_address *from)
{
    const bool wanted = h->g.columns >> OFFSETS & 1;
    if (!sum->unknown || !wanted)
        return 0;
    const struct tk_code_place place =
        tk_code_place_of(&h->code, tk_module_at(&h->code.modules, from->address), from->address);
    return tk_code_offsets_add(&h->offsets, sum->number, place.has_offset ? place.offset : from->address, 1,
                               true, from->counts.n[TK_HARDWARE_CYCLES]);
}

static int add_address(struct hardware *h, const struct sampled_address *from)
{
    struct sum sum = {.function = NULL};
    if (place_of(h, from->address, &sum))
        return -1;
    const uint64_t key = key_of(h, &sum);
    uint32_t at = tk_map_get(&h->g.index, key);
    if (at == TK_MAP_NONE) {
        sum.number = at = (uint32_t)h->v.n;
        if (tk_vec_push(&h->v, sum) || tk_map_put(&h->g.index, key, at))
            return -1;
    }
    for (unsigned e = 0; e < TK_HARDWARE_EVENTS; e++)
        h->v.v[at].counts.n[e] += from->counts.n[e];
    return add_offset(h, &h->v.v[at], from);
}

static int settle_hardware(void *self)
{
    struct hardware *h = self;
    int rc = tk_code_map_settle(&h->code, h->g.view->ctx);
    if (rc == 0)
        rc = tk_sort(h->functions.v, h->functions.n, sizeof *h->functions.v, by_address);
    for (size_t i = 0; i < h->addresses.n && rc == 0; i++)
        rc = add_address(h, &h->addresses.v[i]);
    return rc ? rc : tk_code_offsets_settle(&h->offsets);
}

/* ---- rows ---- */

static int by_counts(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    for (unsigned e = 0; e < TK_HARDWARE_EVENTS; e++)
        if (x->counts.n[e] != y->counts.n[e])
            return x->counts.n[e] > y->counts.n[e] ? -1 : 1;
    const int c = tk_str_order(x->function, y->function);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

static struct tk_cell ratio(uint64_t of, uint64_t by)
{
    return by ? tk_cell_of_real((double)of / (double)by) : (struct tk_cell){.kind = TK_NONE};
}

static void fill_hardware(const void *self, const void *thing, struct tk_cell *row)
{
    const struct hardware *h = self;
    const struct sum *sum = thing;
    const uint64_t *n = sum->counts.n;
    row[FUNCTION] = tk_cell_of_text(sum->function);
    row[MODULE] = tk_cell_of_text(sum->module);
    row[FILE_NAME] = tk_cell_of_text(sum->file);
    if (sum->line)
        row[LINE] = tk_cell_of_uint(sum->line);
    for (unsigned e = 0; e < TK_HARDWARE_EVENTS; e++)
        row[CYCLES + e] = tk_cell_of_uint(n[e]);
    row[CYCLES_SHARE] = ratio(n[TK_HARDWARE_CYCLES], h->all.n[TK_HARDWARE_CYCLES]);
    row[IPC] = ratio(n[TK_HARDWARE_RETIRED], n[TK_HARDWARE_CYCLES]);
    row[CACHE_MISS] = ratio(n[TK_HARDWARE_CACHE_MISSES], n[TK_HARDWARE_CACHE_REFERENCES]);
    row[BRANCH_MISS] = ratio(n[TK_HARDWARE_BRANCH_MISSES], n[TK_HARDWARE_BRANCHES]);
    row[OFFSETS] = tk_code_offsets_cell(&h->offsets, sum->number, h->g.emit);
}

static void release_hardware(void *self)
{
    struct hardware *h = self;
    tk_code_map_release(&h->code);
    tk_intern_release(&h->texts);
    tk_code_offsets_release(&h->offsets);
    tk_vec_release(&h->functions);
    tk_vec_release(&h->addresses);
    tk_map_release(&h->address_index);
}

#define COLLECTING                                                                                           \
    .take = take_hardware, .settle = settle_hardware, .release = release_hardware,                           \
    TK_COLLECTOR_ROWS(struct hardware, v), .order = by_counts, .fill = fill_hardware

static const struct tk_collecting of_functions = {.what = "samples of the processor", COLLECTING};
static const struct tk_collecting of_lines = {
    .what = "samples of the processor", .start = start_lines, COLLECTING};

#define HARDWARE_FACTS (TK_FACT_MASK(HARDWARE) | TK_FACT_MASK(FUNCTION) | TK_CODE_MAP_FACTS)

const struct tk_builder tk_builder_hardware_functions = {
    .table = &tables[0],
    .needs = {.facts = HARDWARE_FACTS},
    TK_COLLECTS(of_functions),
};
const struct tk_builder tk_builder_hardware_lines = {
    .table = &tables[1],
    .needs = {.facts = HARDWARE_FACTS},
    TK_COLLECTS(of_lines),
};
