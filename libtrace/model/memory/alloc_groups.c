/*
 * Sites, stacks and groups of allocations.
 */
#include "base/checksum.h"
#include "base/sort.h"
#include "model/memory/memory_model.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 256, FIRST_FLOWS = 32, CACHE_LINE = 64 };

void tk_alloc_groups_init(struct tk_alloc_groups *g, unsigned by, unsigned keep, unsigned parts,
                          const struct tk_alloc_places *places, const struct tk_limits *limits)
{
    const bool coded = by & TK_ALLOC_BY_CODE;
    *g = (struct tk_alloc_groups){.by = by,
                                  .keep = by | keep | (coded ? TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK) : 0),
                                  .parts = parts,
                                  .places = coded ? places : NULL,
                                  .limit = limits->memory_groups,
                                  .key = tk_hash_key()};
    for (enum tk_alloc_by i = 0; i <= TK_ALLOC_BY_ASSET; i++)
        if (by & TK_ALLOC_BIT(i) && i != TK_ALLOC_BY_SIZE)
            g->plain[g->n_plain++] = i;
}

/* ---- groups ---- */

/* A kind has 4 bits, a heap 16, a key 32: no two groups have the same. */
static uint64_t group_key(enum tk_alloc_by by, uint32_t heap, uint32_t key)
{
    return (uint64_t)by << 60 | (uint64_t)(heap & 0xffff) << 32 | key;
}

/* Makes space for more flows. Memory that grows in place need not begin at a line, so they begin behind that.
 */
static int grow_flows(struct tk_alloc_groups *g)
{
    const size_t capacity = g->flows.cap + g->flows.cap / 2 + FIRST_FLOWS;
    const size_t before = g->flows.n ? (size_t)((uint8_t *)g->flows.v - g->flow_memory) : 0;
    uint8_t *memory = realloc(g->flow_memory, capacity * sizeof *g->flows.v + CACHE_LINE);
    if (!memory)
        return -1;
    const size_t at = (0 - (size_t)(uintptr_t)memory) % CACHE_LINE;
    if (g->flows.n && at != before)
        memmove(memory + at, memory + before, g->flows.n * sizeof *g->flows.v);
    g->flow_memory = memory;
    g->flows.v = (struct tk_alloc_flow *)(void *)(memory + at);
    g->flows.cap = capacity;
    return 0;
}

static int push_flow(struct tk_alloc_groups *g)
{
    if (g->flows.n == g->flows.cap && grow_flows(g))
        return -1;
    g->flows.v[g->flows.n++] = (struct tk_alloc_flow){0};
    return 0;
}

/* Would one more move those that there are? Nobody may be using them then. */
#define is_full(vec) ((vec).n && (vec).n == (vec).cap)

static bool is_full_of_groups(const struct tk_alloc_groups *g)
{
    return is_full(g->flows) || is_full(g->soon) || is_full(g->unframed) || is_full(g->frames) ||
           is_full(g->ends);
}

/* One more group, with all parts that are kept. */
static int add_group(struct tk_alloc_groups *g, enum tk_alloc_by by, uint32_t heap, uint32_t key,
                     uint32_t *out)
{
    const struct tk_alloc_id id = {.key = key, .heap = (uint16_t)heap, .by = (uint8_t)by};
    const size_t n = g->ids.n + 1;
    *out = (uint32_t)g->ids.n;
    if (is_full_of_groups(g))
        tk_alloc_moves_settle(&g->moves);
    if ((g->flows.n < n && push_flow(g)) || (g->parts & TK_ALLOC_SOON && tk_vec_reach(&g->soon, n)) ||
        (g->parts & TK_ALLOC_UNFRAMED && tk_vec_reach(&g->unframed, n)) ||
        (g->parts & TK_ALLOC_FRAME_MAX && tk_vec_reach(&g->frames, n)) ||
        (g->parts & TK_ALLOC_ENDS && tk_vec_reach(&g->ends, n)))
        return -1;
    return tk_vec_push(&g->ids, id);
}

int tk_alloc_group_of(struct tk_alloc_groups *g, enum tk_alloc_by by, uint32_t heap, uint32_t key,
                      uint32_t *out)
{
    uint64_t whole = group_key(by, heap, key);
    *out = tk_map_get(&g->index, whole);
    if (*out != TK_MAP_NONE)
        return 0;
    return add_group(g, by, heap, key, out) ? -1 : tk_map_put(&g->index, whole, *out);
}

