/*
 * What the series of a run come to, a value each. Histories are made of them (compare/history), and
 * baseline_write.c keeps them alongside the series.
 */
#include "base/hash.h"
#include "compare/baseline/baseline.h"
#include "compare/baseline/block_walk.h"

#include <math.h>
#include <stdlib.h>

/*
 * Walks over the lengths of calls.
 */

/* Packed calls, else a packed sketch. */
static bool is_packed_exact(const struct tk_series *s)
{
    return s->packed && s->count <= TK_SERIES_EXACT;
}

const uint64_t *tk_series_exact(const struct tk_series *s, uint64_t buffer[TK_SERIES_EXACT])
{
    if (!is_packed_exact(s))
        return s->exact;
    struct tk_cur c = tk_cur_of(s->packed, s->packed_size);
    uint64_t length = 0;
    for (uint64_t i = 0; i < s->count; i++)
        buffer[i] = length += tk_varint(&c, "calls");
    return buffer;
}

struct tk_call_walk tk_call_walk_of(const struct tk_series *s)
{
    struct tk_call_walk w = {.series = s};
    if (!s->packed)
        return w;
    w.c = tk_cur_of(s->packed, s->packed_size);
    if (is_packed_exact(s)) {
        w.length = s->count ? tk_varint(&w.c, "calls") : 0;
        return w;
    }
    w.bucket = tk_varint(&w.c, "a sketch");
    w.left = tk_varint(&w.c, "a sketch");
    return w;
}

static bool next_packed(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    if (!w->left)
        return false;
    w->left--;
    *n = tk_sketch_read_bucket(&w->c, &w->bucket);
    *bucket = (uint32_t)w->bucket++;
    return true;
}

static bool next_packed_exact(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    if (w->at >= w->series->count)
        return false;
    *bucket = tk_sketch_bucket(TK_SKETCH_CALLS, w->length);
    for (*n = 0; w->at < w->series->count && tk_sketch_bucket(TK_SKETCH_CALLS, w->length) == *bucket; ++*n)
        if (++w->at < w->series->count)
            w->length += tk_varint(&w->c, "calls");
    return true;
}

static bool next_of_sketch(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    const struct tk_sketch *s = &w->series->sketch;
    for (; w->at < s->n; w->at++) {
        *bucket = s->first + (uint32_t)w->at;
        *n = tk_sketch_count_at(s, *bucket);
        if (*n) {
            w->at++;
            return true;
        }
    }
    return false;
}

static bool next_exact(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    const struct tk_series *s = w->series;
    if (!s->exact || w->at >= s->count)
        return false;
    *bucket = tk_sketch_bucket(TK_SKETCH_CALLS, s->exact[w->at]);
    for (*n = 0; w->at < s->count && tk_sketch_bucket(TK_SKETCH_CALLS, s->exact[w->at]) == *bucket; w->at++)
        ++*n;
    return true;
}

bool tk_call_walk_next(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n)
{
    if (w->series->packed)
        return is_packed_exact(w->series) ? next_packed_exact(w, bucket, n) : next_packed(w, bucket, n);
    return w->series->sketch.n ? next_of_sketch(w, bucket, n) : next_exact(w, bucket, n);
}

uint64_t tk_series_calls(const struct tk_series *s)
{
    struct tk_call_walk w = tk_call_walk_of(s);
    uint32_t bucket;
    uint64_t n, sum = 0;
    while (tk_call_walk_next(&w, &bucket, &n))
        sum += n;
    return sum;
}

uint64_t tk_series_call_ranked(const struct tk_series *s, uint64_t rank)
{
    struct tk_call_walk w = tk_call_walk_of(s);
    uint32_t bucket;
    uint64_t n, seen = 0;
    while (tk_call_walk_next(&w, &bucket, &n)) {
        seen += n;
        if (seen >= rank)
            return tk_sketch_value(TK_SKETCH_CALLS, bucket);
    }
    return 0;
}

int tk_base_run_unpack(struct tk_base_run *run, struct tk_series *s)
{
    if (s->blocks)
        return 0;
    double *blocks = tk_arena_alloc(&run->series_space, ((size_t)run->n_blocks + 1) * sizeof *blocks);
    if (!blocks)
        return -1;
    struct tk_block_walk walk = tk_block_walk_of(s);
    for (uint32_t b = 0; b < run->n_blocks; b++)
        blocks[b] = tk_block_walk_next(&walk);
    s->blocks = blocks;
    s->packed_blocks = NULL;
    s->packed_blocks_size = 0;
    return 0;
}

void tk_series_forget_calls(struct tk_series *s)
{
    free(s->exact);
    s->exact = NULL;
    s->packed = NULL;
    tk_sketch_release(&s->sketch);
    tk_sketch_init(&s->sketch, TK_SKETCH_CALLS);
}

/* Callers of the timers of a run, by the paths that are kept. */
struct caller {
    const struct tk_str *name;
    uint64_t count;
};

struct callers {
    struct tk_map index; /* series, by its address -> which of v */
    struct tk_map
        same; /* a series that has the key of the one before it, as no sound file has -> the first of them */
    TK_VEC(struct caller) v;
};

/* Files name the timers of paths by their keys. */
static int find_same(struct callers *c, const struct tk_base_run *run)
{
    uint32_t first = 0;
    for (size_t i = 1; i < run->series.n; i++) {
        if (tk_series_compare(run->series.v[i - 1], run->series.v[i]) != 0)
            first = (uint32_t)i;
        else if (tk_map_put(&c->same, (uint64_t)(uintptr_t)run->series.v[i], first))
            return -1;
    }
    return 0;
}

