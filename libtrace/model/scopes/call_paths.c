/*
 * Nodes and the table to find them by.
 */
#include "model/scopes/call_paths.h"

#include "model/scopes/scope_lane.h"

#include <string.h>

/*
 * Which stacks are used least, and what their nodes become.
 */

/* Uses in steps of an eighth, so that a histogram finds those with the fewest; the last bucket stays. */
enum { STEPS = 8, BUCKETS = 64 * STEPS, STAYS = BUCKETS - 1 };

/* A part of the nodes: each that is new pays for a look at as many. Where more stacks were folded than there
 * are nodes, most come once, and the part is greater. */
#define FOLDED       16u
#define FOLDED_FLOOD 4u

static uint16_t bucket_of(uint64_t uses)
{
    if (uses < STEPS)
        return (uint16_t)uses;
    const unsigned top = 63 - tk_zeros_above(uses);
    return (uint16_t)((top - 2) * STEPS + (uses >> (top - 3) & (STEPS - 1)));
}

static bool is_timer(const struct tk_paths *p, size_t node)
{
    return p->nodes.v[node].timer != TK_PATH_BEYOND;
}

uint16_t tk_path_weight(uint64_t uses)
{
    return uses == TK_PATH_STAYS ? STAYS : bucket_of(uses);
}

/* Of each node its own weight or of those below it, which is greater. */
static void weigh(const struct tk_paths *p, uint16_t *weight)
{
    for (size_t i = p->nodes.n; i-- > TK_PATH_LOST + 1;) {
        if (!is_timer(p, i))
            continue;
        uint16_t *above = &weight[p->nodes.v[i].parent];
        *above = weight[i] > *above ? weight[i] : *above;
    }
}

/* Marks those that go in `to`: of those that are alike the newest, which are behind the nodes around them.
 * How many there are. */
static size_t choose(const struct tk_paths *p, const uint16_t *weight, uint32_t *to)
{
    size_t counts[BUCKETS] = {0}, n = 0, gone = 0;
    uint16_t border = 0;
    for (size_t i = TK_PATH_LOST + 1; i < p->nodes.n; i++)
        if (is_timer(p, i)) {
            counts[weight[i]]++;
            n++;
        }
    size_t left = n / (p->folded.count > n ? FOLDED_FLOOD : FOLDED) + 1;
    for (; border < STAYS && counts[border] < left; border++)
        left -= counts[border];
    for (size_t i = p->nodes.n; i-- > TK_PATH_LOST + 1;) {
        const bool at_border = weight[i] == border && border < STAYS && left;
        const bool goes = is_timer(p, i) && (weight[i] < border || at_border);
        to[i] = goes ? TK_PATH_NONE : TK_PATH_ROOT;
        left -= goes && weight[i] == border;
        gone += goes;
    }
    return gone;
}

/* Gives each node its place. A node comes behind what is around it, and becomes one node or none: so it is
 * never written behind itself, and neither memory nor a larger table is needed. */
static void move(struct tk_paths *p, uint32_t *to)
{
    const size_t n = p->nodes.n;
    struct tk_paths out = {.slots = p->slots, .mask = p->mask, .shift = p->shift};
    out.nodes.v = p->nodes.v, out.nodes.cap = p->nodes.cap;
    out.hashes.v = p->hashes.v, out.hashes.cap = p->hashes.cap;
    out.nodes.n = out.hashes.n = TK_PATH_LOST + 1;
    out.limit = n;
    memset(out.slots, 0, ((size_t)out.mask + 1) * sizeof *out.slots);
    for (size_t i = TK_PATH_LOST + 1; i < n; i++) {
        const struct tk_path_node node = out.nodes.v[i];
        const uint32_t above = to[node.parent];
        const bool stays = node.timer != TK_PATH_BEYOND && to[i] != TK_PATH_NONE;
        to[i] = stays ? tk_paths_reach(&out, above, node.timer) : tk_paths_beyond(&out, above);
    }
    p->nodes.n = out.nodes.n;
    p->hashes.n = out.hashes.n;
    p->beyond = out.beyond;
}

/* Of those that go the outermost ones are kept in mind: what is inside of them cannot come back without them.
 * 0, or -1 without memory. */
static int keep_folded(struct tk_paths *p, const uint32_t *to)
{
    const size_t most = tk_paths_most_folded(p);
    for (size_t i = TK_PATH_LOST + 1; i < p->nodes.n; i++) {
        const struct tk_path_node *node = &p->nodes.v[i];
        if (to[i] == TK_PATH_NONE && is_timer(p, node->parent) && to[node->parent] != TK_PATH_NONE &&
            tk_paths_keep_folded(p, p->hashes.v[i], most))
            return -1;
    }
    return 0;
}

int tk_paths_fold(struct tk_paths *p, uint16_t *weight, uint32_t *to)
{
    to[TK_PATH_ROOT] = TK_PATH_ROOT;
    to[TK_PATH_LOST] = TK_PATH_LOST;
    weigh(p, weight);
    if (!choose(p, weight, to))
        return 1;
    if (keep_folded(p, to))
        return -1;
    move(p, to);
    return 0;
}

#define FIRST_SLOTS_BITS 4u /* most of thousands of threads run a handful of stacks */
#define MOST_NODES       (UINT32_C(1) << 30)

