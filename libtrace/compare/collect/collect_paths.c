/*
 * Sums own time by call path of a run being collected. collect.c adds each slice here.
 */
#include "compare/collect/collect_paths.h"

#include "base/wrap.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* ---- lanes ---- */

int tk_lane_paths_take(struct tk_lane_paths *p, const struct tk_slices *s, const uint8_t *parts)
{
    p->paths = s->paths;
    if (tk_vec_reserve(&p->v, s->paths->nodes.n))
        return -1;
    while (p->v.n < s->paths->nodes.n)
        p->v.v[p->v.n++] = (struct tk_lane_path){0};
    for (size_t i = 0; i < s->n; i++) {
        struct tk_lane_path *path = &p->v.v[tk_path_place(s->node[i])];
        path->count++;
        path->own = tk_wrap_add(path->own, (int64_t)s->excl[i]);
        if (parts[i] < TK_CALL_PATH_SUMS)
            path->parts[parts[i]] = tk_wrap_add(path->parts[parts[i]], (int64_t)s->excl[i]);
    }
    return 0;
}

void tk_lane_paths_release(struct tk_lane_paths *p)
{
    tk_vec_release(&p->v);
}

/* ---- runs ---- */

void tk_collect_paths_init(struct tk_collect_paths *p, struct tk_base_run *run, size_t limit)
{
    *p = (struct tk_collect_paths){.run = run, .limit = limit};
}

void tk_collect_paths_release(struct tk_collect_paths *p)
{
    tk_vec_release(&p->paths);
    tk_vec_release(&p->places);
    tk_map_release(&p->index);
}

/* The path of a timer below a path (1 + its index, or 0): 1 + its index; 0 where there is no room; NONE if
 * out of memory. */
static uint32_t path_of(struct tk_collect_paths *p, uint32_t parent, const struct tk_series *timer)
{
    const uint64_t parts[] = {parent, (uint64_t)(uintptr_t)timer};
    uint64_t key = tk_hash_bytes(parts, sizeof parts, 0);
    uint32_t at = tk_map_get(&p->index, key);
    struct tk_path path = {.parent = parent, .timer = timer};
    if (at != TK_MAP_NONE)
        return at + 1;
    if (p->paths.n >= p->limit)
        return 0;
    if (tk_map_put(&p->index, key, (uint32_t)p->paths.n) || tk_vec_push(&p->paths, path))
        return NONE;
    return (uint32_t)p->paths.n;
}

static void add_node(struct tk_path *path, const struct tk_lane_path *node)
{
    path->count += node->count;
    path->own = tk_wrap_add(path->own, node->own);
    for (uint32_t i = 0; i < TK_CALL_PATH_SUMS; i++)
        path->parts[i] = tk_wrap_add(path->parts[i], node->parts[i]);
}

int tk_collect_paths_add(struct tk_collect_paths *p, const struct tk_lane_paths *lane,
                         const struct tk_series *(*timer_of)(void *ctx, uint32_t timer), void *ctx)
{
    const struct tk_paths *paths = lane->paths;
    size_t n = paths ? paths->nodes.n : 0;
    const struct tk_lane_path nothing = {0};
    if (tk_vec_reserve(&p->places, n + 1))
        return -1;
    p->places.v[TK_PATH_ROOT] = 0;
    p->left_out += lane->v.n > TK_PATH_LOST ? lane->v.v[TK_PATH_LOST].count : 0;
    for (size_t i = TK_PATH_LOST + 1; i < n; i++) {
        const struct tk_path_node *node = &paths->nodes.v[i];
        const struct tk_lane_path *sums = i < lane->v.n ? &lane->v.v[i] : &nothing;
        uint32_t parent = p->places.v[node->parent];
        p->places.v[i] = parent;
        if (tk_paths_is_beyond(paths, (uint32_t)i)) {
            p->left_out += sums->count;
            continue;
        }
        const struct tk_series *timer = timer_of(ctx, node->timer);
        if (!timer)
            continue;
        uint32_t at = path_of(p, parent, timer);
        if (at == NONE)
            return -1;
        p->places.v[i] = at ? at : parent;
        p->left_out += at ? 0 : sums->count;
        if (at)
            add_node(&p->paths.v[at - 1], sums);
    }
    return 0;
}

/* ---- what is kept, and its order ---- */

struct ranked {
    uint32_t parent; /* as in the run */
    uint32_t index;  /* among all */
    const struct tk_series *timer;
};

static int by_place_paths(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    int c = (x->parent > y->parent) - (x->parent < y->parent);
    return c ? c : tk_series_order(x->timer, y->timer);
}

/* Cycles from which on a path is told. */
static double least_of(const struct tk_base_run *run)
{
    double frames = 0;
    for (size_t i = 0; i < run->frames.n; i++)
        frames += (double)run->frames.v[i];
    return TK_PATH_SHARE * frames;
}

/* Cycles inside of frames. */
static double framed(const struct tk_path *path)
{
    double sum = 0;
    for (uint32_t i = 0; i < TK_CALL_PATH_SUMS; i++)
        sum += (double)path->parts[i];
    return sum;
}

/* Marks what is kept by its level, from 1 on; children come behind their parents. */
static size_t mark(const struct tk_collect_paths *p, uint32_t *level)
{
    double least = least_of(p->run);
    size_t kept = 0;
    for (size_t i = p->paths.n; i-- > 0;) {
        const struct tk_path *path = &p->paths.v[i];
        level[i] |= framed(path) > least;
        if (level[i] && path->parent)
            level[path->parent - 1] = 1;
    }
    for (size_t i = 0; i < p->paths.n; i++) {
        const struct tk_path *path = &p->paths.v[i];
        if (level[i] && path->parent)
            level[i] = level[path->parent - 1] + 1;
        kept += level[i] != 0;
    }
    return kept;
}

static int put_paths(struct tk_collect_paths *p, const struct ranked *r, double least)
{
    struct tk_path path = p->paths.v[r->index];
    path.parent = r->parent;
    path.told = framed(&path) > least;
    return tk_vec_push(&p->run->paths, path);
}

/* Puts the paths of a level, whose parents have their places, behind those that are there. */
static int put_level(struct tk_collect_paths *p, const uint32_t *level, uint32_t l, uint32_t *place,
                     struct ranked *ranks)
{
    size_t n = 0, from = p->run->paths.n;
    double least = least_of(p->run);
    for (size_t i = 0; i < p->paths.n; i++) {
        const struct tk_path *path = &p->paths.v[i];
        uint32_t parent = path->parent ? place[path->parent - 1] : 0;
        if (level[i] == l)
            ranks[n++] = (struct ranked){parent, (uint32_t)i, path->timer};
    }
    if (n)
        qsort(ranks, n, sizeof *ranks, by_place_paths);
    for (size_t i = 0; i < n; i++) {
        place[ranks[i].index] = (uint32_t)(from + i) + 1;
        if (put_paths(p, &ranks[i], least))
            return -1;
    }
    return 0;
}

int tk_collect_paths_finish(struct tk_collect_paths *p)
{
    uint32_t *level = calloc(p->paths.n + 1, sizeof *level), *place = calloc(p->paths.n + 1, sizeof *place);
    size_t kept = level ? mark(p, level) : 0;
    struct ranked *ranks = calloc(kept + 1, sizeof *ranks);
    int rc = level && place && ranks ? 0 : -1;
    for (uint32_t l = 1; rc == 0 && p->run->paths.n < kept; l++)
        rc = put_level(p, level, l, place, ranks);
    free(level);
    free(place);
    free(ranks);
    return rc;
}
