/*
 * Finds or adds the series of a timer of a run being collected. collect.c calls it at the end of the reading.
 */
#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/baseline/segments.h"
#include "compare/collect/collect_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Sums counters, memory tags and log errors of a run being collected. collect.c passes it the facts about
 * them.
 */

#define VERBOSITY_FATAL 1

/* Values of memory count in blocks alone, which says tags from allocations: these are looked at there. */
static void add_value(struct tk_series *s, double value, size_t block)
{
    s->last = value;
    s->low = s->low < value ? s->low : value;
    s->high = s->high > value ? s->high : value;
    s->count += block != SIZE_MAX || s->kind != TK_SERIES_MEMORY;
    if (block != SIZE_MAX) {
        s->blocks[block] += value;
        s->hits[block]++;
    }
}

/* Does somebody watch a series? */
static bool is_watched(const struct tk_collect_values *v, uint8_t kind, const struct tk_str *name)
{
    for (size_t i = 0; name && v->watch && i < v->watch->v.n; i++) {
        const struct tk_watched *watched = &v->watch->v.v[i];
        if (watched->kind == kind && watched->name && tk_str_order(watched->name, name) == 0)
            return true;
    }
    return false;
}

/* 1 + index of new watched frames, whose name comes later; 0 if out of memory. */
static uint32_t add_times(struct tk_collect_values *v, uint8_t kind, double first)
{
    const struct tk_watched_frames times = {.kind = kind};
    if (tk_vec_push(&v->run->watched_frames, times))
        return 0;
    struct tk_watched_frames *last = &v->run->watched_frames.v[v->run->watched_frames.n - 1];
    return tk_watched_frames_fill(last, v->frames->frames->n, first) ? 0 : (uint32_t)v->run->watched_frames.n;
}

static void name_times(struct tk_collect_values *v, uint32_t times, const struct tk_series *s)
{
    v->run->watched_frames.v[times - 1].name = s->name;
    v->run->watched_frames.v[times - 1].group = s->group;
}

/* Where a time is in watched frames; NULL: nowhere. */
static double *time_at(struct tk_collect_values *v, uint32_t times, int64_t time)
{
    const size_t frame = times ? tk_collect_frame_at(v->frames, time) : SIZE_MAX;
    return frame == SIZE_MAX ? NULL : &v->run->watched_frames.v[times - 1].v[frame];
}

/* A counter with its series; NULL if out of memory. */
static struct tk_collect_counter *counter_of(struct tk_collect_counters *c, uint32_t counter)
{
    if (tk_vec_reserve(&c->v, (size_t)counter + 1))
        return NULL;
    while (c->v.n <= counter)
        c->v.v[c->v.n++] = (struct tk_collect_counter){0};
    struct tk_collect_counter *found = &c->v.v[counter];
    if (found->series)
        return found;
    found->series = tk_base_run_add(c->of->run, c->kind);
    if (!found->series)
        return NULL;
    if (is_watched(c->of, c->kind, c->counting.counters.v[counter].info.name) &&
        !(found->times = add_times(c->of, c->kind, -INFINITY)))
        return NULL;
    found->series->low = INFINITY;
    found->series->high = -INFINITY;
    return found;
}

static int count_values(void *ctx, const struct tk_counted *counted, struct tk_err *err)
{
    struct tk_collect_counters *c = ctx;
    if (counted->what != TK_COUNTED_SET && counted->what != TK_COUNTED_ADD)
        return TK_OK;
    double value = tk_number_real(counted->value);
    if (!isfinite(value) || !tk_select_has(c->of->view->select, counted->at))
        return TK_OK;
    struct tk_collect_counter *counter = counter_of(c, counted->counter);
    if (!counter)
        return tk_err_nomem(err, "counters");
    struct tk_series *s = counter->series;
    s->real |= counted->value.real;
    s->first = counter->framed ? s->first : value;
    counter->framed |= counted->time >= tk_collect_range(c->of->frames, 0)->from;
    add_value(s, value, tk_collect_block_at(c->of->frames, counted->time));
    double *most = time_at(c->of, counter->times, counted->time);
    if (most && value > *most)
        *most = value;
    return TK_OK;
}

