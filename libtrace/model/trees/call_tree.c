/*
 * Merging and turning of call trees. See call_tree.h.
 */
#include "model/trees/call_tree.h"

#include <stdlib.h>

int tk_call_tree_init(struct tk_call_tree *t)
{
    *t = (struct tk_call_tree){0};
    return tk_paths_init(&t->paths, UINT64_MAX);
}

void tk_call_tree_release(struct tk_call_tree *t)
{
    tk_paths_release(&t->paths);
    tk_vec_release(&t->sums);
}

static void tk_call_sums_add(struct tk_call_sums *to, const struct tk_call_sums *from)
{
    to->count += from->count;
    to->total += from->total;
    to->excl += from->excl;
    to->framed += from->framed;
    to->open += from->open;
    to->open_time += from->open_time;
    to->open_excl += from->open_excl;
}

uint32_t tk_call_tree_add(struct tk_call_tree *t, uint32_t parent, uint32_t timer,
                          const struct tk_call_sums *sums)
{
    uint32_t node = tk_paths_reach(&t->paths, parent, timer);
    if (node == TK_PATH_NONE || tk_vec_reach(&t->sums, t->paths.nodes.n))
        return TK_PATH_NONE;
    tk_call_sums_add(&t->sums.v[node], sums);
    return node;
}

/* ---- lanes ---- */

/* What lies beyond the limit nests in itself, so that only own times say how much it is. */
static int tk_call_tree_add_lost(struct tk_call_tree *t, uint32_t below, const struct tk_call_sums *sums)
{
    struct tk_call_sums lost = *sums;
    lost.total = sums->excl;
    lost.open_time = sums->open_excl;
    if (!lost.count && !lost.open)
        return 0;
    return tk_call_tree_add(t, below, TK_CALL_LOST, &lost) == TK_PATH_NONE ? -1 : 0;
}

static bool tk_call_tree_timer(struct tk_dict *dict, uint32_t *timer)
{
    const struct tk_timer *known = tk_dict_timer(dict, *timer);
    if (known)
        *timer = known->info.id;
    return known;
}

static int tk_call_tree_add_nodes(struct tk_call_tree *t, uint32_t *map, const struct tk_paths *paths,
                                  const struct tk_call_sums *sums, size_t n, struct tk_dict *dict)
{
    const struct tk_call_sums nothing = {0};
    for (size_t i = TK_PATH_LOST + 1; i < paths->nodes.n; i++) {
        const struct tk_path_node *node = &paths->nodes.v[i];
        uint32_t timer = node->timer;
        if (!tk_call_tree_timer(dict, &timer))
            return -1;
        map[i] = tk_call_tree_add(t, map[node->parent], timer, i < n ? &sums[i] : &nothing);
        if (map[i] == TK_PATH_NONE)
            return -1;
    }
    return n > TK_PATH_LOST ? tk_call_tree_add_lost(t, map[TK_PATH_ROOT], &sums[TK_PATH_LOST]) : 0;
}

int tk_call_tree_add_lane(struct tk_call_tree *t, uint32_t below, const struct tk_paths *paths,
                          const struct tk_call_sums *sums, size_t n, struct tk_dict *dict)
{
    uint32_t *map = malloc(paths->nodes.n * sizeof *map);
    if (!map)
        return -1;
    map[TK_PATH_ROOT] = below;
    int rc = tk_call_tree_add_nodes(t, map, paths, sums, n, dict);
    free(map);
    return rc;
}

/* ---- round a timer ---- */

/* For each timer there is, whether it matches; to be freed, NULL without memory. */
static bool *tk_call_tree_match(const struct tk_patterns *timers, const struct tk_dict *dict)
{
    bool *matches = calloc(dict->timers.n + 1, sizeof *matches);
    for (size_t i = 0; matches && i < dict->timers.n; i++)
        matches[i] = tk_patterns_pass(timers, dict->timers.v[i].shown);
    return matches;
}

