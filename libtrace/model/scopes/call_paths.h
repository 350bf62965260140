/*
 * Paths: a tree whose nodes are timers inside timers, so that every stack that ever was has a number. The
 * scope model keeps one a lane and sets each slice's node; statistics merge them.
 *
 * A stack has a hash too, which follows from that of the stack below and the timer on top, and from which
 * that below follows. So it costs no look-up to know the hash of what is open, and nodes are found by it when
 * many are looked for. That two stacks have one hash of 64 bits is not reckoned with.
 *
 * Node 0 is the root and stands for no timer. When there are as many nodes as allowed, whatever would be a
 * new one is put together by where it is: each node can have one node more for the scopes right inside of it
 * that have none of their own (TK_PATH_BEYOND in the place of a timer). Those inside of such scopes have its
 * number with TK_PATH_INSIDE, so that times are not counted twice. Where not even that is known it is the
 * node TK_PATH_LOST.
 */
#ifndef TK_MODEL_SCOPES_CALL_PATHS_H
#define TK_MODEL_SCOPES_CALL_PATHS_H

#include "base/bits.h"
#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TK_PATH_ROOT 0u
#define TK_PATH_LOST 1u
#define TK_PATH_NONE UINT32_MAX /* no node */

#define TK_PATH_BEYOND UINT32_C(0x20000000) /* in the place of a timer: scopes beyond the limit */

/* With the number of a node for scopes beyond the limit: a scope inside of one of these. It counts, and has
 * time of its own, but its whole time is in that of the one around it. */
#define TK_PATH_INSIDE UINT32_C(0x80000000)

/* The node that a number stands for. */
static inline uint32_t tk_path_place(uint32_t node)
{
    return node & ~TK_PATH_INSIDE;
}

struct tk_path_node {
    uint32_t parent, timer;
};

struct tk_paths {
    TK_VEC(struct tk_path_node) nodes; /* parents come before their children */
    TK_VEC(uint64_t) hashes;           /* of the nodes, until nothing is looked for any more */
    uint32_t *slots; /* owned; a node in the bits of the mask, those of its hash above them; 0: empty */
    uint32_t mask;   /* greater than all nodes */
    unsigned shift;
    size_t limit;              /* nodes */
    size_t beyond;             /* nodes for what lies beyond the limit */
    struct tk_hash_set folded; /* hashes of stacks that lie beyond it for good, right inside of a node; none
                                  once it is closed */
    bool closed;               /* no stack gets a node any more */
};

/* Begins with the two nodes there always are; limit bounds all nodes but those for what lies beyond it. 0, or
 * -1 without memory. */
int tk_paths_init(struct tk_paths *p, uint64_t limit);

void tk_paths_release(struct tk_paths *p);

/* Nothing is looked for or made any more: the nodes stay, their hashes and the tables to find them by go. */
void tk_paths_settle(struct tk_paths *p);

/* The hash of the stack without timers: the key of this process, so that no file can hold stacks that all
 * belong in one slot. */
static inline uint64_t tk_path_hash_empty(void)
{
    return tk_hash_key();
}