/* ---- the selected time ---- */

void tk_alloc_counts_add(struct tk_alloc_counts *counts, const struct tk_alloc_flow *flow, uint64_t factor)
{
    counts->allocs += factor * (flow->in_count - flow->re_in);
    counts->frees += factor * (flow->in_count - flow->alive_count - flow->re_out);
    counts->reallocs += factor * flow->re_in;
    counts->alloc_bytes += factor * flow->in_bytes;
    counts->freed_bytes += factor * (flow->in_bytes - flow->alive_bytes);
}

static void add_amount(struct tk_alloc_amount *sum, const struct tk_alloc_amount *more)
{
    sum->count += more->count;
    sum->bytes += more->bytes;
}

/* Moves of one kind become sums of a group. */
static void fold_kind(struct tk_alloc_groups *g, unsigned kind, const struct tk_alloc_amount *sum,
                      uint32_t group)
{
    const bool out = kind & TK_ALLOC_MOVE_OUT, apart = kind & TK_ALLOC_MOVE_APART;
    struct tk_alloc_flow *flow = &g->flows.v[group];
    flow->in_count += out ? 0 : sum->count;
    flow->in_bytes += out ? 0 : sum->bytes;
    if (kind & TK_ALLOC_MOVE_REALLOC)
        *(out ? &flow->re_out : &flow->re_in) += sum->count;
    if (apart && out && g->parts & TK_ALLOC_SOON)
        add_amount(&g->soon.v[group], sum);
    if (apart && !out && g->parts & TK_ALLOC_UNFRAMED)
        add_amount(&g->unframed.v[group], sum);
}

/* The sums of a site become those of one of its groups, too. */
static void fold_into(struct tk_alloc_groups *g, const struct tk_alloc_pending *p, uint32_t group)
{
    for (unsigned kind = 0; kind < TK_ALLOC_MOVE_KINDS; kind++)
        fold_kind(g, kind, &p->of[kind], group);
}

void tk_alloc_groups_fold(struct tk_alloc_groups *g)
{
    tk_alloc_moves_settle(&g->moves);
    for (size_t i = 0; i < g->sites.n; i++) {
        for (unsigned k = 0; k < g->n_plain && !g->sites.v[i].left_out; k++)
            fold_into(g, &g->pending.v[i], g->sites.v[i].groups[k]);
        g->pending.v[i] = (struct tk_alloc_pending){0};
    }
}

int tk_alloc_groups_begin(struct tk_alloc_groups *g)
{
    tk_alloc_groups_fold(g);
    g->open = true;
    if (tk_vec_reach(&g->counts, g->ids.n))
        return -1;
    for (size_t i = 0; i < g->ids.n; i++)
        tk_alloc_counts_add(&g->counts.v[i], &g->flows.v[i], UINT64_MAX);
    return 0;
}

int tk_alloc_groups_end(struct tk_alloc_groups *g)
{
    tk_alloc_groups_fold(g);
    g->open = false;
    if (tk_vec_reach(&g->counts, g->ids.n))
        return -1;
    for (size_t i = 0; i < g->ids.n; i++)
        tk_alloc_counts_add(&g->counts.v[i], &g->flows.v[i], 1);
    return 0;
}

void tk_alloc_groups_see(struct tk_alloc_groups *g, int64_t time)
{
    tk_alloc_moves_settle(&g->moves);
    for (size_t i = 0; i < g->ids.n; i++) {
        const uint64_t before = g->flows.v[i].peak_bytes;
        tk_alloc_peak(&g->flows.v[i]);
        if (g->parts & TK_ALLOC_ENDS && g->flows.v[i].peak_bytes > before)
            g->ends.v[i].peak_time = time;
    }
}

/* ---- when all is read ---- */

