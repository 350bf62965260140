/*
 * What rows about groups of allocations are called. See memory_rows.h.
 */
#include "model/memory/memory_rows.h"

#include "query/context_cells.h"

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
    unsigned asked;
    enum tk_alloc_by by;
} groups_asked[] = {
    {TK_BY_HEAP, TK_ALLOC_BY_HEAP},     {TK_BY_TAG, TK_ALLOC_BY_TAG},
    {TK_BY_THREAD, TK_ALLOC_BY_THREAD}, {TK_BY_SIZE, TK_ALLOC_BY_SIZE},
    {TK_BY_ASSET, TK_ALLOC_BY_ASSET},   {TK_BY_CALLSTACK, TK_ALLOC_BY_CALLSTACK},
    {TK_BY_FILE, TK_ALLOC_BY_FILE},     {TK_BY_FUNCTION, TK_ALLOC_BY_FUNCTION},
    {TK_BY_MODULE, TK_ALLOC_BY_MODULE},
};

unsigned tk_memory_groups_asked(const struct tk_query_context *view)
{
    const unsigned total = TK_ALLOC_BIT(TK_ALLOC_BY_TOTAL);
    unsigned bits = total;
    for (size_t i = 0; i < sizeof groups_asked / sizeof *groups_asked; i++)
        if (view->query->by & groups_asked[i].asked)
            bits |= TK_ALLOC_BIT(groups_asked[i].by);
    return bits == total ? (TK_ALLOC_BIT(TK_ALLOC_BY_COUNT) - 1) & ~TK_ALLOC_BY_CODE : bits;
}

unsigned tk_memory_beforehand(const struct tk_query_context *view)
{
    return tk_memory_groups_asked(view) & TK_ALLOC_BY_CODE ? TK_PRESCAN_PLACES : 0;
}

uint64_t tk_memory_groups_facts(unsigned groups, bool named)
{
    uint64_t facts = 0;
    if (groups & TK_ALLOC_BIT(TK_ALLOC_BY_ASSET))
        facts |= TK_FACT_MASK(CONTEXT) | (named ? TK_FACT_MASK(DEFINITION) : 0);
    /* With groups of what allocated the places of all callstacks are known beforehand. */
    if (groups & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK) && !(groups & TK_ALLOC_BY_CODE) && named)
        facts |= TK_FACT_MASK(CALLSTACK) | TK_FACT_MASK(MODULE) | TK_FACT_MASK(SYMBOL);
    return facts;
}

static struct tk_cell callstack_name(struct tk_memory_table *m, uint32_t callstack, struct tk_emit *emit)
{
    const struct tk_alloc_places *places = m->model.groups.places;
    if (!places)
        return tk_memory_callstack_name(&m->names, callstack, emit);
    const struct tk_alloc_place *place = &places->places.v[tk_alloc_place_of(places, callstack)];
    return tk_cell_of_text(tk_alloc_place_text(places, place->texts[TK_PLACE_FUNCTION]));
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
