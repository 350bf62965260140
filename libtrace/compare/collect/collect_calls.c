/*
 * Sums by timer of a run being collected. collect.c adds each slice here.
 *
 * Own time belongs to the block in which the scope ends, and calls to the part of the run that it is in.
 */
#include "base/bits.h"
#include "base/wrap.h"
#include "compare/collect/collect_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Sums own time by call path of a run being collected. collect.c adds each slice here.
 */

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

/* The path of a timer below a path (1 + its index, or 0): 1 + its index; 0 where there is no space; NONE if
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
    return c ? c : tk_series_compare(x->timer, y->timer);
}

/* Cycles from which on a path is reported. */
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
    path.reported = framed(&path) > least;
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

#define PAGE TK_TIMER_SUM_PAGE

/* Slices that are looked at together: first where their sums are, then, when these had time to come, they are
 * added to. */
#define GROUP 64u

void tk_collect_calls_init(struct tk_collect_calls *c, const struct tk_collect_frames *frames)
{
    *c = (struct tk_collect_calls){.frames = frames};
    c->cells.what = TK_TIMER_SUM_INCL | TK_TIMER_SUM_SKETCH;
}

static void free_pages(struct tk_call_sum **pages, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; pages[i] && k < PAGE; k++) {
            free(pages[i][k].times);
            free(pages[i][k].calls);
        }
        free(pages[i]);
    }
}

void tk_collect_calls_release(struct tk_collect_calls *c)
{
    tk_timer_sum_release(&c->cells);
    free_pages(c->pages.v, c->pages.n);
    free_pages(c->late.v, c->late.n);
    tk_vec_release(&c->pages);
    tk_vec_release(&c->late);
    tk_vec_release(&c->parts);
    tk_watched_sums_release(&c->watched);
}

/* The page of a timer, made on first use; NULL if out of memory. */
static struct tk_call_sum *page_of(struct tk_collect_calls *c, uint32_t timer)
{
    bool late = timer >= TK_LATE;
    size_t page = (late ? timer - TK_LATE : timer) / PAGE;
    size_t *n = late ? &c->late.n : &c->pages.n;
    if (page >= *n) {
        if (late ? tk_vec_reserve(&c->late, page + 1) : tk_vec_reserve(&c->pages, page + 1))
            return NULL;
        while (*n <= page)
            (late ? c->late.v : c->pages.v)[(*n)++] = NULL;
    }
    struct tk_call_sum **at = &(late ? c->late.v : c->pages.v)[page];
    if (!*at)
        *at = calloc(PAGE, sizeof **at);
    return *at;
}

static inline struct tk_call_sum *sum_of_calls(struct tk_collect_calls *c, uint32_t timer)
{
    size_t at = timer / PAGE;
    struct tk_call_sum *page = at < c->pages.n ? c->pages.v[at] : NULL;
    if (!page && !(page = page_of(c, timer)))
        return NULL;
    return &page[timer % PAGE];
}

/* Keeps the time of a call, as long as there are few. */
static int add_call(struct tk_call_sum *sum, uint64_t total)
{
    if (sum->n_calls == TK_SERIES_EXACT) {
        sum->n_calls++;
        free(sum->calls);
        sum->calls = NULL;
        return 0;
    }
    if ((sum->n_calls & (sum->n_calls - 1)) == 0) { /* a power of two is full */
        size_t capacity = sum->n_calls ? (size_t)sum->n_calls * 2 : 1;
        uint64_t *calls = realloc(sum->calls, capacity * sizeof *calls);
        if (!calls)
            return -1;
        sum->calls = calls;
    }
    sum->calls[sum->n_calls++] = total;
    return 0;
}

static int make_times(const struct tk_collect_calls *c, struct tk_call_sum *sum)
{
    size_t blocks = c->frames->run->n_blocks;
    sum->times = calloc(1, sizeof *sum->times + blocks * sizeof *sum->times->blocks);
    return sum->times ? 0 : -1;
}

static inline void fetch(const int64_t *own)
{
    tk_prefetch_write(own);
}

static void add_part(struct tk_run_part_sum *part, uint64_t total)
{
    part->count++;
    part->total += total;
}

/* Slices from `begin` to `end`, GROUP at most, that end in a block. */
static int take_group(struct tk_collect_calls *c, const struct tk_slices *s, size_t begin, size_t end,
                      size_t block)
{
    int64_t *own[GROUP];
    for (size_t i = begin; i < end; i++) {
        struct tk_call_sum *sum = sum_of_calls(c, s->timer[i]);
        if (!sum || (sum->n_calls <= TK_SERIES_EXACT && add_call(sum, s->total[i])) ||
            (!sum->times && make_times(c, sum)))
            return -1;
        own[i - begin] = &sum->times->blocks[block];
        fetch(own[i - begin]);
    }
    for (size_t i = begin; i < end; i++)
        *own[i - begin] = tk_wrap_add(*own[i - begin], (int64_t)s->excl[i]);
    return 0;
}

/* Those that are not in a part of the usual class; NULL: outside of all blocks. */
static int take_parts(struct tk_collect_calls *c, const struct tk_slices *s, size_t begin, size_t end,
                      const uint8_t *class)
{
    for (size_t i = begin; i < end; i++) {
        struct tk_call_sum *sum = sum_of_calls(c, s->timer[i]);
        if (!sum || (!class && sum->n_calls <= TK_SERIES_EXACT && add_call(sum, s->total[i])) ||
            (!sum->times && make_times(c, sum)))
            return -1;
        add_part(class ? &sum->times->parts[*class] : &sum->times->outside, s->total[i]);
    }
    return 0;
}

