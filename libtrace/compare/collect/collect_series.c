/*
 * Finds or adds the series of a timer of a run being collected. collect.c calls it at the end of the reading.
 */
#include "compare/collect/collect_series.h"

#include "base/wrap.h"

#include <stdlib.h>

/* The file without its folders. */
static const struct tk_str *base_name(struct tk_intern *names, const struct tk_str *file)
{
    if (!file)
        return tk_intern_c(names, "");
    size_t n = file->n;
    while (n && file->p[n - 1] != '/' && file->p[n - 1] != '\\')
        n--;
    return tk_intern(names, file->p + n, file->n - n, (enum tk_encoding)file->enc);
}

/* What a class is called in series. */
static const struct tk_str *group_of(struct tk_collect_series *c, const struct tk_collect_class *class)
{
    struct tk_intern *names = &c->run->names;
    if (class->kind == TK_LANE_THREAD)
        return class->name;
    const struct tk_fact_gpu_queue *q = tk_dict_queue(c->dict, class->queue);
    return q && q->name ? tk_intern(names, q->name->p, q->name->n, (enum tk_encoding)q->name->enc)
                        : tk_intern_c(names, "GPU");
}

static uint8_t series_kind(const struct tk_collect_class *class)
{
    return class->kind == TK_LANE_THREAD ? TK_SERIES_TIMER : TK_SERIES_GPU;
}

/* Describes a timer of a class. */
static int describe_series(struct tk_collect_series *c, const struct tk_collect_class *class, uint32_t id,
                           struct tk_series *s)
{
    struct tk_intern *names = &c->run->names;
    const struct tk_timer *timer = tk_dict_timer(c->dict, id);
    if (!timer)
        return -1;
    s->kind = series_kind(class);
    s->timer_kind = timer->info.kind;
    s->line = timer->info.line;
    s->name = tk_intern(names, timer->shown->p, timer->shown->n, (enum tk_encoding)timer->shown->enc);
    s->file = base_name(names, timer->info.file);
    s->group = group_of(c, class);
    return s->name && s->file && s->group ? 0 : -1;
}

/* Series of a run are found by what they are, which interned names tell. */
static uint64_t key_of_series(const struct tk_series *s)
{
    const uint64_t parts[] = {s->kind, s->timer_kind, (uint64_t)(uintptr_t)s->name,
                              (uint64_t)(uintptr_t)s->group, (uint64_t)(uintptr_t)s->file};
    return tk_hash_bytes(parts, sizeof parts, 0);
}

static struct tk_series *make_series(struct tk_collect_series *c, const struct tk_series *want)
{
    struct tk_series *s = tk_base_run_add(c->run, want->kind);
    if (!s || tk_map_put(&c->index, key_of_series(want), (uint32_t)c->run->series.n - 1))
        return NULL;
    s->timer_kind = want->timer_kind;
    s->line = want->line;
    s->name = want->name;
    s->group = want->group;
    s->file = want->file;
    return s;
}

int tk_collect_series_find(struct tk_collect_series *c, struct tk_collect_class *class, uint32_t timer,
                           uint32_t *out)
{
    struct tk_series want = {.kind = 0};
    *out = tk_map_get(&class->series, timer);
    if (*out != TK_MAP_NONE)
        return 1;
    if (describe_series(c, class, timer, &want))
        return -1;
    *out = tk_map_get(&c->index, key_of_series(&want));
    return *out == TK_MAP_NONE ? 0 : tk_map_put(&class->series, timer, *out) ? -1 : 1;
}

/* The series of a timer, made on first use; NULL if out of memory. */
static struct tk_series *series_of(struct tk_collect_series *c, struct tk_collect_class *class,
                                   uint32_t timer)
{
    struct tk_series want = {.kind = 0};
    if (describe_series(c, class, timer, &want))
        return NULL;
    uint32_t at = tk_map_get(&c->index, key_of_series(&want));
    struct tk_series *s = at != TK_MAP_NONE ? c->run->series.v[at] : make_series(c, &want);
    at = at != TK_MAP_NONE ? at : (uint32_t)c->run->series.n - 1;
    return s && !tk_map_put(&class->series, timer, at) ? s : NULL;
}

/* Adds where in the run the calls were. */
static int merge_times(struct tk_series *s, const struct tk_collect_calls *calls,
                       const struct tk_calls_entry *e)
{
    const struct tk_call_times *times = e->sum->times;
    if (times->outside.count == e->cell->count)
        return 0;
    if (!s->parts && !(s->parts = calloc(TK_CALL_PATH_SUMS, sizeof *s->parts)))
        return -1;
    for (uint32_t b = 0; b < calls->frames->run->n_blocks; b++)
        s->blocks[b] += (double)times->blocks[b];
    for (size_t i = 0; i < TK_CALL_PATH_SUMS; i++) {
        struct tk_run_part_sum part = tk_collect_calls_part(calls, e, i);
        s->parts[i].count += part.count;
        s->parts[i].total += part.total;
    }
    return 0;
}

static int merge_series(struct tk_series *s, const struct tk_collect_calls *calls,
                        const struct tk_calls_entry *e)
{
    const struct tk_timer_sum_cell *cell = e->cell;
    for (uint32_t i = 0; e->sum->calls && i < e->sum->n_calls && s->count + i < TK_SERIES_EXACT; i++)
        s->exact[s->count + i] = e->sum->calls[i];
    s->count += cell->count;
    s->total += cell->total;
    s->incl += cell->incl;
    s->own = tk_wrap_add(s->own, (int64_t)cell->excl);
    s->min = cell->min < s->min ? cell->min : s->min;
    s->max = cell->max > s->max ? cell->max : s->max;
    if (merge_times(s, calls, e))
        return -1;
    return tk_sketch_merge(&s->sketch, &cell->sketch);
}

static int tell_watched(struct tk_collect_series *c, const struct tk_collect_class *class)
{
    const struct tk_str *group = group_of(c, class);
    return group ? tk_watched_sums_tell(&class->calls[0].watched, c->run, series_kind(class), group) : -1;
}

int tk_collect_series_add(struct tk_collect_series *c, struct tk_collect_class *class, unsigned workers)
{
    struct tk_calls_entry e;
    int rc = 0;
    for (unsigned i = 1; i < workers; i++) {
        if (tk_collect_calls_merge(&class->calls[0], &class->calls[i]))
            return -1;
        tk_collect_calls_release(&class->calls[i]);
    }
    for (size_t at = 0; (rc = tk_collect_calls_next(&class->calls[0], &at, &e)) > 0;) {
        struct tk_series *s = series_of(c, class, e.timer);
        if (!s || merge_series(s, &class->calls[0], &e))
            return -1;
        if (e.timer >= TK_LATE)
            tk_watched_sums_forget(&class->calls[0].watched, s->name);
    }
    if (rc == 0)
        rc = tell_watched(c, class);
    tk_collect_calls_release(&class->calls[0]);
    return rc;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void tk_collect_series_settle(struct tk_base_run *run)
{
    for (size_t i = 0; i < run->series.n; i++) {
        struct tk_series *s = run->series.v[i];
        tk_series_settle(s);
        if (s->exact)
            qsort(s->exact, (size_t)s->count, sizeof *s->exact, by_size);
    }
}

void tk_collect_series_release(struct tk_collect_series *c)
{
    tk_map_release(&c->index);
}
