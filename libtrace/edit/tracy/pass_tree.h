/*
 * Which zones of a tree stay when it is cut, and how many children each then has: found by a first walk, and
 * told in a second, as the format has the number of children in front of them.
 *
 * Zones that begin in the window stay; of those that begin before it, those that end in it or behind it. What
 * lies in a zone that goes becomes a child of the next zone around it that stays.
 */
#ifndef TK_EDIT_TRACY_PASS_TREE_H
#define TK_EDIT_TRACY_PASS_TREE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* From and to, in nanoseconds; where nothing is cut, INT64_MIN and INT64_MAX. */
struct tk_tracy_window {
    int64_t from, to;
    bool cut;
};

static inline bool tk_tracy_window_has(const struct tk_tracy_window *w, int64_t time)
{
    return time >= w->from && time < w->to;
}

/* A time of something that stays, not outside of the window. */
static inline int64_t tk_tracy_window_clip(const struct tk_tracy_window *w, int64_t time)
{
    return time < w->from ? w->from : time > w->to ? w->to : time;
}

struct tk_tracy_tree_level {
    uint64_t left; /* of its children, for who reads */
    uint64_t ordinal, declared, children;
    int64_t begin;
    uint32_t extra; /* for who reads */
    int16_t location;
    bool kept, outside; /* in the second walk */
};

/* A zone whose number of children changes, or which begins before the window and stays. */
struct tk_tracy_edge {
    uint64_t ordinal, children;
    bool outside; /* it stays only to say that there are zones */
};

struct tk_tracy_tree {
    const struct tk_tracy_window *window; /* borrowed */
    TK_VEC(struct tk_tracy_tree_level) levels;
    TK_VEC(struct tk_tracy_edge) edges; /* of all trees, in the order of zones */
    TK_VEC(struct tk_tracy_tree_level)
    waiting;               /* without an end, begun before the window; when the tree is closed,
                              those of them that stay */
    uint64_t first;        /* ordinal of the first zone of the tree under way */
    size_t first_edge;     /* of the tree under way */
    size_t at;             /* in edges, of the second walk */
    uint64_t ordinal;      /* of the next zone, over all trees */
    uint64_t roots, zones; /* of the tree under way that stay */
    uint64_t parents;      /* of all trees: those with children that stay */
    int64_t latest;        /* time of the tree under way so far */
    bool writes;           /* the second walk */
    bool failed;           /* out of memory */
};

/* Begins the second walk. */
void tk_tracy_tree_rewind(struct tk_tracy_tree *t);

/* Begins and ends a tree. */
void tk_tracy_tree_open(struct tk_tracy_tree *t);
void tk_tracy_tree_close(struct tk_tracy_tree *t);

/* At the end of a tree in the first walk: where none of its zones stays, the first one does, outside of the
 * window and without a length, so that it is known that there are some. True where it does so. */
bool tk_tracy_tree_keep_one(struct tk_tracy_tree *t);

/* A zone with so many children begins. In the second walk: does it stay, and with how many? */
bool tk_tracy_tree_begin(struct tk_tracy_tree *t, int64_t begin, uint64_t declared, uint64_t *children);

/* The innermost ends; `open`: it has no end, and `end` is the last time that is known. In the second walk:
 * does it stay? In the first: does it for all that is known? */
bool tk_tracy_tree_end(struct tk_tracy_tree *t, int64_t end, bool open);

void tk_tracy_tree_release(struct tk_tracy_tree *t);

#endif