static void tell_counts(const struct tk_alloc_groups *g, size_t i, struct tk_alloc_group *out)
{
    const struct tk_alloc_flow *flow = &g->flows.v[i];
    struct tk_alloc_counts counts = {0};
    if (i < g->counts.n)
        counts = g->counts.v[i];
    if (g->open)
        tk_alloc_counts_add(&counts, flow, 1);
    out->allocs = counts.allocs;
    out->frees = counts.frees;
    out->reallocs = counts.reallocs;
    out->alloc_bytes = counts.alloc_bytes;
    out->freed_bytes = counts.freed_bytes;
    out->peak_bytes = flow->peak_bytes;
    out->peak_count = flow->peak_count;
    out->unknown = i < g->unknown.n ? g->unknown.v[i] : 0;
}

static struct tk_alloc_amount then_of(const struct tk_alloc_groups *g, size_t i)
{
    const struct tk_alloc_flow *flow = &g->flows.v[i];
    const struct tk_alloc_amount none = {0};
    if (g->then_is_now)
        return (struct tk_alloc_amount){tk_alloc_alive_count(flow), tk_alloc_alive_bytes(flow)};
    return i < g->then.n ? g->then.v[i] : none;
}

struct tk_alloc_group tk_alloc_group_at(const struct tk_alloc_groups *g, size_t i)
{
    const struct tk_alloc_id *id = &g->ids.v[i];
    const struct tk_alloc_amount none = {0}, then = then_of(g, i);
    const struct tk_alloc_amount soon = g->parts & TK_ALLOC_SOON ? g->soon.v[i] : none;
    const struct tk_alloc_amount unframed = g->parts & TK_ALLOC_UNFRAMED ? g->unframed.v[i] : none;
    struct tk_alloc_group out = {.heap = id->heap,
                                 .key = id->key,
                                 .by = id->by,
                                 .then_bytes = then.bytes,
                                 .then_count = then.count,
                                 .short_bytes = soon.bytes,
                                 .short_count = soon.count,
                                 .unframed_bytes = unframed.bytes,
                                 .unframed = unframed.count};
    if (g->parts & TK_ALLOC_FRAME_MAX)
        out.frame_max = g->frames.v[i].max;
    if (g->parts & TK_ALLOC_ENDS)
        out.ends = g->ends.v[i];
    tell_counts(g, i, &out);
    return out;
}