static int take_stretch(struct tk_collect_calls *c, const struct tk_slices *s, size_t begin, size_t end,
                        size_t block)
{
    const struct tk_collect_frames *f = c->frames;
    int rc = 0;
    memset(c->parts.v + begin, block == SIZE_MAX ? TK_CALL_PATH_NO_SUM : f->run->part[block], end - begin);
    if (block == SIZE_MAX)
        return take_parts(c, s, begin, end, NULL);
    for (size_t i = begin; i < end && rc == 0; i += GROUP)
        rc = take_group(c, s, i, end - i < GROUP ? end : i + GROUP, block);
    if (rc == 0 && f->class[block] != f->usual)
        rc = take_parts(c, s, begin, end, &f->class[block]);
    return rc;
}

/* The block of a slice, or SIZE_MAX. */
static size_t block_of(const struct tk_collect_frames *f, const struct tk_slices *s, size_t i)
{
    uint32_t frame = s->frame[i];
    if (frame == TK_FRAME_PARTS || frame == TK_FRAME_NONE)
        return tk_collect_block_at(f, s->end[i]);
    return tk_collect_block_of(f, frame);
}

int tk_collect_calls_take(struct tk_collect_calls *c, const struct tk_slices *s)
{
    if (tk_vec_reserve(&c->parts, s->n))
        return -1;
    for (size_t begin = 0, end; begin < s->n; begin = end) {
        size_t block = block_of(c->frames, s, begin);
        for (end = begin + 1; end < s->n; end++)
            if ((s->frame[end] != s->frame[end - 1] || s->frame[end] >= TK_FRAME_PARTS) &&
                block_of(c->frames, s, end) != block)
                break;
        if (take_stretch(c, s, begin, end, block))
            return -1;
    }
    if (tk_watched_sums_take(&c->watched, s))
        return -1;
    struct tk_slices apart = *s; /* places are kept, and put together when all is known */
    apart.key = s->timer;
    return tk_timer_sum_take(&c->cells, &apart);
}

int tk_collect_calls_next(struct tk_collect_calls *c, size_t *at, struct tk_calls_entry *out)
{
    struct tk_timer_sum_entry e;
    while (tk_timer_sum_next(&c->cells, at, &e)) {
        if (!e.cell->count)
            continue;
        *out = (struct tk_calls_entry){e.timer, e.cell, sum_of_calls(c, e.timer)};
        return out->sum ? 1 : -1;
    }
    return 0;
}

struct tk_run_part_sum tk_collect_calls_part(const struct tk_collect_calls *c, const struct tk_calls_entry *e,
                                             size_t part)
{
    const struct tk_call_times *times = e->sum->times;
    if (part != c->frames->usual)
        return times->parts[part];
    struct tk_run_part_sum rest = {e->cell->count - times->outside.count,
                                   e->cell->total - times->outside.total};
    for (size_t i = 0; i < TK_CALL_PATH_SUMS; i++) {
        rest.count -= times->parts[i].count;
        rest.total -= times->parts[i].total;
    }
    return rest;
}

/* ---- merging ---- */

static int merge_calls(struct tk_call_sum *into, const struct tk_call_sum *from)
{
    if (from->n_calls > TK_SERIES_EXACT && into->n_calls <= TK_SERIES_EXACT) {
        free(into->calls);
        into->calls = NULL;
        into->n_calls = from->n_calls;
    }
    for (uint32_t i = 0; i < from->n_calls && into->n_calls <= TK_SERIES_EXACT; i++)
        if (add_call(into, from->calls[i]))
            return -1;
    return 0;
}

static void merge_part(struct tk_run_part_sum *into, const struct tk_run_part_sum *from)
{
    into->count += from->count;
    into->total += from->total;
}

static int merge_times(struct tk_collect_calls *c, struct tk_call_sum *into, const struct tk_call_times *from)
{
    if (!into->times && make_times(c, into))
        return -1;
    for (uint32_t b = 0; b < c->frames->run->n_blocks; b++)
        into->times->blocks[b] = tk_wrap_add(into->times->blocks[b], from->blocks[b]);
    for (size_t i = 0; i < TK_CALL_PATH_SUMS; i++)
        merge_part(&into->times->parts[i], &from->parts[i]);
    merge_part(&into->times->outside, &from->outside);
    return 0;
}

int tk_collect_calls_merge(struct tk_collect_calls *into, struct tk_collect_calls *from)
{
    struct tk_calls_entry e;
    struct tk_timer_sum_entry to;
    int rc;
    for (size_t at = 0; (rc = tk_collect_calls_next(from, &at, &e)) > 0;) {
        struct tk_call_sum *sum = sum_of_calls(into, e.timer);
        if (!sum || tk_timer_sum_find(&into->cells, e.timer, &to) ||
            tk_timer_sum_merge_cell(&into->cells, to.cell, e.cell) || merge_calls(sum, e.sum) ||
            merge_times(into, sum, e.sum->times))
            return -1;
    }
    return rc < 0 ? rc : tk_watched_sums_merge(&into->watched, &from->watched);
}