/* The begin of a message in one line, as far as it is safe to keep. */
static void keep_fatal(struct tk_collect_values *v, const struct tk_fact *fact)
{
    const struct tk_str *text = &fact->u.log.text;
    size_t n = 0;
    v->fatal_at = fact->time;
    while (text->enc == TK_ENC_UTF8 && n < text->n && n < sizeof v->fatal - 1) {
        const uint8_t *at = (const uint8_t *)text->p + n;
        size_t len = 1;
        tk_utf8_next(at, text->n - n, &len);
        if (n + len > sizeof v->fatal - 1)
            break;
        memcpy(v->fatal + n, at, len);
        if (*at < 0x20 || *at == 0x7f)
            v->fatal[n] = ' ';
        n += len;
    }
    v->fatal[n] = '\0';
}

static int feed_log(struct tk_collect_values *v, const struct tk_fact *fact)
{
    size_t block = tk_collect_block_at(v->frames, fact->time);
    if (fact->u.log.verbosity == VERBOSITY_FATAL)
        keep_fatal(v, fact);
    if (fact->u.log.verbosity == 0 || fact->u.log.verbosity > 2 ||
        !tk_select_has(v->view->select, fact->time) ||
        !tk_select_thread(v->view->select, v->view->dict, fact->thread))
        return TK_OK;
    v->errors->count++;
    double *errors = time_at(v, v->error_times, fact->time);
    if (errors)
        *errors += 1;
    if (block != SIZE_MAX)
        v->errors->blocks[block] += 1;
    return TK_OK;
}

int tk_collect_values_init(struct tk_collect_values *v, const struct tk_query_context *view,
                           struct tk_base_run *run, const struct tk_collect_frames *frames,
                           const struct tk_watch *watch, struct tk_err *err)
{
    static const uint8_t kinds[] = {TK_SERIES_COUNTER, TK_SERIES_MEMORY};
    static const enum tk_counter_kind counter_kinds[] = {TK_COUNTER_PLAIN, TK_COUNTER_TAG};
    *v = (struct tk_collect_values){
        .view = view, .run = run, .frames = frames, .watch = watch, .fatal_at = INT64_MIN};
    for (size_t i = 0; i < 2; i++) {
        v->counters[i].of = v;
        v->counters[i].kind = kinds[i];
        tk_counting_init(&v->counters[i].counting, view, counter_kinds[i], count_values, &v->counters[i]);
    }
    v->errors = tk_base_run_add(run, TK_SERIES_LOG);
    if (v->errors)
        v->errors->name = tk_intern_c(&run->names, "errors");
    const bool watched = v->errors && v->errors->name && is_watched(v, TK_SERIES_LOG, v->errors->name);
    if (watched && (v->error_times = add_times(v, TK_SERIES_LOG, 0)))
        name_times(v, v->error_times, v->errors);
    return v->errors && v->errors->name && (!watched || v->error_times) ? TK_OK : tk_err_nomem(err, "a run");
}

int tk_collect_values_feed(struct tk_collect_values *v, const struct tk_batch *batch, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < batch->n_facts && rc == TK_OK; i++)
        if (batch->facts[i].kind == TK_FACT_LOG)
            rc = feed_log(v, &batch->facts[i]);
    for (size_t i = 0; i < 2 && rc == TK_OK; i++)
        rc = tk_counting_feed(&v->counters[i].counting, batch, err);
    return rc;
}

static const struct tk_str *keep_values(struct tk_base_run *run, const struct tk_str *text)
{
    return text ? tk_intern(&run->names, text->p, text->n, (enum tk_encoding)text->enc)
                : tk_intern_c(&run->names, "");
}

static int name_counters(struct tk_collect_counters *c)
{
    for (size_t i = 0; i < c->v.n; i++) {
        struct tk_series *s = c->v.v[i].series;
        const struct tk_fact_counter *info = &c->counting.counters.v[i].info;
        if (!s)
            continue;
        s->name = keep_values(c->of->run, info->name);
        s->group = keep_values(c->of->run, info->group);
        if (!s->name || !s->group)
            return -1;
        if (c->v.v[i].times)
            name_times(c->of, c->v.v[i].times, s);
    }
    return 0;
}