/* Sums of the nodes around a node that are of its timer. */
static struct tk_call_sums tk_call_tree_outer(const struct tk_call_tree *t, uint32_t node)
{
    const struct tk_path_node *nodes = t->paths.nodes.v;
    struct tk_call_sums outer = {0};
    for (uint32_t up = nodes[node].parent; up != TK_PATH_ROOT; up = nodes[up].parent)
        if (nodes[up].timer == nodes[node].timer)
            tk_call_sums_add(&outer, &t->sums.v[up]);
    return outer;
}

/* Adds one node with the way up to its root. */
static int tk_call_tree_climb(const struct tk_call_tree *t, uint32_t node, struct tk_call_tree *out)
{
    struct tk_call_sums sums = t->sums.v[node];
    uint32_t at = TK_PATH_ROOT;
    if (!sums.count && !sums.open)
        return 0;
    const struct tk_call_sums outer = tk_call_tree_outer(t, node);
    if (outer.count)
        sums.total = sums.framed = 0;
    if (outer.open)
        sums.open_time = 0;
    for (; node != TK_PATH_ROOT; node = t->paths.nodes.v[node].parent) {
        at = tk_call_tree_add(out, at, t->paths.nodes.v[node].timer, &sums);
        if (at == TK_PATH_NONE)
            return -1;
    }
    return 0;
}

int tk_call_tree_callers(const struct tk_call_tree *t, const struct tk_patterns *timers, struct tk_dict *dict,
                         struct tk_call_tree *out)
{
    bool *matches = tk_call_tree_match(timers, dict);
    int rc = matches ? 0 : -1;
    for (uint32_t i = TK_PATH_LOST + 1; i < t->paths.nodes.n && rc == 0; i++) {
        uint32_t timer = t->paths.nodes.v[i].timer;
        if (timer < dict->timers.n && matches[timer])
            rc = tk_call_tree_climb(t, i, out);
    }
    free(matches);
    return rc;
}

/* Where a node goes: below what its parent became, or as a root of its own; else TK_PATH_ROOT. */
static int tk_call_tree_sink(const struct tk_call_tree *t, uint32_t node, bool matches, uint32_t *map,
                             struct tk_call_tree *out)
{
    const struct tk_path_node *n = &t->paths.nodes.v[node];
    const struct tk_call_sums nothing = {0};
    uint32_t above = map[n->parent];
    map[node] = TK_PATH_ROOT;
    if (n->timer & TK_CALL_THREAD || (above == TK_PATH_ROOT && !matches))
        return 0;
    if (above == TK_PATH_ROOT) {
        uint32_t thread = node;
        while (thread != TK_PATH_ROOT && !(t->paths.nodes.v[thread].timer & TK_CALL_THREAD))
            thread = t->paths.nodes.v[thread].parent;
        if (thread != TK_PATH_ROOT)
            above = tk_call_tree_add(out, TK_PATH_ROOT, t->paths.nodes.v[thread].timer, &nothing);
    }
    if (above != TK_PATH_NONE)
        map[node] = above = tk_call_tree_add(out, above, n->timer, &t->sums.v[node]);
    return above == TK_PATH_NONE ? -1 : 0;
}

int tk_call_tree_callees(const struct tk_call_tree *t, const struct tk_patterns *timers, struct tk_dict *dict,
                         struct tk_call_tree *out)
{
    bool *matches = tk_call_tree_match(timers, dict);
    uint32_t *map = calloc(t->paths.nodes.n, sizeof *map);
    int rc = matches && map ? 0 : -1;
    for (uint32_t i = TK_PATH_LOST + 1; i < t->paths.nodes.n && rc == 0; i++) {
        uint32_t timer = t->paths.nodes.v[i].timer;
        rc = tk_call_tree_sink(t, i, timer < dict->timers.n && matches[timer], map, out);
    }
    free(matches);
    free(map);
    return rc;
}
