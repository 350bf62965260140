/*
 * A lane whose paths are full folds them, and gives what it has of nodes their new numbers.
 */
#include "model/scopes/scope_lane.h"

#include <stdlib.h>

enum { FEWEST = 32 }; /* nodes that a lane may have without folding them */

/* Of the slices those below n_nodes and from `set` on have their nodes. */
static bool has_node(const struct tk_slice_space *out, size_t set, size_t slice)
{
    return slice < out->n_nodes || slice >= set;
}

/* How much each node is used, with the slices that are not taken yet. place is all zero: where the uses of
 * those stand in `waiting`, which is all zero too; the first is of no node. */
static void weigh_uses(const struct tk_scope_lane *lane, const struct tk_slice_space *out, size_t set,
                       uint32_t *place, uint64_t waiting[TK_SLICE_SPACE + 1], uint16_t *weight)
{
    uint32_t n = 0;
    for (size_t i = 0; i < out->n; i++)
        if (has_node(out, set, i)) {
            uint32_t *at = &place[tk_path_place(out->node[i])];
            *at = *at ? *at : ++n;
            waiting[*at] += out->excl[i] + 1;
        }
    for (uint32_t i = TK_PATH_LOST + 1; i < lane->paths.nodes.n; i++) {
        const uint64_t uses = lane->folding->uses(lane->folding->ctx, lane->lane, i);
        weight[i] = tk_path_weight(uses + waiting[place[i]]);
    }
}

/* Nodes that may be around what comes stay: those that are open, and what is around the slice before `set`.
 */
static void hold_around(const struct tk_scope_lane *lane, const struct tk_slice_space *out, size_t set,
                        uint16_t *weight)
{
    const struct tk_paths *paths = &lane->paths;
    for (size_t k = 0; k <= lane->depth; k++) {
        const uint64_t hash = k         ? lane->hashes[k]
                              : set > 0 ? tk_path_hash_below(out->hash[set - 1], out->timer[set - 1])
                                        : tk_path_hash_empty();
        const uint32_t node = tk_paths_at(paths, hash);
        if (node != TK_PATH_NONE)
            weight[node] = tk_path_weight(TK_PATH_STAYS);
    }
}

static uint32_t renumbered(const uint32_t *to, uint32_t node)
{
    return to[tk_path_place(node)] | (node & TK_PATH_INSIDE);
}

/* What is inside of a node is looked for anew; what is inside of one beyond the limit stays there. */
static void renumber_around(struct tk_slice_space *out, const uint32_t *to)
{
    for (size_t i = 0; i < out->around.n; i++) {
        struct tk_scope_around *around = &out->around.v[i];
        around->node = renumbered(to, around->node);
        around->beyond = around->beyond & TK_PATH_INSIDE ? renumbered(to, around->beyond) : TK_PATH_ROOT;
    }
}

static void renumber(struct tk_scope_lane *lane, struct tk_slice_space *out, size_t set, const uint32_t *to)
{
    for (size_t i = 0; i < out->n; i++)
        if (has_node(out, set, i))
            out->node[i] = renumbered(to, out->node[i]);
    for (size_t i = 0; i < lane->lost.n; i++)
        lane->lost.v[i].node = renumbered(to, lane->lost.v[i].node);
    renumber_around(out, to);
}

uint32_t tk_scope_beyond(struct tk_scope_lane *lane, uint64_t hash, uint32_t above)
{
    struct tk_paths *paths = &lane->paths;
    if (lane->folding && !tk_paths_is_beyond(paths, above) &&
        tk_paths_keep_folded(paths, hash, tk_paths_most_folded(paths)))
        return TK_PATH_NONE;
    return tk_paths_beyond(paths, above);
}

int tk_scope_fold(struct tk_scope_lane *lane, struct tk_slice_space *out, size_t set)
{
    const size_t n = lane->paths.nodes.n;
    if (!lane->folding || lane->paths.closed || tk_paths_count(&lane->paths) < FEWEST)
        return 1;
    uint16_t *weight = calloc(n, sizeof *weight);
    uint32_t *to = calloc(n, sizeof *to);
    uint64_t *waiting = calloc(TK_SLICE_SPACE + 1, sizeof *waiting);
    int rc = -1;
    if (weight && to && waiting) {
        weigh_uses(lane, out, set, to, waiting, weight);
        hold_around(lane, out, set, weight);
        rc = tk_paths_fold(&lane->paths, weight, to);
    }
    free(weight);
    free(waiting);
    if (rc == 0) {
        renumber(lane, out, set, to);
        rc = lane->folding->fold(lane->folding->ctx, lane->lane, to, n);
    }
    free(to);
    return rc;
}
