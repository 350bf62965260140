/*
 * Nodes and the table to find them by. See paths.h.
 */
#include "model/paths.h"

#define FIRST_SLOTS_BITS 8u
#define MOST_NODES       (UINT32_C(1) << 30)

static void tk_paths_put(struct tk_paths *p, uint32_t node)
{
    const struct tk_path_node *n = &p->nodes.v[node];
    uint64_t hash = ((uint64_t)n->parent << 32 | n->timer) * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t i = (uint32_t)(hash >> p->shift);
    while (p->slots[i].node)
        i = (i + 1) & p->mask;
    p->slots[i] = (struct tk_path_slot){n->parent, n->timer, node};
}

/* Gives the table 2^bits slots. */
static int tk_paths_rehash(struct tk_paths *p, unsigned bits)
{
    struct tk_path_slot *slots = calloc((size_t)1 << bits, sizeof *slots);
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

int tk_paths_init(struct tk_paths *p, uint64_t limit)
{
    *p = (struct tk_paths){.limit = limit < MOST_NODES ? (size_t)limit : MOST_NODES};
    struct tk_path_node none = {TK_PATH_ROOT, UINT32_MAX};
    if (tk_vec_push(&p->nodes, none) || tk_vec_push(&p->nodes, none) ||
        tk_paths_rehash(p, FIRST_SLOTS_BITS)) {
        tk_paths_release(p);
        return -1;
    }
    return 0;
}

void tk_paths_release(struct tk_paths *p)
{
    tk_vec_release(&p->nodes);
    free(p->slots);
    *p = (struct tk_paths){0};
}

uint32_t tk_paths_reach(struct tk_paths *p, uint32_t parent, uint32_t timer)
{
    uint32_t node = tk_paths_find(p, parent, timer);
    if (node != TK_PATH_NONE)
        return node;
    /* at most half of the slots are used */
    if (p->nodes.n >= MOST_NODES)
        return TK_PATH_LOST;
    if (p->nodes.n * 2 > p->mask && tk_paths_rehash(p, 64 - p->shift + 1))
        return TK_PATH_NONE;
    struct tk_path_node made = {parent, timer};
    node = (uint32_t)p->nodes.n;
    if (tk_vec_push(&p->nodes, made))
        return TK_PATH_NONE;
    tk_paths_put(p, node);
    return node;
}

uint32_t tk_paths_depth(const struct tk_paths *p, uint32_t node)
{
    uint32_t depth = 0;
    for (; node != TK_PATH_ROOT; node = p->nodes.v[node].parent)
        depth++;
    return depth;
}