static int by_rank(const void *a, const void *b)
{
    const struct tk_alloc_rank *x = a, *y = b;
    if (x->by != y->by)
        return x->by < y->by ? -1 : 1;
    if (x->amount != y->amount)
        return x->amount > y->amount ? -1 : 1;
    if (x->heap != y->heap)
        return x->heap < y->heap ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

int tk_alloc_groups_rank(struct tk_alloc_groups *g, uint64_t (*amount)(const struct tk_alloc_group *group))
{
    const size_t n = tk_alloc_groups_count(g);
    if (tk_vec_reserve(&g->ranks, n))
        return -1;
    for (size_t i = 0; i < n; i++) {
        const struct tk_alloc_group group = tk_alloc_group_at(g, i);
        g->ranks.v[g->ranks.n++] = (struct tk_alloc_rank){.amount = amount(&group),
                                                          .key = group.key,
                                                          .index = (uint32_t)i,
                                                          .heap = (uint16_t)group.heap,
                                                          .by = group.by};
    }
    return tk_sort(g->ranks.v, g->ranks.n, sizeof *g->ranks.v, by_rank);
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

int tk_alloc_size_new(struct tk_alloc_groups *g, const struct tk_alloc_site *site, uint32_t class)
{
    uint32_t group;
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

/* The groups of what allocated. */
static int add_code(struct tk_alloc_groups *g, uint32_t heap, uint32_t callstack)
{
    const bool by_callstack = g->by & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK);
    const uint32_t at = by_callstack ? tk_alloc_place_of(g->places, callstack) : callstack;
    struct tk_alloc_code code = {{0}};
    for (unsigned i = 0; i < TK_ALLOC_TEXTS; i++) {
        const enum tk_alloc_by by = TK_ALLOC_BY_FUNCTION + i;
        if (g->by & TK_ALLOC_BIT(by) &&
            tk_alloc_group_of(g, by, heap, g->places->places.v[at].texts[i], &code.groups[i]))
            return -1;
    }
    return tk_vec_push(&g->codes, code);
}

static int add_stack(struct tk_alloc_groups *g, uint32_t heap, uint32_t callstack)
{
    struct tk_alloc_stack stack = {.heap = heap, .callstack = callstack};
    uint32_t group;
    if (is_full(g->stack_groups) || is_full(g->codes))
        tk_alloc_moves_settle(&g->moves);
    if (g->by & TK_ALLOC_BIT(TK_ALLOC_BY_CALLSTACK) &&
        (add_group(g, TK_ALLOC_BY_CALLSTACK, heap, callstack, &group) ||
         tk_vec_push(&g->stack_groups, group)))
        return -1;
    if ((g->by & TK_ALLOC_BY_CODE && add_code(g, heap, callstack)) || tk_vec_push(&g->stacks, stack))
        return -1;
    g->stack_slots[stack_slot(g, heap, callstack)] = (uint32_t)g->stacks.n;
    return 0;
}

/* Callstacks are mostly numbered from 1 on: of hardly more numbers than there are stacks the place is found
 * without a search. */
static int bring_near(struct tk_alloc_groups *g, uint32_t heap, uint32_t callstack, uint32_t stack)
{
    if (heap || callstack >= g->stacks.n + g->stacks.n / 4 + FIRST_SLOTS)
        return 0;
    if (tk_vec_reach(&g->near_stacks, (size_t)callstack + 1))
        return -1;
    g->near_stacks.v[callstack] = stack + 1;
    return 0;
}

int tk_alloc_stack_far(struct tk_alloc_groups *g, uint32_t heap, uint32_t callstack, uint32_t *out)
{
    if ((!g->stack_slots || g->stacks.n >= g->stack_mask / 8 * 5) && grow_stacks(g))
        return -1;
    uint32_t known = g->stack_slots[stack_slot(g, heap, callstack)];
    if (!known && g->stacks.n >= g->limit && callstack) {
        g->unreported++;
        return tk_alloc_stack_far(g, heap, 0, out);
    }
    if (!known && add_stack(g, heap, callstack))
        return -1;
    *out = known ? known - 1 : (uint32_t)g->stacks.n - 1;
    return bring_near(g, heap, callstack, *out);
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
        if (tk_alloc_group_of(g, by, by == TK_ALLOC_BY_TOTAL ? 0 : site->heap, keys[by], &site->groups[i]))
            return -1;
    }
    return find_sizes(g, site);
}

static int add_alloc_groups(struct tk_alloc_groups *g, const struct tk_alloc_site *wanted, uint32_t *out)
{
    struct tk_alloc_site site = *wanted;
    if (g->sites.n >= g->limit) {
        g->unreported++;
        site = (struct tk_alloc_site){.heap = wanted->heap, .left_out = wanted->left_out};
    }
    if ((!g->slots || g->sites.n >= g->mask / 2) && grow(g))
        return -1;
    size_t at = slot_of(g, &site);
    if (!g->slots[at]) {
        const struct tk_alloc_pending none = {{{0}}};
        if (is_full(g->sites) || is_full(g->pending))
            tk_alloc_moves_settle(&g->moves);
        if (find_groups(g, &site) || tk_vec_push(&g->pending, none) || tk_vec_push(&g->sites, site))
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

void tk_alloc_groups_forget(struct tk_alloc_groups *g)
{
    tk_alloc_moves_close(&g->moves);
    tk_vec_release(&g->sites);
    tk_vec_release(&g->pending);
    tk_vec_release(&g->near_stacks);
    tk_vec_release(&g->stacks);
    tk_vec_release(&g->stack_groups);
    tk_vec_release(&g->codes);
    tk_vec_release(&g->sizes);
    tk_map_release(&g->index);
    tk_map_release(&g->size_index);
    free(g->slots);
    free(g->stack_slots);
    g->slots = g->stack_slots = NULL;
}

void tk_alloc_groups_release(struct tk_alloc_groups *g)
{
    tk_alloc_groups_forget(g);
    tk_vec_release(&g->ids);
    free(g->flow_memory);
    g->flow_memory = NULL;
    g->flows.v = NULL;
    g->flows.n = g->flows.cap = 0;
    tk_vec_release(&g->soon);
    tk_vec_release(&g->unframed);
    tk_vec_release(&g->frames);
    tk_vec_release(&g->ends);
    tk_vec_release(&g->counts);
    tk_vec_release(&g->then);
    tk_vec_release(&g->unknown);
    tk_vec_release(&g->ranks);
}