TK_ALWAYS_INLINE void tk_paths_put(struct tk_paths *p, uint32_t node)
{
    uint64_t hash = p->hashes.v[node];
    uint32_t i = (uint32_t)(hash >> p->shift);
    while (p->slots[i])
        i = (i + 1) & p->mask;
    p->slots[i] = ((uint32_t)hash & ~p->mask) | node;
}

/* Gives the table 2^bits slots. */
static int tk_paths_rehash(struct tk_paths *p, unsigned bits)
{
    uint32_t *slots = calloc((size_t)1 << bits, sizeof *slots);
    if (!slots)
        return -1;
    free(p->slots);
    p->slots = slots;
    p->mask = (UINT32_C(1) << bits) - 1;
    p->shift = 64 - bits;
    for (uint32_t i = TK_PATH_LOST + 1; i < p->nodes.n; i++)
        tk_paths_put(p, i);
    return 0;
}

TK_ALWAYS_INLINE int tk_paths_push(struct tk_paths *p, uint32_t parent, uint32_t timer, uint64_t hash)
{
    const struct tk_path_node made = {parent, timer};
    if (tk_vec_reserve(&p->nodes, p->nodes.n + 1) || tk_vec_push(&p->hashes, hash))
        return -1;
    p->nodes.v[p->nodes.n++] = made;
    return 0;
}

int tk_paths_init(struct tk_paths *p, uint64_t limit)
{
    *p = (struct tk_paths){.limit = limit < MOST_NODES ? (size_t)limit : MOST_NODES};
    if (tk_paths_push(p, TK_PATH_ROOT, UINT32_MAX, tk_path_hash_empty()) ||
        tk_paths_push(p, TK_PATH_ROOT, UINT32_MAX, tk_path_hash_empty()) ||
        tk_paths_rehash(p, FIRST_SLOTS_BITS)) {
        tk_paths_release(p);
        return -1;
    }
    return 0;
}

void tk_paths_release(struct tk_paths *p)
{
    tk_vec_release(&p->nodes);
    tk_vec_release(&p->hashes);
    tk_hash_set_release(&p->folded);
    free(p->slots);
    *p = (struct tk_paths){0};
}

void tk_paths_settle(struct tk_paths *p)
{
    free(p->slots);
    p->slots = NULL;
    tk_vec_release(&p->hashes);
    tk_hash_set_release(&p->folded);
}

uint32_t tk_paths_append(struct tk_paths *p, uint32_t parent, uint32_t timer, uint64_t hash)
{
    const uint32_t node = (uint32_t)p->nodes.n;
    if (node >= MOST_NODES)
        return TK_PATH_LOST;
    /* at most three of four slots are used */
    if (node > p->mask - p->mask / 4 && tk_paths_rehash(p, 64 - p->shift + 1))
        return TK_PATH_NONE;
    if (tk_paths_push(p, parent, timer, hash))
        return TK_PATH_NONE;
    tk_paths_put(p, node);
    return node;
}

static bool is_folded(const struct tk_paths *p, uint64_t hash)
{
    return tk_hash_set_has(&p->folded, hash);
}

int tk_paths_keep_folded(struct tk_paths *p, uint64_t hash, size_t most)
{
    if (p->closed || p->folded.count < most)
        return p->closed ? 0 : tk_hash_set_add(&p->folded, hash);
    p->closed = true;
    tk_hash_set_release(&p->folded); /* no stack is in question any more */
    return 0;
}

uint32_t tk_paths_make(struct tk_paths *p, uint32_t parent, uint32_t timer, uint64_t hash)
{
    if (parent == TK_PATH_LOST || tk_paths_full(p) || is_folded(p, hash))
        return TK_PATH_LOST;
    return tk_paths_append(p, parent, timer, hash);
}

uint32_t tk_paths_reach(struct tk_paths *p, uint32_t parent, uint32_t timer)
{
    uint32_t node = tk_paths_find(p, parent, timer);
    return node != TK_PATH_NONE ? node
                                : tk_paths_make(p, parent, timer, tk_path_hash(p->hashes.v[parent], timer));
}

bool tk_paths_may_have(const struct tk_paths *p, uint64_t hash)
{
    return !p->closed && !is_folded(p, hash);
}

uint32_t tk_paths_reach_stack(struct tk_paths *p, uint64_t hash, uint32_t timer)
{
    uint32_t node = tk_paths_at(p, hash);
    if (node != TK_PATH_NONE)
        return node;
    if (tk_paths_full(p))
        return TK_PATH_LOST;
    const uint32_t parent = tk_paths_around(p, hash, timer);
    return parent == TK_PATH_NONE ? TK_PATH_LOST : tk_paths_make(p, parent, timer, hash);
}

uint32_t tk_paths_make_beyond(struct tk_paths *p, uint32_t above, uint64_t hash)
{
    p->beyond++;
    return tk_paths_append(p, above, TK_PATH_BEYOND, hash);
}

uint32_t tk_paths_depth(const struct tk_paths *p, uint32_t node)
{
    uint32_t depth = 0;
    for (; node != TK_PATH_ROOT; node = p->nodes.v[node].parent)
        depth++;
    return depth;
}
