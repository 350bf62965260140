/*
 * Merging and turning of call trees.
 */
#include "model/timers/call_tree.h"

#include <inttypes.h>
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

/*
 * Sums by node of the lanes of call trees.
 */

void tk_tree_lanes_release(struct tk_tree_lanes *l)
{
    for (size_t i = 0; i < l->v.n; i++) {
        if (l->v.v[i])
            tk_call_store_release(&l->v.v[i]->sums);
        free(l->v.v[i]);
    }
    tk_vec_release(&l->v);
    tk_vec_release(&l->threads);
    tk_vec_release(&l->kinds);
}

static int reserve(struct tk_tree_lanes *l, size_t n)
{
    if (tk_vec_reserve(&l->v, n) || tk_vec_reserve(&l->threads, n) || tk_vec_reserve(&l->kinds, n))
        return -1;
    while (l->v.n < n) {
        l->v.v[l->v.n++] = NULL;
        l->threads.v[l->threads.n++] = TK_NO_THREAD;
        l->kinds.v[l->kinds.n++] = TK_LANE_THREAD;
    }
    return 0;
}

int tk_tree_lanes_feed(struct tk_tree_lanes *l, const struct tk_batch *batch, struct tk_err *err)
{
    for (size_t i = 0; i < batch->n_runs; i++) {
        const struct tk_scope_run *run = &batch->runs[i];
        if (run->kind != TK_LANE_THREAD && !l->queues)
            continue;
        if (reserve(l, (size_t)run->lane + 1) ||
            (!l->v.v[run->lane] && !(l->v.v[run->lane] = calloc(1, sizeof(struct tk_tree_lane)))))
            return tk_err_nomem(err, "a call tree");
        l->threads.v[run->lane] = run->thread;
        l->kinds.v[run->lane] = run->kind;
    }
    return TK_OK;
}

static struct tk_tree_lane *lane_of(const struct tk_tree_lanes *l, uint32_t lane)
{
    return lane < l->v.n ? l->v.v[lane] : NULL;
}

static int reach_call_tree_lanes(struct tk_tree_lane *lane, const struct tk_paths *paths)
{
    return tk_vec_reach(&lane->sums.v, paths->nodes.n);
}

int tk_tree_lanes_take(struct tk_tree_lanes *l, const struct tk_slices *s)
{
    struct tk_tree_lane *lane = lane_of(l, s->lane);
    if (!lane)
        return 0;
    if (reach_call_tree_lanes(lane, s->paths))
        return -1;
    for (size_t i = 0; i < s->n; i++) {
        struct tk_call_times *sums = &lane->sums.v.v[tk_path_place(s->node[i])];
        sums->count++;
        sums->total += s->node[i] & TK_PATH_INSIDE ? 0 : s->total[i];
        sums->excl += s->excl[i];
    }
    return 0;
}

uint64_t tk_tree_lanes_uses(const struct tk_tree_lanes *l, uint32_t lane, uint32_t node)
{
    const struct tk_tree_lane *of = lane_of(l, lane);
    return of && node < of->sums.v.n ? of->sums.v.v[node].count + of->sums.v.v[node].excl : 0;
}

int tk_tree_lanes_fold(struct tk_tree_lanes *l, uint32_t lane, const uint32_t *to, size_t n)
{
    struct tk_tree_lane *of = lane_of(l, lane);
    return of ? tk_call_store_fold(&of->sums, to, n) : 0;
}

/* Cycles between two times, those of the selection alone where slices are clipped to it. */
static uint64_t between(const struct tk_query_context *view, bool whole, int64_t begin, int64_t end)
{
    if (begin >= end)
        return 0;
    if (whole)
        return (uint64_t)end - (uint64_t)begin;
    return (uint64_t)tk_select_before(view->select, end) - (uint64_t)tk_select_before(view->select, begin);
}

static int add_open(struct tk_tree_lane *lane, const struct tk_query_context *view, bool whole,
                    const struct tk_open_scope *scopes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_open_scope *s = &scopes[i];
        const int64_t last = tk_select_clip_end(view->select, view->last_time);
        const int64_t end = s->end < last ? s->end : last;
        if (!tk_select_touches(view->select, s->begin, end > s->begin ? end : s->begin))
            continue;
        const uint64_t time = between(view, whole, s->begin, end);
        const uint64_t inner = s->children + between(view, whole, s->inside, end);
        const struct tk_call_sums sums = {.open = 1,
                                          .open_time = s->node & TK_PATH_INSIDE ? 0 : time,
                                          .open_excl = time > inner ? time - inner : 0};
        if (tk_call_store_add(&lane->sums, tk_path_place(s->node), &sums))
            return -1;
    }
    return 0;
}

/* Calls of a lane that have no node of their own. */
static uint64_t count_beyond(const struct tk_tree_lane *lane)
{
    uint64_t n = tk_call_store_get(&lane->sums, TK_PATH_LOST).count;
    for (uint32_t i = TK_PATH_LOST + 1; lane->paths->beyond && i < lane->sums.v.n; i++)
        if (tk_paths_is_beyond(lane->paths, i))
            n += tk_call_store_get(&lane->sums, i).count;
    return n;
}

int tk_tree_lanes_end(struct tk_tree_lanes *l, const struct tk_query_context *view,
                      const struct tk_lane_end *end, bool whole)
{
    struct tk_tree_lane *lane = lane_of(l, end->lane);
    if (!lane)
        return 0;
    lane->paths = end->paths;
    if (reach_call_tree_lanes(lane, end->paths))
        return -1;
    if (add_open(lane, view, whole, end->open, end->n_open) ||
        add_open(lane, view, whole, end->lost, end->n_lost))
        return -1;
    const uint64_t lost = count_beyond(lane);
    if (lost)
        tk_health_limit(&view->ctx->health, TK_LIMIT_tree_nodes, TK_NO_OFFSET, lost,
                        "thread %" PRIu32 ": %" PRIu64 " scopes are counted together", end->thread, lost);
    return 0;
}

int tk_tree_lanes_merge(struct tk_tree_lanes *l, bool by_lane, struct tk_dict *dict, struct tk_call_tree *all)
{
    const struct tk_call_sums nothing = {0};
    for (uint32_t i = 0; i < l->v.n; i++) {
        struct tk_tree_lane *lane = l->v.v[i];
        uint32_t below = TK_PATH_ROOT;
        if (!lane || !lane->paths || !lane->sums.v.n)
            continue;
        if (by_lane)
            below = tk_call_tree_add(all, TK_PATH_ROOT, TK_CALL_THREAD | i, &nothing);
        if (below == TK_PATH_NONE || tk_call_tree_add_lane(all, below, lane->paths, &lane->sums, dict))
            return -1;
        tk_call_store_release(&lane->sums);
    }
    return 0;
}
