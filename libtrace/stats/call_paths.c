/*
 * Own time by path. See call_paths.h.
 */
#include "stats/call_paths.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX /* there was no room */

/* ---- index ---- */

enum { FIRST_SLOTS = 256 };

/* A slot of the index: few bytes, as there is one look-up a call, and most find nothing where there is no
 * room for more paths. */
struct tk_call_path_slot {
    uint32_t node; /* 0: the slot is empty; the root is not in the index */
    uint32_t mark; /* hash: nodes are only looked at where it is the same */
};

static inline uint32_t mark_of(uint32_t parent, uint32_t timer)
{
    uint64_t h = ((uint64_t)parent << 32 | timer) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93) >> 32);
}

/* The slot of a node, or the empty one that is its. */
static inline struct tk_call_path_slot *slot_of(const struct tk_call_paths *p, uint32_t parent,
                                                uint32_t timer)
{
    uint32_t mark = mark_of(parent, timer);
    for (size_t at = mark & p->mask;; at = (at + 1) & p->mask) {
        struct tk_call_path_slot *slot = &p->slots[at];
        if (!slot->node)
            return slot;
        if (slot->mark != mark)
            continue;
        const struct tk_call_path *node = &p->nodes.v[slot->node];
        if (node->parent == parent && node->timer == timer)
            return slot;
    }
}

/* Makes an index of n slots, a power of two. */
static int index_again(struct tk_call_paths *p, size_t n)
{
    struct tk_call_path_slot *old = p->slots, *slots = calloc(n, sizeof *slots);
    size_t n_old = old ? p->mask + 1 : 0;
    if (!slots)
        return -1;
    p->slots = slots;
    p->mask = n - 1;
    for (size_t i = 0; i < n_old; i++) {
        size_t at = old[i].mark & p->mask;
        while (old[i].node && slots[at].node)
            at = (at + 1) & p->mask;
        if (old[i].node)
            slots[at] = old[i];
    }
    free(old);
    return 0;
}

/* ---- nodes ---- */

static uint32_t new_node(struct tk_call_paths *p, uint32_t parent, uint32_t timer)
{
    struct tk_call_path node = {.parent = parent, .timer = timer};
    return tk_vec_push(&p->nodes, node) ? NOBODY : (uint32_t)p->nodes.n - 1;
}

int tk_call_paths_init(struct tk_call_paths *p, size_t limit)
{
    *p = (struct tk_call_paths){.limit = limit};
    if (index_again(p, FIRST_SLOTS))
        return -1;
    if (new_node(p, TK_CALL_PATH_ROOT, 0) == NOBODY)
        return -1;
    for (uint32_t d = 0; d <= TK_CALL_PATH_DEEP; d++) {
        p->waits[d].node = new_node(p, TK_CALL_PATH_ROOT, 0);
        p->fresh[d].node = new_node(p, TK_CALL_PATH_ROOT, 0);
        if (p->waits[d].node == NOBODY || p->fresh[d].node == NOBODY)
            return -1;
    }
    return 0;
}

void tk_call_paths_release(struct tk_call_paths *p)
{
    tk_vec_release(&p->nodes);
    free(p->slots);
    p->slots = NULL;
}

/* Makes a node below another, in the slot that is its. */
static int add_child(struct tk_call_paths *p, uint32_t parent, uint32_t timer, struct tk_call_path_slot *slot,
                     uint32_t *out)
{
    *out = new_node(p, parent, timer);
    if (*out == NOBODY)
        return -1;
    *slot = (struct tk_call_path_slot){*out, mark_of(parent, timer)};
    p->nodes.v[*out].next = p->nodes.v[parent].child;
    p->nodes.v[parent].child = *out;
    return p->nodes.n > p->mask / 2 ? index_again(p, (p->mask + 1) * 2) : 0;
}

/* The node of a timer below another: 1 with *out, 0 where there is no room, -1 when memory is out. */
static inline int child_of(struct tk_call_paths *p, uint32_t parent, uint32_t timer, uint32_t *out)
{
    uint32_t last = p->nodes.v[parent].last;
    if (last && p->nodes.v[last].timer == timer) {
        *out = last;
        return 1;
    }
    struct tk_call_path_slot *slot = slot_of(p, parent, timer);
    *out = slot->node;
    if (!*out && p->nodes.n >= p->limit + TK_CALL_PATH_FIRST)
        return 0;
    if (!*out && add_child(p, parent, timer, slot, out))
        return -1;
    p->nodes.v[parent].last = *out;
    return 1;
}

/* ---- what waited ---- */

/* Moves the figures of a node, and forgets them. */
static void move(struct tk_call_path *from, struct tk_call_path *to)
{
    to->count += from->count;
    to->own += from->own;
    for (uint32_t i = 0; i < TK_CALL_PATH_SUMS; i++) {
        to->sums[i] += from->sums[i];
        from->sums[i] = 0;
    }
    from->count = 0;
    from->own = 0;
}

