/*
 * Merging and turning of call trees.
 */
#include "model/timers/call_tree.h"

#include <stdlib.h>

int tk_call_tree_init(struct tk_call_tree *t)
{
    *t = (struct tk_call_tree){0};
    return tk_paths_init(&t->paths, UINT64_MAX);
}

void tk_call_tree_release(struct tk_call_tree *t)
{
    tk_paths_release(&t->paths);
    tk_call_store_release(&t->sums);
}

void tk_call_store_release(struct tk_call_store *s)
{
    tk_vec_release(&s->v);
    tk_vec_release(&s->open);
    tk_map_release(&s->open_index);
}

/* Of calls without an end; NULL where there are none. */
static struct tk_call_open *tk_call_store_open(const struct tk_call_store *s, uint32_t node)
{
    const uint32_t at = s->open.n ? tk_map_get(&s->open_index, node) : TK_MAP_NONE;
    return at == TK_MAP_NONE ? NULL : &s->open.v[at];
}

struct tk_call_sums tk_call_store_get(const struct tk_call_store *s, uint32_t node)
{
    const struct tk_call_times none = {0}, *times = node < s->v.n ? &s->v.v[node] : &none;
    struct tk_call_sums sums = {
        .count = times->count, .total = times->total, .excl = times->excl, .framed = times->framed};
    const struct tk_call_open *open = tk_call_store_open(s, node);
    if (open) {
        sums.open = open->open;
        sums.open_time = open->open_time;
        sums.open_excl = open->open_excl;
    }
    return sums;
}

static int tk_call_store_add_open(struct tk_call_store *s, uint32_t node, const struct tk_call_sums *sums)
{
    struct tk_call_open *open = tk_call_store_open(s, node);
    if (!open) {
        const struct tk_call_open none = {0};
        if (tk_vec_push(&s->open, none) || tk_map_put(&s->open_index, node, (uint32_t)s->open.n - 1))
            return -1;
        open = &s->open.v[s->open.n - 1];
    }
    open->open += sums->open;
    open->open_time += sums->open_time;
    open->open_excl += sums->open_excl;
    return 0;
}

int tk_call_store_add(struct tk_call_store *s, uint32_t node, const struct tk_call_sums *sums)
{
    struct tk_call_times *to = &s->v.v[node];
    to->count += sums->count;
    to->total += sums->total;
    to->excl += sums->excl;
    to->framed += sums->framed;
    return sums->open ? tk_call_store_add_open(s, node, sums) : 0;
}

static int tk_call_store_fold_open(struct tk_call_store *s, const uint32_t *to, size_t n)
{
    struct tk_call_store out = {0};
    int rc = 0;
    for (uint32_t i = 0; s->open.n && i < n && rc == 0; i++) {
        struct tk_call_sums sums = tk_call_store_get(s, i);
        if (sums.open && to[i] & TK_PATH_INSIDE)
            sums.open_time = 0;
        rc = sums.open ? tk_call_store_add_open(&out, tk_path_place(to[i]), &sums) : 0;
    }
    if (rc) {
        tk_call_store_release(&out);
        return -1;
    }
    tk_vec_release(&s->open);
    tk_map_release(&s->open_index);
    out.v.v = s->v.v, out.v.n = s->v.n, out.v.cap = s->v.cap;
    *s = out;
    return 0;
}

int tk_call_store_fold(struct tk_call_store *s, const uint32_t *to, size_t n)
{
    size_t there = 0;
    if (tk_call_store_fold_open(s, to, n))
        return -1;
    for (size_t i = 0; i < s->v.n && i < n; i++) {
        const struct tk_call_times times = s->v.v[i];
        struct tk_call_times *sums = &s->v.v[tk_path_place(to[i])];
        if (to[i] == there) {
            *sums = times;
            there++;
            continue;
        }
        sums->count += times.count;
        sums->excl += times.excl;
        if (to[i] & TK_PATH_INSIDE)
            continue;
        sums->total += times.total;
        sums->framed += times.framed;
    }
    s->v.n = there;
    return 0;
}

uint32_t tk_call_tree_add(struct tk_call_tree *t, uint32_t parent, uint32_t timer,
                          const struct tk_call_sums *sums)
{
    uint32_t node = tk_paths_reach(&t->paths, parent, timer);
    if (node == TK_PATH_NONE || tk_vec_reach(&t->sums.v, t->paths.nodes.n) ||
        tk_call_store_add(&t->sums, node, sums))
        return TK_PATH_NONE;
    return node;
}

/* ---- lanes ---- */

/* What lies beyond the limit at no known place nests in itself, so that only own times say how much it is. */
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
                                  const struct tk_call_store *sums, struct tk_dict *dict)
{
    for (size_t i = TK_PATH_LOST + 1; i < paths->nodes.n; i++) {
        const struct tk_path_node *node = &paths->nodes.v[i];
        const struct tk_call_sums here = tk_call_store_get(sums, (uint32_t)i);
        uint32_t timer = node->timer;
        if (timer != TK_PATH_BEYOND && !tk_call_tree_timer(dict, &timer))
            return -1;
        map[i] = tk_call_tree_add(t, map[node->parent], timer, &here);
        if (map[i] == TK_PATH_NONE)
            return -1;
    }
    const struct tk_call_sums lost = tk_call_store_get(sums, TK_PATH_LOST);
    return tk_call_tree_add_lost(t, map[TK_PATH_ROOT], &lost);
}

int tk_call_tree_add_lane(struct tk_call_tree *t, uint32_t below, const struct tk_paths *paths,
                          const struct tk_call_store *sums, struct tk_dict *dict)
{
    uint32_t *map = malloc(paths->nodes.n * sizeof *map);
    if (!map)
        return -1;
    map[TK_PATH_ROOT] = below;
    int rc = tk_call_tree_add_nodes(t, map, paths, sums, dict);
    free(map);
    return rc;
}

/* ---- round a timer ---- */

/* For each timer there is, whether it matches; to be freed, NULL without memory. */
static bool *tk_call_tree_match(const struct tk_patterns *timers, const struct tk_dict *dict)
{
    bool *matches = calloc(dict->timers.n + 1, sizeof *matches);
    for (size_t i = 0; matches && i < dict->timers.n; i++)
        matches[i] = tk_patterns_pass(timers, dict->timers.v[i].displayed);
    return matches;
}

/* Calls of the nodes around a node that are of its timer. */
static struct tk_call_sums tk_call_tree_outer(const struct tk_call_tree *t, uint32_t node)
{
    const struct tk_path_node *nodes = t->paths.nodes.v;
    struct tk_call_sums outer = {0};
    for (uint32_t up = nodes[node].parent; up != TK_PATH_ROOT; up = nodes[up].parent)
        if (nodes[up].timer == nodes[node].timer) {
            const struct tk_call_sums sums = tk_call_store_get(&t->sums, up);
            outer.count += sums.count;
            outer.open += sums.open;
        }
    return outer;
}

/* Adds one node with the way up to its root. */
static int tk_call_tree_climb(const struct tk_call_tree *t, uint32_t node, struct tk_call_tree *out)
{
    struct tk_call_sums sums = tk_call_store_get(&t->sums, node);
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
    const struct tk_call_sums sums = tk_call_store_get(&t->sums, node);
    if (above != TK_PATH_NONE)
        map[node] = above = tk_call_tree_add(out, above, n->timer, &sums);
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
