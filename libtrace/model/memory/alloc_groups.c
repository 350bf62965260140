/*
 * Sites, stacks and groups of allocations. See alloc_groups.h.
 */
#include "model/memory/alloc_groups.h"

#include "base/hash/checksum.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 256 };

void tk_alloc_groups_init(struct tk_alloc_groups *g, unsigned by, unsigned keep,
                          const struct tk_limits *limits)
{
    *g = (struct tk_alloc_groups){
        .by = by, .keep = by | keep, .limit = limits->memory_groups, .key = tk_hash_key()};
    for (enum tk_alloc_by i = 0; i <= TK_ALLOC_BY_ASSET; i++)
        if (by & TK_ALLOC_BIT(i) && i != TK_ALLOC_BY_SIZE)
            g->plain[g->n_plain++] = i;
}

/* ---- groups ---- */

/* A kind has 3 bits, a heap 16, what is left 45: no two groups have the same. */
static uint64_t group_key(enum tk_alloc_by by, uint32_t heap, uint32_t key)
{
    return (uint64_t)by << 61 | (uint64_t)(heap & 0xffff) << 32 | key;
}

int tk_alloc_group_of(struct tk_alloc_groups *g, enum tk_alloc_by by, uint32_t heap, uint32_t key,
                      uint32_t *out)
{
    uint64_t whole = group_key(by, heap, key);
    struct tk_alloc_group group = {.by = (uint8_t)by, .heap = heap, .key = key};
    struct tk_alloc_flow flow = {0};
    *out = tk_map_get(&g->index, whole);
    if (*out != TK_MAP_NONE)
        return 0;
    *out = (uint32_t)g->groups.n;
    if (tk_vec_push(&g->groups, group) || tk_vec_push(&g->flows, flow))
        return -1;
    return tk_map_put(&g->index, whole, *out);
}

/* ---- the selected time ---- */

/* Adds a flow up to now, or takes it away; modulo 2^64. */
static void add_flow(struct tk_alloc_group *g, const struct tk_alloc_flow *flow, uint64_t factor)
{
    g->allocs += factor * (flow->in_count - flow->re_in);
    g->frees += factor * (flow->out_count - flow->re_out);
    g->reallocs += factor * flow->re_in;
    g->alloc_bytes += factor * flow->in_bytes;
    g->freed_bytes += factor * flow->out_bytes;
}

void tk_alloc_group_begin(struct tk_alloc_group *g, struct tk_alloc_flow *flow)
{
    add_flow(g, flow, UINT64_MAX);
    tk_alloc_peak(flow);
}

void tk_alloc_group_end(struct tk_alloc_group *g, struct tk_alloc_flow *flow)
{
    add_flow(g, flow, 1);
    g->peak_bytes = flow->peak_bytes;
    g->peak_count = flow->peak_count;
}

void tk_alloc_groups_begin(struct tk_alloc_groups *g)
{
    for (size_t i = 0; i < g->groups.n; i++)
        tk_alloc_group_begin(&g->groups.v[i], &g->flows.v[i]);
}

void tk_alloc_groups_end(struct tk_alloc_groups *g)
{
    for (size_t i = 0; i < g->groups.n; i++)
        tk_alloc_group_end(&g->groups.v[i], &g->flows.v[i]);
}

/* ---- sizes and stacks ---- */

static int find_sizes(struct tk_alloc_groups *g, struct tk_alloc_site *site)
{
    struct tk_alloc_sizes none = {{0}};
    site->sizes = tk_map_get(&g->size_index, site->heap);
    if (site->sizes != TK_MAP_NONE)
        return 0;
    site->sizes = (uint32_t)g->sizes.n;
    return tk_vec_push(&g->sizes, none) ? -1 : tk_map_put(&g->size_index, site->heap, site->sizes);
}

int tk_alloc_size_of(struct tk_alloc_groups *g, const struct tk_block *block)
{
    const struct tk_alloc_site *site = &g->sites.v[block->site];
    uint32_t class = tk_size_class(block->size), group;
    if (!(g->by & TK_ALLOC_BIT(TK_ALLOC_BY_SIZE)) || site->left_out || g->sizes.v[site->sizes].groups[class])
        return 0;
    if (tk_alloc_group_of(g, TK_ALLOC_BY_SIZE, site->heap, class, &group))
        return -1;
    g->sizes.v[site->sizes].groups[class] = group + 1;
    return 0;
}

/* The slot of a callstack in a heap: its own, or the empty one where it belongs. */
static size_t stack_slot(const struct tk_alloc_groups *g, uint32_t heap, uint32_t callstack)
{
    size_t i = (size_t)tk_mix(((uint64_t)heap << 32 | callstack) ^ g->key) & g->stack_mask;
    for (; g->stack_slots[i]; i = (i + 1) & g->stack_mask) {
        const struct tk_alloc_stack *stack = &g->stacks.v[g->stack_slots[i] - 1];
        if (stack->callstack == callstack && stack->heap == heap)
            break;
    }
    return i;
}

static int grow_stacks(struct tk_alloc_groups *g)
{
    size_t n = g->stack_slots ? (g->stack_mask + 1) * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        return -1;
    free(g->stack_slots);
    g->stack_slots = slots;
    g->stack_mask = n - 1;
    for (size_t i = 0; i < g->stacks.n; i++)
        g->stack_slots[stack_slot(g, g->stacks.v[i].heap, g->stacks.v[i].callstack)] = (uint32_t)i + 1;
    return 0;
}

