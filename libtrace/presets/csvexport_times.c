/*
 * Collects sums and single times of zones by source location. csvexport_sums.c and csvexport_compare.c
 * compute their rows from them.
 */
#include "base/wrap.h"
#include "presets/presets_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Statistics of source locations, a row for each that has any time.
 */

/* The mean is a whole number, and so is its part of the sum of squares, modulo 2^64. Of own times the squares
 * are still those of all. */
static double deviation(const struct tk_csvexport *x, const struct tk_csvexport_location_sums *l,
                        uint64_t mean)
{
    double squares = l->squares - 2.0 * (double)l->total * (double)mean + (double)(mean * mean * l->count);
    if (l->count <= 1 && (x->layout->guards || !x->opt->raw))
        return 0;
    double variance = squares / (double)(l->count - 1);
    if (!x->opt->raw && !(variance >= 0))
        return 0;
    return sqrt(variance);
}

/* All times of a location, sorted; to be freed. */
static int64_t *times_of(const struct tk_csvexport_times *s, const struct tk_csvexport_location_sums *l,
                         struct tk_err *err)
{
    int64_t *times = malloc((size_t)l->count * sizeof *times);
    int rc = times ? tk_csvexport_times_get(s, l, times, err) : tk_err_nomem(err, "the times of zones");
    if (rc == TK_OK) {
        tk_csvexport_times_sort(times, (size_t)l->count);
        return times;
    }
    free(times);
    return NULL;
}

static void put_truncated(struct tk_csvexport *x, const int64_t *times, uint64_t count)
{
    double at = (double)x->opt->truncated_mean / 100.0 * (double)(count - 1);
    uint64_t low = (uint64_t)at, high = low + 1 < count ? low + 1 : low, n = 0;
    double part = at - (double)low;
    double percentile = (double)times[low] + part * (double)tk_wrap_sub(times[high], times[low]);
    int64_t sum = 0;
    while (n < count && (double)times[n] <= percentile)
        sum = tk_wrap_add(sum, times[n++]);
    tk_csvexport_put_i64(x, percentile < 9.2e18 ? (int64_t)llround(percentile) : times[high]);
    tk_csvexport_put_i64(x, n ? sum / (int64_t)n : 0);
}

static int put_row_sums(struct tk_csvexport_times *s, struct tk_csvexport_location_sums *l,
                        const struct tk_timer *timer, int64_t last, struct tk_err *err)
{
    struct tk_csvexport *x = s->x;
    bool own = x->opt->self;
    int64_t total = own ? l->self : l->total;
    uint64_t mean = (uint64_t)total / l->count;
    tk_csvexport_put_text(x, timer->displayed);
    tk_csvexport_put_separator(x);
    tk_csvexport_put_name(x, timer->info.file);
    tk_csvexport_put_u64(x, timer->info.line);
    tk_csvexport_put_i64(x, total);
    tk_csvexport_put_real(x, 100.0 * (double)total / (double)last);
    tk_csvexport_put_u64(x, l->count);
    tk_csvexport_put_u64(x, mean);
    tk_csvexport_put_i64(x, own ? l->self_min : l->min);
    tk_csvexport_put_i64(x, own ? l->self_max : l->max);
    tk_csvexport_put_real(x, deviation(x, l, mean));
    if (s->spill) {
        int64_t *times = times_of(s, l, err);
        if (!times)
            return err && err->code ? err->code : TK_ENOMEM;
        put_truncated(x, times, l->count);
        free(times);
    }
    tk_buffer_char(&x->out, '\n');
    return x->out.status;
}

static int put_rows(struct tk_csvexport_times *s, struct tk_err *err)
{
    int64_t last = tk_csvexport_session(s->x, "LastTime");
    last = last ? last : s->last;
    int rc = TK_OK;
    for (size_t i = 0; i < s->v.n && rc == TK_OK; i++) {
        const struct tk_timer *timer = s->v.v[i].total ? tk_dict_timer(&s->x->dict, (uint32_t)i) : NULL;
        if (timer && tk_csvexport_passes(s->x, timer->displayed))
            rc = put_row_sums(s, &s->v.v[i], timer, last, err);
    }
    return rc;
}

int tk_csvexport_write_sums(struct tk_csvexport *x, struct tk_err *err)
{
    static const char *const names[] = {"name",       "src_file", "src_line",      "total_ns",
                                        "total_perc", "counts",   "mean_ns",       "min_ns",
                                        "max_ns",     "std_ns",   "percentile_ns", "truncated_mean_ns"};
    struct tk_csvexport_times s;
    tk_csvexport_put_head(x, names, x->opt->truncated_mean ? 12 : 10);
    int rc = tk_csvexport_times_read(&s, x, x->opt->truncated_mean, x->opt->self, err);
    if (rc == TK_OK)
        rc = put_rows(&s, err);
    tk_csvexport_times_release(&s);
    return rc;
}

enum { PIECE = 512 }; /* times in memory for each location */

#define DIRECT UINT32_MAX /* slot of a zone whose square cannot wait */

static struct tk_csvexport_location_sums *location_of(struct tk_csvexport_times *s, uint32_t timer)
{
    if (timer < s->v.n)
        return &s->v.v[timer];
    if (tk_vec_reserve(&s->v, (size_t)timer + 1))
        return NULL;
    while (s->v.n <= timer)
        s->v.v[s->v.n++] = (struct tk_csvexport_location_sums){
            .min = INT64_MAX, .self_min = INT64_MAX, .self_max = INT64_MIN};
    return &s->v.v[timer];
}