/* Moves all below `from` to below `to`. A node without calls has nothing below it. */
static int fold(struct tk_call_paths *p, uint32_t from, uint32_t to)
{
    struct {
        uint32_t at, to;
    } stack[TK_CALL_PATH_DEEP + 2];
    struct tk_call_path nowhere = {0};
    size_t n = 1;
    stack[0].at = p->nodes.v[from].child;
    stack[0].to = to;
    while (n) {
        uint32_t at = stack[n - 1].at, below = stack[n - 1].to, place;
        if (!at) {
            n--;
            continue;
        }
        stack[n - 1].at = p->nodes.v[at].next;
        if (p->nodes.v[at].count == 0)
            continue;
        int rc = below == NOBODY ? 0 : child_of(p, below, p->nodes.v[at].timer, &place);
        if (rc < 0)
            return -1;
        p->left_out += rc ? 0 : p->nodes.v[at].count;
        move(&p->nodes.v[at], rc ? &p->nodes.v[place] : &nowhere);
        if (n <= TK_CALL_PATH_DEEP) {
            stack[n].at = p->nodes.v[at].child;
            stack[n++].to = rc ? place : NOBODY;
        }
    }
    return 0;
}

/* The node below which the children of an open scope wait. As batches are walked backwards, another one that
 * is waited for may end earlier in this batch; of two such, one never ended. */
static int wait_at(struct tk_call_paths *p, uint32_t depth, uint64_t parent, uint32_t *out)
{
    struct tk_call_wait *w = &p->waits[depth];
    if (w->parent && w->parent != parent)
        w = &p->fresh[depth];
    int rc = w->parent && w->parent != parent ? fold(p, w->node, TK_CALL_PATH_ROOT) : 0;
    w->parent = parent;
    *out = w->node;
    return rc;
}

/* A batch is done: who still waits from before it does so for nothing where others wait, too. */
static int settle(struct tk_call_paths *p, uint32_t deepest)
{
    for (uint32_t d = 0; d <= deepest && d <= TK_CALL_PATH_DEEP; d++) {
        struct tk_call_wait old = p->waits[d];
        if (!p->fresh[d].parent)
            continue;
        if (old.parent && fold(p, old.node, TK_CALL_PATH_ROOT))
            return -1;
        p->waits[d] = p->fresh[d];
        p->fresh[d] = (struct tk_call_wait){0, old.node};
    }
    return 0;
}

/* ---- slices ---- */

int tk_call_paths_take(struct tk_call_paths *p, const struct tk_slices *s, const uint8_t *sums)
{
    struct {
        uint64_t id;
        uint32_t node;
    } above[TK_CALL_PATH_DEEP + 1] = {{0, 0}};
    uint32_t deepest = 0;
    for (size_t i = s->n; i-- > 0;) {
        uint32_t depth = s->depth[i], parent = TK_CALL_PATH_ROOT, node;
        if (depth > TK_CALL_PATH_DEEP)
            continue;
        if (depth && above[depth - 1].id == s->parent[i])
            parent = above[depth - 1].node;
        else if (depth && wait_at(p, depth, s->parent[i], &parent))
            return -1;
        deepest = depth > deepest ? depth : deepest;
        int rc = parent == NOBODY ? 0 : child_of(p, parent, s->timer[i], &node);
        if (rc < 0)
            return -1;
        above[depth].id = s->id[i];
        above[depth].node = rc ? node : NOBODY;
        p->left_out += rc == 0;
        if (rc == 0)
            continue;
        struct tk_call_path *path = &p->nodes.v[node];
        path->count++;
        path->own += (int64_t)s->excl[i];
        if (sums[i] < TK_CALL_PATH_SUMS)
            path->sums[sums[i]] += (int64_t)s->excl[i];
        if (depth == TK_CALL_PATH_DEEP || p->waits[depth + 1].parent != s->id[i])
            continue;
        p->waits[depth + 1].parent = 0;
        if (fold(p, p->waits[depth + 1].node, node))
            return -1;
    }
    return settle(p, deepest);
}

int tk_call_paths_finish(struct tk_call_paths *p, const struct tk_open_scope *open, size_t n)
{
    uint32_t below = TK_CALL_PATH_ROOT;
    for (uint32_t depth = 1; depth <= TK_CALL_PATH_DEEP; depth++) {
        int rc = depth <= n && below != NOBODY ? child_of(p, below, open[depth - 1].timer, &below) : 1;
        if (rc < 0)
            return -1;
        uint32_t to = depth <= n && rc ? below : TK_CALL_PATH_ROOT;
        if (p->waits[depth].parent && fold(p, p->waits[depth].node, to))
            return -1;
        p->waits[depth].parent = 0;
    }
    return 0;
}
