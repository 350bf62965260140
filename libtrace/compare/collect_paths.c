/*
 * Paths of a run. See collect_paths.h.
 */
#include "compare/collect_paths.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

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

/* The path of a timer below a path (1 + its index, or 0): 1 + its index; 0 where there is no room; NONE when
 * memory is out. */
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

static void add_node(struct tk_path *path, const struct tk_call_path *node)
{
    path->count += node->count;
    path->own += node->own;
    for (uint32_t i = 0; i < TK_CALL_PATH_SUMS; i++)
        path->parts[i] += node->sums[i];
}

int tk_collect_paths_add(struct tk_collect_paths *p, const struct tk_call_paths *lane,
                         const struct tk_series *(*timer_of)(void *ctx, uint32_t timer), void *ctx)
{
    p->left_out += lane->left_out;
    if (tk_vec_reserve(&p->places, lane->nodes.n))
        return -1;
    p->places.v[TK_CALL_PATH_ROOT] = 0;
    for (size_t i = 1; i < lane->nodes.n; i++) {
        const struct tk_call_path *node = &lane->nodes.v[i];
        uint32_t parent = i < TK_CALL_PATH_FIRST ? NONE : p->places.v[node->parent];
        p->places.v[i] = parent; /* NONE: it only waited */
        const struct tk_series *timer = parent == NONE ? NULL : timer_of(ctx, node->timer);
        if (!timer)
            continue;
        uint32_t at = path_of(p, parent, timer);
        if (at == NONE)
            return -1;
        p->places.v[i] = at ? at : parent;
        p->left_out += at ? 0 : node->count;
        if (at)
            add_node(&p->paths.v[at - 1], node);
    }
    return 0;
}

/* ---- what is kept, and its order ---- */

struct ranked {
    uint32_t parent; /* as in the run */
    uint32_t index;  /* among all */
    const struct tk_series *timer;
};

static int by_place(const void *a, const void *b)
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

static int put(struct tk_collect_paths *p, const struct ranked *r, double least)
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
        qsort(ranks, n, sizeof *ranks, by_place);
    for (size_t i = 0; i < n; i++) {
        place[ranks[i].index] = (uint32_t)(from + i) + 1;
        if (put(p, &ranks[i], least))
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
