/*
 * Nodes and the table to find them by. See call_paths.h.
 */
#include "model/scopes/call_paths.h"

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
    tk_hash_set_release(&p->folded); /* no stack is asked about any more */
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