/* The hash of a stack with a timer more. */
static inline uint64_t tk_path_hash(uint64_t below, uint32_t timer)
{
    uint64_t hash = (below ^ timer) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* The hash of what is below the timer on top. */
static inline uint64_t tk_path_hash_below(uint64_t hash, uint32_t timer)
{
    hash ^= hash >> 32;
    return hash * UINT64_C(0xf1de83e19937733d) ^ timer; /* the inverse of the factor above, modulo 2^64 */
}

/* The node of a stack: TK_PATH_NONE where there is none. */
static inline uint32_t tk_paths_at(const struct tk_paths *p, uint64_t hash)
{
    for (uint32_t i = (uint32_t)(hash >> p->shift);; i = (i + 1) & p->mask) {
        const uint32_t slot = p->slots[i];
        if (!slot)
            return TK_PATH_NONE;
        if ((slot ^ (uint32_t)hash) <= p->mask && p->hashes.v[slot & p->mask] == hash)
            return slot & p->mask;
    }
}

/* To be called some time before tk_paths_at. */
static inline void tk_paths_fetch(const struct tk_paths *p, uint64_t hash)
{
    tk_prefetch(&p->slots[hash >> p->shift]);
}

/* Nodes that the limit counts: all but those for what lies beyond it. */
static inline size_t tk_paths_count(const struct tk_paths *p)
{
    return p->nodes.n - p->beyond;
}

static inline bool tk_paths_full(const struct tk_paths *p)
{
    return p->closed || tk_paths_count(p) >= p->limit;
}

/*
 * A stack that lies right inside of a node and went beyond the limit stays there, so that a node has all or
 * none of a stack. Beyond `most` of them all that is new goes there. 0, or -1 without memory.
 */
int tk_paths_keep_folded(struct tk_paths *p, uint64_t hash, size_t most);

/* The node of a timer inside another node, made on first use; TK_PATH_NONE if out of memory. */
uint32_t tk_paths_reach(struct tk_paths *p, uint32_t parent, uint32_t timer);

/* The same without making one: TK_PATH_NONE where it would be new. */
static inline uint32_t tk_paths_find(const struct tk_paths *p, uint32_t parent, uint32_t timer)
{
    if (parent == TK_PATH_LOST)
        return TK_PATH_LOST;
    uint32_t node = tk_paths_at(p, tk_path_hash(p->hashes.v[parent], timer));
    return node == TK_PATH_NONE && tk_paths_full(p) ? TK_PATH_LOST : node;
}

/* The node of what is below the timer on top of a stack: TK_PATH_NONE where there is none. */
static inline uint32_t tk_paths_around(const struct tk_paths *p, uint64_t hash, uint32_t timer)
{
    const uint64_t below = tk_path_hash_below(hash, timer);
    return below == p->hashes.v[TK_PATH_ROOT] ? TK_PATH_ROOT : tk_paths_at(p, below);
}

/* Would a stack without a node, right inside of one, get one if there were space? */
bool tk_paths_may_have(const struct tk_paths *p, uint64_t hash);

/* The node of a stack without one, right inside of `parent`: TK_PATH_LOST where it lies beyond the limit,
 * TK_PATH_NONE if out of memory. */
uint32_t tk_paths_make(struct tk_paths *p, uint32_t parent, uint32_t timer, uint64_t hash);

/* The same of a stack that may have a node, where there is space for it. */
uint32_t tk_paths_append(struct tk_paths *p, uint32_t parent, uint32_t timer, uint64_t hash);

/* The node of a stack whose top is `timer`, made where what is below has one; TK_PATH_NONE if out of
 * memory. */
uint32_t tk_paths_reach_stack(struct tk_paths *p, uint64_t hash, uint32_t timer);

/* Does a node stand for scopes beyond the limit? */
static inline bool tk_paths_is_beyond(const struct tk_paths *p, uint32_t node)
{
    const uint32_t place = tk_path_place(node);
    return place == TK_PATH_LOST || p->nodes.v[place].timer == TK_PATH_BEYOND;
}

/* Makes the node with this hash for scopes beyond the limit; TK_PATH_NONE if out of memory. */
uint32_t tk_paths_make_beyond(struct tk_paths *p, uint32_t above, uint64_t hash);

/*
 * The number for a scope without a node of its own that lies right inside of one with this number;
 * TK_PATH_NONE if out of memory.
 */
static inline uint32_t tk_paths_beyond(struct tk_paths *p, uint32_t above)
{
    if (above == TK_PATH_LOST)
        return above;
    if (tk_paths_is_beyond(p, above))
        return above | TK_PATH_INSIDE;
    const uint64_t hash = tk_path_hash(p->hashes.v[above], TK_PATH_BEYOND);
    const uint32_t node = tk_paths_at(p, hash);
    return node != TK_PATH_NONE ? node : tk_paths_make_beyond(p, above, hash);
}

/* How many nodes lie between a node and the root, itself included; 0 for the root. */
uint32_t tk_paths_depth(const struct tk_paths *p, uint32_t node);

#endif
