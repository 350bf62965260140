/*
 * Sets the nodes of a lane's slices. Backwards, what is around a slice comes before it, so the scopes around
 * the next slice are held as a stack, and nobody looks for what lies inside of others beyond the limit.
 */
#include "model/scopes/scope_lane.h"

#define FETCHED 16u /* slices whose slots are on their way */

static struct tk_scope_around around_of(const struct tk_paths *paths, uint64_t hash, uint32_t node)
{
    const bool beyond = node != TK_PATH_NONE && node != TK_PATH_LOST && tk_paths_is_beyond(paths, node);
    return (struct tk_scope_around){hash, node, beyond ? node | TK_PATH_INSIDE : TK_PATH_ROOT};
}

/* How many that are open have no node yet. */
static size_t count_new(const struct tk_scope_lane *lane)
{
    size_t n = 0;
    for (size_t k = 1; k <= lane->depth; k++)
        n += tk_paths_at(&lane->paths, lane->hashes[k]) == TK_PATH_NONE;
    return n;
}

static int make_space_for_open(struct tk_scope_lane *lane, struct tk_slice_space *out)
{
    const struct tk_paths *paths = &lane->paths;
    const size_t there = tk_paths_count(paths), limit = paths->limit;
    if (!lane->folding || paths->closed || there + lane->depth <= limit || there + count_new(lane) <= limit)
        return 0;
    return tk_scope_fold(lane, out, out->n) < 0 ? -1 : 0;
}

/* Those that are open come first. 0, or -1 without memory. */
static int set_open(struct tk_scope_lane *lane, struct tk_slice_space *out)
{
    uint32_t node = TK_PATH_ROOT;
    out->around.n = 0;
    if (tk_vec_reserve(&out->around, lane->depth + 1 + out->n) || make_space_for_open(lane, out))
        return -1;
    out->around.v[out->around.n++] = (struct tk_scope_around){.hash = tk_path_hash_empty()};
    for (size_t k = 1; k <= lane->depth; k++) {
        node = tk_scope_node(lane, k, node);
        if (node == TK_PATH_NONE)
            return -1;
        out->around.v[out->around.n++] = around_of(&lane->paths, lane->hashes[k], node);
    }
    return 0;
}

/* What is right around a stack: those inside of it are around nothing that comes. NULL where it was left
 * before what was inside of it. */
static struct tk_scope_around *find_around(struct tk_slice_space *out, uint64_t below)
{
    for (size_t n = out->around.n; n-- > 0;)
        if (out->around.v[n].hash == below) {
            out->around.n = n + 1;
            return &out->around.v[n];
        }
    return NULL;
}

/* The node for a slice beyond the limit inside of a node. */
static uint32_t beyond_inside(struct tk_scope_lane *lane, struct tk_scope_around *around, uint32_t above)
{
    if (!around)
        return tk_paths_beyond(&lane->paths, above);
    if (around->beyond == TK_PATH_ROOT)
        around->beyond = tk_paths_beyond(&lane->paths, above);
    return around->beyond;
}

/* The node of slice i, whose stack has none yet. */
static uint32_t set_new(struct tk_scope_lane *lane, struct tk_slice_space *out, size_t i,
                        struct tk_scope_around *around)
{
    struct tk_paths *paths = &lane->paths;
    const uint64_t hash = out->hash[i];
    uint32_t above =
        around && around->node != TK_PATH_LOST ? around->node : tk_paths_around(paths, hash, out->timer[i]);
    if (above == TK_PATH_NONE)
        return TK_PATH_LOST;
    bool may_have = tk_paths_may_have(paths, hash);
    if (may_have && tk_paths_full(paths)) {
        if (tk_scope_fold(lane, out, i + 1) < 0)
            return TK_PATH_NONE;
        above = tk_paths_around(paths, hash, out->timer[i]);
        may_have = !tk_paths_full(paths);
    }
    if (may_have)
        return tk_paths_append(paths, above, out->timer[i], hash);
    if (lane->folding && tk_paths_keep_folded(paths, hash, tk_paths_most_folded(paths)))
        return TK_PATH_NONE;
    return beyond_inside(lane, around, above);
}

/* 0, or -1 without memory. */
static int set_node(struct tk_scope_lane *lane, struct tk_slice_space *out, size_t i)
{
    const uint64_t hash = out->hash[i];
    struct tk_scope_around *around = find_around(out, tk_path_hash_below(hash, out->timer[i]));
    struct tk_scope_around next = {hash, TK_PATH_LOST, TK_PATH_ROOT};
    if (around && around->beyond & TK_PATH_INSIDE) {
        next.node = next.beyond = around->beyond;
    } else {
        next.node = tk_paths_at(&lane->paths, hash);
        if (next.node == TK_PATH_NONE)
            next = around_of(&lane->paths, hash, set_new(lane, out, i, around));
    }
    out->node[i] = next.node;
    out->around.v[out->around.n++] = next;
    return next.node == TK_PATH_NONE ? -1 : 0;
}

/* The total from which on a slice needs its node. What is around one that does is no shorter. */
static uint64_t least_of_lane(const struct tk_scope_lane *lane)
{
    return lane->needs ? lane->needs->least(lane->needs->ctx, lane->lane) : 0;
}

/* Those that need none have none. Whether others are left. */
static bool any_needs(struct tk_slice_space *out, uint64_t least)
{
    bool any = false;
    for (size_t i = out->n_nodes; i < out->n; i++) {
        out->node[i] = TK_PATH_LOST;
        any |= out->total[i] >= least;
    }
    return any;
}

int tk_scope_set_nodes(struct tk_scope_lane *lane, struct tk_slice_space *out, bool leaving)
{
    const struct tk_paths *paths = &lane->paths;
    const uint64_t least = least_of_lane(lane);
    const bool any = any_needs(out, least);
    if ((any || leaving) && set_open(lane, out))
        return -1;
    for (size_t i = out->n; any && i-- > out->n_nodes;) {
        if (i >= out->n_nodes + FETCHED && out->total[i - FETCHED] >= least)
            tk_paths_fetch(paths, out->hash[i - FETCHED]);
        if (out->total[i] >= least && set_node(lane, out, i))
            return -1;
    }
    out->n_nodes = out->n;
    return 0;
}