static int add_stack(struct tk_alloc_groups *g, uint32_t heap, uint32_t callstack)
{
    struct tk_alloc_stack stack = {.heap = heap, .callstack = callstack};
    if (g->by & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK) &&
        tk_alloc_group_of(g, TK_ALLOC_BY_CALLSTACK, heap, callstack, &stack.group))
        return -1;
    if (tk_vec_push(&g->stacks, stack))
        return -1;
    g->stack_slots[stack_slot(g, heap, callstack)] = (uint32_t)g->stacks.n;
    return 0;
}

int tk_alloc_stack_of(struct tk_alloc_groups *g, uint32_t heap, uint32_t callstack, uint32_t *out)
{
    if ((!g->stack_slots || g->stacks.n >= g->stack_mask / 2) && grow_stacks(g))
        return -1;
    uint32_t known = g->stack_slots[stack_slot(g, heap, callstack)];
    if (!known && g->stacks.n >= g->limit && callstack) {
        g->not_told++;
        return tk_alloc_stack_of(g, heap, 0, out);
    }
    if (!known && add_stack(g, heap, callstack))
        return -1;
    *out = known ? known - 1 : (uint32_t)g->stacks.n - 1;
    return 0;
}

/* ---- sites ---- */

static uint64_t hash_of_alloc_groups(const struct tk_alloc_groups *g, const struct tk_alloc_site *s)
{
    uint64_t h = tk_mix(((uint64_t)s->asset << 32 | s->heap << 1 | s->left_out) ^ g->key);
    return tk_mix(h ^ ((uint64_t)s->tag << 32 | s->thread));
}

static bool same_alloc_groups(const struct tk_alloc_site *a, const struct tk_alloc_site *b)
{
    return a->heap == b->heap && a->tag == b->tag && a->thread == b->thread && a->asset == b->asset &&
           a->left_out == b->left_out;
}

/* The slot of a site: its own, or the empty one where it belongs. */
static size_t slot_of(const struct tk_alloc_groups *g, const struct tk_alloc_site *site)
{
    size_t i = (size_t)hash_of_alloc_groups(g, site) & g->mask;
    while (g->slots[i] && !same_alloc_groups(&g->sites.v[g->slots[i] - 1], site))
        i = (i + 1) & g->mask;
    return i;
}

static int grow(struct tk_alloc_groups *g)
{
    size_t n = g->slots ? (g->mask + 1) * 2 : FIRST_SLOTS;
    uint32_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        return -1;
    free(g->slots);
    g->slots = slots;
    g->mask = n - 1;
    for (size_t i = 0; i < g->sites.n; i++)
        g->slots[slot_of(g, &g->sites.v[i])] = (uint32_t)i + 1;
    return 0;
}

static int find_groups(struct tk_alloc_groups *g, struct tk_alloc_site *site)
{
    const uint32_t keys[] = {
        [TK_ALLOC_BY_TOTAL] = 0,       [TK_ALLOC_BY_HEAP] = 0,
        [TK_ALLOC_BY_TAG] = site->tag, [TK_ALLOC_BY_THREAD] = site->thread,
        [TK_ALLOC_BY_SIZE] = 0,        [TK_ALLOC_BY_ASSET] = site->asset,
    };
    for (unsigned i = 0; i < g->n_plain && !site->left_out; i++) {
        enum tk_alloc_by by = g->plain[i];
        if (tk_alloc_group_of(g, by, by == TK_ALLOC_BY_TOTAL ? 0 : site->heap, keys[by], &site->groups[by]))
            return -1;
    }
    return find_sizes(g, site);
}

static int add_alloc_groups(struct tk_alloc_groups *g, const struct tk_alloc_site *wanted, uint32_t *out)
{
    struct tk_alloc_site site = *wanted;
    if (g->sites.n >= g->limit) {
        g->not_told++;
        site = (struct tk_alloc_site){.heap = wanted->heap, .left_out = wanted->left_out};
    }
    if ((!g->slots || g->sites.n >= g->mask / 2) && grow(g))
        return -1;
    size_t at = slot_of(g, &site);
    if (!g->slots[at]) {
        if (find_groups(g, &site) || tk_vec_push(&g->sites, site))
            return -1;
        g->slots[at] = (uint32_t)g->sites.n;
    }
    *out = g->slots[at] - 1;
    return 0;
}

int tk_alloc_site_of(struct tk_alloc_groups *g, const struct tk_alloc_site *site, uint32_t *out)
{
    if (g->slots) {
        size_t at = slot_of(g, site);
        if (g->slots[at]) {
            *out = g->slots[at] - 1;
            return 0;
        }
    }
    return add_alloc_groups(g, site, out);
}

void tk_alloc_groups_release(struct tk_alloc_groups *g)
{
    tk_vec_release(&g->sites);
    tk_vec_release(&g->stacks);
    tk_vec_release(&g->sizes);
    tk_vec_release(&g->groups);
    tk_vec_release(&g->flows);
    tk_map_release(&g->index);
    tk_map_release(&g->size_index);
    free(g->slots);
    free(g->stack_slots);
    g->slots = g->stack_slots = NULL;
}
