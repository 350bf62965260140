/*
 * Groups by what allocated. See code_groups.h.
 */
#include "model/memory/code_groups.h"

static const struct {
    unsigned asked;
    enum tk_alloc_by by;
} kinds[] = {{TK_BY_FUNCTION, TK_ALLOC_BY_FUNCTION},
             {TK_BY_MODULE, TK_ALLOC_BY_MODULE},
             {TK_BY_FILE, TK_ALLOC_BY_FILE}};

unsigned tk_code_groups_asked(const struct tk_query_context *view)
{
    return view->query->by & (TK_BY_FUNCTION | TK_BY_MODULE | TK_BY_FILE);
}

static void add_sums(struct tk_alloc_group *to, const struct tk_alloc_group *g)
{
    to->allocs += g->allocs;
    to->frees += g->frees;
    to->reallocs += g->reallocs;
    to->alloc_bytes += g->alloc_bytes;
    to->freed_bytes += g->freed_bytes;
    to->then_bytes += g->then_bytes;
    to->then_count += g->then_count;
    to->short_count += g->short_count;
    to->short_bytes += g->short_bytes;
    to->unframed += g->unframed;
    to->unframed_bytes += g->unframed_bytes;
    to->ends.from_bytes += g->ends.from_bytes;
    to->ends.from_count += g->ends.from_count;
    to->ends.to_bytes += g->ends.to_bytes;
    to->ends.to_count += g->ends.to_count;
    to->ends.kept_bytes += g->ends.kept_bytes;
    to->ends.kept_count += g->ends.kept_count;
}

static const struct tk_str *text_of(const struct tk_memory_place *place, enum tk_alloc_by by)
{
    return by == TK_ALLOC_BY_FUNCTION ? place->function
           : by == TK_ALLOC_BY_MODULE ? place->module
                                      : place->file;
}

/* The key of a text, from 1; 0: none. UINT32_MAX when memory is out. */
static uint32_t key_of(struct tk_memory_table *m, const struct tk_str *text)
{
    if (!text)
        return 0;
    const uint64_t key = (uint64_t)(uintptr_t)text;
    uint32_t at = tk_map_get(&m->code_index, key);
    if (at != TK_MAP_NONE)
        return at;
    if (tk_vec_push(&m->code_texts, text) || tk_map_put(&m->code_index, key, (uint32_t)m->code_texts.n))
        return UINT32_MAX;
    return (uint32_t)m->code_texts.n;
}

static int add_to(struct tk_memory_table *m, enum tk_alloc_by by, const struct tk_alloc_group *from,
                  const struct tk_str *text)
{
    struct tk_alloc_groups *groups = &m->model.groups;
    const uint32_t key = key_of(m, text);
    const uint64_t hash = tk_hash_pair((uint64_t)by << 32 | from->heap, key);
    uint32_t at = tk_map_get(&m->code_groups, hash);
    if (key == UINT32_MAX)
        return -1;
    if (at == TK_MAP_NONE) {
        const struct tk_alloc_group made = {.by = (uint8_t)by, .heap = from->heap, .key = key};
        at = (uint32_t)groups->made.n;
        if (tk_vec_push(&groups->made, made) || tk_map_put(&m->code_groups, hash, at))
            return -1;
    }
    add_sums(&groups->made.v[at], from);
    return 0;
}

static int add_group(struct tk_memory_table *m, const struct tk_alloc_group *from, unsigned asked)
{
    struct tk_memory_place place;
    int rc = tk_memory_place_of(&m->names, from->key, &place);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && rc == 0; i++)
        if (asked & kinds[i].asked)
            rc = add_to(m, kinds[i].by, from, text_of(&place, kinds[i].by));
    return rc;
}

int tk_code_groups_add(struct tk_memory_table *m)
{
    const unsigned asked = tk_code_groups_asked(m->g.view);
    struct tk_alloc_groups *groups = &m->model.groups;
    int rc = 0;
    for (size_t i = 0; asked && i < groups->ids.n && rc == 0; i++) {
        const struct tk_alloc_group from = tk_alloc_group_at(groups, i);
        if (from.by == TK_ALLOC_BY_CALLSTACK)
            rc = add_group(m, &from, asked);
    }
    if (asked && !(m->g.view->query->by & TK_BY_CALLSTACK))
        groups->hidden |= TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK);
    return rc;
}