int tk_collect_values_finish(struct tk_collect_values *v, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < 2 && rc == TK_OK; i++) {
        rc = tk_counting_finish(&v->counters[i].counting, err);
        if (rc == TK_OK && name_counters(&v->counters[i]))
            rc = tk_err_nomem(err, "counters");
    }
    return rc;
}

void tk_collect_values_release(struct tk_collect_values *v)
{
    for (size_t i = 0; i < 2; i++) {
        if (v->counters[i].of)
            tk_counting_release(&v->counters[i].counting);
        tk_vec_release(&v->counters[i].v);
    }
}

/* The file without its folders. */
static const struct tk_str *base_name(struct tk_intern *names, const struct tk_str *file)
{
    const struct tk_str name = tk_timer_file_name(file);
    return tk_intern(names, name.p, name.n, (enum tk_encoding)name.enc);
}

const struct tk_str *tk_collect_group(struct tk_base_run *run, const struct tk_dict *dict,
                                      const struct tk_collect_class *class)
{
    struct tk_intern *names = &run->names;
    if (class->kind == TK_LANE_THREAD)
        return class->name;
    const struct tk_fact_gpu_queue *q = tk_dict_queue(dict, class->queue);
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
    s->name =
        tk_intern(names, timer->displayed->p, timer->displayed->n, (enum tk_encoding)timer->displayed->enc);
    s->file = base_name(names, timer->info.file);
    s->by_file = tk_timer_is_by_file(timer->displayed, timer->info.is_function);
    s->group = tk_collect_group(c->run, c->dict, class);
    return s->name && s->file && s->group ? 0 : -1;
}

/* Series of a run are found by what they are, which interned names tell. */
static uint64_t key_of_series(const struct tk_series *s)
{
    const uint64_t parts[] = {s->kind, tk_timer_class_of(s->timer_kind), (uint64_t)(uintptr_t)s->name,
                              (uint64_t)(uintptr_t)s->group, s->by_file ? (uint64_t)(uintptr_t)s->file : 0};
    return tk_hash_bytes(parts, sizeof parts, 0);
}

static struct tk_series *make_series(struct tk_collect_series *c, const struct tk_series *want)
{
    struct tk_series *s = tk_base_run_add(c->run, want->kind);
    if (!s || tk_map_put(&c->index, key_of_series(want), (uint32_t)c->run->series.n - 1))
        return NULL;
    s->timer_kind = want->timer_kind;
    s->line = want->line;
    s->by_file = want->by_file;
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

/* The series of a timer, made on first use, and the place of it that the timer is; NULL if out of memory. */
static struct tk_series *series_of(struct tk_collect_series *c, struct tk_collect_class *class,
                                   uint32_t timer, struct tk_series **place)
{
    struct tk_series want = {.kind = 0};
    if (describe_series(c, class, timer, &want))
        return NULL;
    uint32_t at = tk_map_get(&c->index, key_of_series(&want));
    struct tk_series *s = at != TK_MAP_NONE ? c->run->series.v[at] : make_series(c, &want);
    at = at != TK_MAP_NONE ? at : (uint32_t)c->run->series.n - 1;
    if (!s || tk_map_put(&class->series, timer, at))
        return NULL;
    *place = tk_series_place(c->run, s, want.file, want.line);
    return *place ? s : NULL;
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

/* Adds to one of several places. */
static void merge_place(struct tk_series *place, const struct tk_collect_calls *calls,
                        const struct tk_calls_entry *e)
{
    const struct tk_call_times *times = e->sum->times;
    place->count += e->cell->count;
    place->own = tk_wrap_add(place->own, (int64_t)e->cell->excl);
    for (uint32_t b = 0; times && b < calls->frames->run->n_blocks; b++)
        place->blocks[b] += (double)times->blocks[b];
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
    const struct tk_str *group = tk_collect_group(c->run, c->dict, class);
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
        struct tk_series *place, *s = series_of(c, class, e.timer, &place);
        if (!s)
            return -1;
        if (place != s)
            merge_place(place, &class->calls[0], &e);
        if (merge_series(s, &class->calls[0], &e))
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
        tk_series_settle_places(s);
        if (s->exact)
            qsort(s->exact, (size_t)s->count, sizeof *s->exact, by_size);
    }
}

void tk_collect_series_release(struct tk_collect_series *c)
{
    tk_map_release(&c->index);
}
