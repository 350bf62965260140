/*
 * What the series of a run come to, a value each. Histories are made of them (compare/history), and
 * baseline_write.c keeps them beside the series.
 */
#include "base/hash.h"
#include "compare/baseline/baseline.h"

#include <math.h>

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
        if (tk_series_order(run->series.v[i - 1], run->series.v[i]) != 0)
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
        const struct tk_run_value v = {s->kind, s->name, s->group,
                                       s->kind == TK_SERIES_TIMER ? caller_of(&callers, run, s) : NULL,
                                       value_of(run, s)};
        if (isfinite(v.value))
            rc = tk_vec_push(out, v);
    }
    tk_map_release(&callers.index);
    tk_map_release(&callers.same);
    tk_vec_release(&callers.v);
    return rc;
}