static uint64_t key_of(const struct callers *c, const struct tk_base_run *run, const struct tk_series *s)
{
    const uint32_t first = tk_map_get(&c->same, (uint64_t)(uintptr_t)s);
    return (uint64_t)(uintptr_t)(first < run->series.n ? run->series.v[first] : s);
}

static int note_caller(struct callers *c, uint64_t key, const struct tk_path *p, const struct tk_str *name)
{
    const uint32_t at = tk_map_get(&c->index, key);
    const struct caller here = {name, p->count};
    if (at >= c->v.n)
        return tk_map_put(&c->index, key, (uint32_t)c->v.n) || tk_vec_push(&c->v, here) ? -1 : 0;
    if (p->count > c->v.v[at].count)
        c->v.v[at] = here;
    return 0;
}

static int find_callers(struct callers *c, const struct tk_base_run *run)
{
    if (find_same(c, run))
        return -1;
    for (size_t i = 0; i < run->paths.n; i++) {
        const struct tk_path *p = &run->paths.v[i];
        if (p->parent && p->count &&
            note_caller(c, key_of(c, run, p->timer), p, run->paths.v[p->parent - 1].timer->name))
            return -1;
    }
    return 0;
}

static const struct tk_str *caller_of(const struct callers *c, const struct tk_base_run *run,
                                      const struct tk_series *s)
{
    const uint32_t at = tk_map_get(&c->index, key_of(c, run, s));
    return at < c->v.n ? c->v.v[at].name : NULL;
}

static double mean_of(const struct tk_base_run *run, const struct tk_series *s)
{
    double sum = 0, hits = 0;
    for (uint32_t i = 0; i < run->n_blocks; i++) {
        sum += s->blocks[i];
        hits += s->hits[i];
    }
    return hits > 0 ? sum / hits : s->last;
}

/* ---- counters that only rise ---- */

#define RISING_BLOCKS 8 /* fewer may rise by chance */

static uint32_t number_of(const struct tk_base_run *run, uint32_t frame)
{
    return run->numbers ? run->numbers[frame] : frame;
}

/* Was nothing cut out between two blocks? */
static bool follows(const struct tk_base_run *run, uint32_t a, uint32_t b)
{
    const uint32_t first = run->starts[a], last = run->starts[b];
    return number_of(run, last) - number_of(run, first) == last - first;
}

/* From the middle of a block to that of another, in halves of frames. */
static uint32_t distance(const struct tk_base_run *run, uint32_t a, uint32_t b)
{
    return run->starts[b] + run->starts[b + 1] - run->starts[a] - run->starts[a + 1];
}

bool tk_series_increases(const struct tk_base_run *run, const struct tk_series *s, double *blocks,
                         uint32_t *halves)
{
    uint32_t last = 0, n = 0;
    for (uint32_t b = 0; b < run->n_blocks && s->hits; b++) {
        const double here = s->hits[b] ? s->blocks[b] / s->hits[b] : 0;
        const double before = n ? s->blocks[last] / s->hits[last] : -INFINITY;
        if (blocks) {
            blocks[b] = 0;
            halves[b] = 0;
        }
        if (!s->hits[b])
            continue;
        if (!(here > before))
            return false;
        if (blocks && n && follows(run, last, b)) {
            blocks[b] = 2 * (here - before);
            halves[b] = distance(run, last, b);
        }
        last = b;
        n++;
    }
    return n >= RISING_BLOCKS;
}

int tk_series_increase(const struct tk_base_run *run, const struct tk_series *s, double *out)
{
    double *blocks = malloc((run->n_blocks + (size_t)1) * sizeof *blocks), sum = 0, n = 0;
    uint32_t *frames = malloc((run->n_blocks + (size_t)1) * sizeof *frames);
    const bool there = blocks && frames, rises = there && tk_series_increases(run, s, blocks, frames);
    for (uint32_t b = 0; rises && b < run->n_blocks; b++) {
        sum += blocks[b];
        n += frames[b];
    }
    free(blocks);
    free(frames);
    *out = n > 0 ? sum / n : (double)NAN;
    return there ? 0 : -1;
}

/* Those of other kinds come to nothing. */
static double value_of(const struct tk_base_run *run, const struct tk_series *s)
{
    switch (s->kind) {
    case TK_SERIES_TIMER:
    case TK_SERIES_GPU:
        return (double)s->own;
    case TK_SERIES_MEMORY:
        return s->high;
    case TK_SERIES_LOADING:
        return (double)s->incl;
    case TK_SERIES_COUNTER:
        return mean_of(run, s);
    default:
        return NAN;
    }
}

int tk_base_run_values(const struct tk_base_run *run, struct tk_run_values *out)
{
    struct callers callers = {0};
    int rc = find_callers(&callers, run);
    for (size_t i = 0; i < run->series.n && rc == 0; i++) {
        const struct tk_series *s = run->series.v[i];
        double increase = (double)NAN;
        if (s->kind == TK_SERIES_COUNTER)
            rc = tk_series_increase(run, s, &increase);
        const bool rises = isfinite(increase);
        const struct tk_run_value v = {
            s->kind,  s->name,
            s->group, s->kind == TK_SERIES_TIMER ? caller_of(&callers, run, s) : NULL,
            rises,    rises ? increase : value_of(run, s)};
        if (rc == 0 && isfinite(v.value))
            rc = tk_vec_push(out, v);
    }
    tk_map_release(&callers.index);
    tk_map_release(&callers.same);
    tk_vec_release(&callers.v);
    return rc;
}