static void add_square(struct tk_csvexport_location_sums *l, int64_t time)
{
    l->squares += (double)time * (double)time;
}

static void settle_times(struct tk_csvexport_location_sums *l)
{
    for (size_t i = 0; i < l->waiting.n; i++)
        add_square(l, l->waiting.v[i]);
    l->waiting.n = 0;
}

static int begin_times(void *self, struct tk_zone *zone, uint32_t thread)
{
    struct tk_csvexport_times *s = self;
    struct tk_csvexport_location_sums *l = location_of(s, zone->timer);
    (void)thread;
    if (!l)
        return TK_ENOMEM;
    if (!l->open++)
        return 0;
    if (l->waiting.n >= s->most_waiting) {
        zone->slot = DIRECT;
        return 0;
    }
    if (tk_vec_push(&l->waiting, 0))
        return TK_ENOMEM;
    zone->slot = (uint32_t)l->waiting.n;
    return 0;
}

static int keep_time(struct tk_csvexport_times *s, struct tk_csvexport_location_sums *l, int64_t time)
{
    if (!l->piece && !(l->piece = malloc(PIECE * sizeof *l->piece)))
        return TK_ENOMEM;
    l->piece[l->n++] = time;
    if (l->n < PIECE)
        return 0;
    l->n = 0;
    return tk_spill_write(s->spill, &l->spilled, l->piece, PIECE * sizeof *l->piece, s->err);
}

static int count_times(struct tk_csvexport_times *s, struct tk_csvexport_location_sums *l,
                       const struct tk_zone *zone, int64_t time)
{
    int64_t own = tk_wrap_sub(time, zone->counted);
    l->count++;
    l->total = tk_wrap_add(l->total, time);
    l->min = time < l->min ? time : l->min;
    l->max = time > l->max ? time : l->max;
    l->self = tk_wrap_add(l->self, own);
    l->self_min = own < l->self_min ? own : l->self_min;
    l->self_max = own > l->self_max ? own : l->self_max;
    return s->spill ? keep_time(s, l, s->own ? own : time) : 0;
}

/* time 0: it does not count. */
static void leave(struct tk_csvexport_location_sums *l, const struct tk_zone *zone, int64_t time)
{
    if (zone->slot && zone->slot != DIRECT && zone->slot <= l->waiting.n)
        l->waiting.v[zone->slot - 1] = time;
    else if (time)
        add_square(l, time);
    if (!--l->open)
        settle_times(l);
}

static int end_times(void *self, const struct tk_zone *zone, uint32_t thread, int64_t at)
{
    struct tk_csvexport_times *s = self;
    struct tk_csvexport_location_sums *l = &s->v.v[zone->timer];
    int64_t time = at > zone->begin ? tk_wrap_sub(at, zone->begin) : 0;
    s->last = at > s->last ? at : s->last;
    (void)thread;
    leave(l, zone, time);
    return time ? count_times(s, l, zone, time) : 0;
}

static int lost(void *self, const struct tk_zone *zone, uint32_t thread)
{
    struct tk_csvexport_times *s = self;
    (void)thread;
    leave(&s->v.v[zone->timer], zone, 0);
    return 0;
}

static const struct tk_zone_taker taker = {begin_times, end_times, lost};

/* A thread is read when the next one begins. */
static int take_times(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct tk_csvexport_times *s = self;
    int rc = 0;
    s->err = err;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = tk_zones_take(&s->zones, &batch->runs[i]);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "the sums of zones") : rc;
}

int tk_csvexport_times_read(struct tk_csvexport_times *s, struct tk_csvexport *x, bool keep, bool own,
                            struct tk_err *err)
{
    *s = (struct tk_csvexport_times){
        .x = x, .own = own, .most_waiting = (size_t)x->job->ctx->limits.held_events, .err = err};
    s->zones = (struct tk_zones){.taker = &taker, .self = s, .kind = TK_LANE_THREAD, .dict = &x->dict};
    int rc = keep ? tk_spill_open(&s->spill, x->job->options->spool_dir, err) : TK_OK;
    if (rc == TK_OK)
        rc = tk_csvexport_read(x, TK_FACT_MASK(SCOPES), take_times, s, err);
    return rc == TK_OK ? tk_zones_finish(&s->zones) : rc;
}

int tk_csvexport_times_get(const struct tk_csvexport_times *s, const struct tk_csvexport_location_sums *l,
                           int64_t *out, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < l->spilled.pieces.n && rc == TK_OK; i++, out += PIECE)
        rc = tk_spill_read(s->spill, &l->spilled, i, out, err);
    if (rc == TK_OK && l->n)
        memcpy(out, l->piece, l->n * sizeof *out);
    return rc;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void tk_csvexport_times_sort(int64_t *times, size_t n)
{
    qsort(times, n, sizeof *times, by_size);
}

void tk_csvexport_times_release(struct tk_csvexport_times *s)
{
    for (size_t i = 0; i < s->v.n; i++) {
        tk_vec_release(&s->v.v[i].waiting);
        tk_vec_release(&s->v.v[i].spilled.pieces);
        free(s->v.v[i].piece);
    }
    tk_vec_release(&s->v);
    tk_zones_release(&s->zones);
    tk_spill_close(s->spill);
}
