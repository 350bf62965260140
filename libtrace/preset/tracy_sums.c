/*
 * Statistics of source locations.
 *
 * Sums of squares are accumulated in the order in which the zones of a location begin, which is that of the
 * other tool and changes the last digits. Zones inside one of the same location end before it, so their
 * squares wait until it ends.
 *
 * A truncated mean needs all times: they go to a temporary file in pieces, and come back location by
 * location.
 */
#include "preset/tracy.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "io/spill.h"

enum { PIECE = 512 }; /* times in memory for each location */

#define DIRECT UINT32_MAX /* slot of a zone whose square cannot wait */

struct location {
    uint64_t count;
    int64_t total, min, max;
    int64_t self, self_min, self_max;
    double squares;
    uint32_t open;
    TK_VEC(int64_t) waiting; /* times of zones inside the outermost one, in order of their begins; 0: none */
    uint64_t *piece;         /* owned: PIECE times; NULL before the first one */
    size_t n;
    struct tk_spilled spilled;
};

struct sums {
    struct tk_tracy_export *x;
    struct tk_zones zones;
    TK_VEC(struct location) v; /* by timer */
    struct tk_spill *spill;    /* NULL without a truncated mean */
    size_t most_waiting;
    int64_t last; /* the greatest end, for captures that do not state theirs */
    struct tk_err *err;
};

static struct location *location_of(struct sums *s, uint32_t timer)
{
    if (timer < s->v.n)
        return &s->v.v[timer];
    if (tk_vec_reserve(&s->v, (size_t)timer + 1))
        return NULL;
    while (s->v.n <= timer)
        s->v.v[s->v.n++] = (struct location){.min = INT64_MAX, .self_min = INT64_MAX};
    return &s->v.v[timer];
}

static void add_square(struct location *l, int64_t time)
{
    l->squares += (double)time * (double)time;
}

static void settle(struct location *l)
{
    for (size_t i = 0; i < l->waiting.n; i++)
        add_square(l, l->waiting.v[i]);
    l->waiting.n = 0;
}

static int begin(void *self, struct tk_zone *zone, uint32_t thread)
{
    struct sums *s = self;
    struct location *l = location_of(s, zone->timer);
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

static int keep_time(struct sums *s, struct location *l, int64_t time)
{
    if (!l->piece && !(l->piece = malloc(PIECE * sizeof *l->piece)))
        return TK_ENOMEM;
    l->piece[l->n++] = (uint64_t)time;
    if (l->n < PIECE)
        return 0;
    l->n = 0;
    return tk_spill_write(s->spill, &l->spilled, l->piece, PIECE * sizeof *l->piece, s->err);
}

static int count(struct sums *s, struct location *l, const struct tk_zone *zone, int64_t time)
{
    int64_t own = time - zone->counted;
    l->count++;
    l->total += time;
    l->min = time < l->min ? time : l->min;
    l->max = time > l->max ? time : l->max;
    l->self += own;
    l->self_min = own < l->self_min ? own : l->self_min;
    l->self_max = own > l->self_max ? own : l->self_max;
    return s->spill ? keep_time(s, l, s->x->opt->self ? own : time) : 0;
}

/* time 0: it does not count. */
static void leave(struct location *l, const struct tk_zone *zone, int64_t time)
{
    if (zone->slot && zone->slot != DIRECT && zone->slot <= l->waiting.n)
        l->waiting.v[zone->slot - 1] = time;
    else if (time)
        add_square(l, time);
    if (!--l->open)
        settle(l);
}

static int end(void *self, const struct tk_zone *zone, uint32_t thread, int64_t at)
{
    struct sums *s = self;
    struct location *l = &s->v.v[zone->timer];
    int64_t time = at > zone->begin ? at - zone->begin : 0;
    s->last = at > s->last ? at : s->last;
    (void)thread;
    leave(l, zone, time);
    return time ? count(s, l, zone, time) : 0;
}

static int lost(void *self, const struct tk_zone *zone, uint32_t thread)
{
    struct sums *s = self;
    (void)thread;
    leave(&s->v.v[zone->timer], zone, 0);
    return 0;
}

static const struct tk_zone_taker taker = {begin, end, lost};

/* A thread is read when the next one begins. */
static int take(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct sums *s = self;
    int rc = 0;
    s->err = err;
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        rc = tk_zones_take(&s->zones, &batch->runs[i]);
    return rc == TK_ENOMEM ? tk_err_nomem(err, "the sums of zones") : rc;
}

/* ---- rows ---- */

/* The mean is a whole number, and so is its part of the sum of squares, modulo 2^64. Of own times the squares
 * are still those of all. */
static double deviation(const struct tk_tracy_export *x, const struct location *l, uint64_t mean)
{
    double squares = l->squares - 2.0 * (double)l->total * (double)mean + (double)(mean * mean * l->count);
    if (l->count <= 1 && (x->layout->guards || !x->opt->raw))
        return 0;
    double variance = squares / (double)(l->count - 1);
    if (!x->opt->raw && !(variance >= 0))
        return 0;
    return sqrt(variance);
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* All times of a location, sorted; to be freed. */
static int64_t *times_of(const struct sums *s, struct location *l, struct tk_err *err)
{
    int64_t *times = malloc((size_t)l->count * sizeof *times);
    size_t n = 0;
    int rc = times ? TK_OK : tk_err_nomem(err, "the times of zones");
    for (size_t i = 0; i < l->spilled.pieces.n && rc == TK_OK; i++, n += PIECE)
        rc = tk_spill_read(s->spill, &l->spilled, i, times + n, err);
    if (rc == TK_OK) {
        memcpy(times + n, l->piece, l->n * sizeof *times);
        qsort(times, (size_t)l->count, sizeof *times, by_size);
        return times;
    }
    free(times);
    return NULL;
}

static void put_truncated(struct tk_tracy_export *x, const int64_t *times, uint64_t count)
{
    double at = (double)x->opt->truncated_mean / 100.0 * (double)(count - 1);
    uint64_t low = (uint64_t)at, high = low + 1 < count ? low + 1 : low, n = 0;
    double part = at - (double)low;
    double percentile = (double)times[low] + part * (double)(times[high] - times[low]);
    int64_t sum = 0;
    while (n < count && (double)times[n] <= percentile)
        sum += times[n++];
    tk_tracy_put_i64(x, (int64_t)llround(percentile));
    tk_tracy_put_i64(x, n ? sum / (int64_t)n : 0);
}

static int put_row(struct sums *s, struct location *l, const struct tk_timer *timer, int64_t last,
                   struct tk_err *err)
{
    struct tk_tracy_export *x = s->x;
    bool own = x->opt->self;
    int64_t total = own ? l->self : l->total;
    uint64_t mean = (uint64_t)total / l->count;
    tk_tracy_put_text(x, timer->shown);
    tk_tracy_put_separator(x);
    tk_tracy_put_text(x, timer->info.file);
    tk_tracy_put_u64(x, timer->info.line);
    tk_tracy_put_i64(x, total);
    tk_tracy_put_real(x, 100.0 * (double)total / (double)last);
    tk_tracy_put_u64(x, l->count);
    tk_tracy_put_u64(x, mean);
    tk_tracy_put_i64(x, own ? l->self_min : l->min);
    tk_tracy_put_i64(x, own ? l->self_max : l->max);
    tk_tracy_put_real(x, deviation(x, l, mean));
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

static int put_rows(struct sums *s, struct tk_err *err)
{
    int64_t last = tk_tracy_session(s->x, "LastTime");
    last = last ? last : s->last;
    int rc = TK_OK;
    for (size_t i = 0; i < s->v.n && rc == TK_OK; i++) {
        const struct tk_timer *timer = s->v.v[i].total ? tk_dict_timer(&s->x->dict, (uint32_t)i) : NULL;
        if (timer && tk_tracy_passes(s->x, timer->shown))
            rc = put_row(s, &s->v.v[i], timer, last, err);
    }
    return rc;
}

static void release(struct sums *s)
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

int tk_tracy_write_sums(struct tk_tracy_export *x, struct tk_err *err)
{
    static const char *const names[] = {"name",       "src_file", "src_line",      "total_ns",
                                        "total_perc", "counts",   "mean_ns",       "min_ns",
                                        "max_ns",     "std_ns",   "percentile_ns", "truncated_mean_ns"};
    struct sums s = {.x = x, .most_waiting = x->job->ctx->limits.held_events};
    s.zones = (struct tk_zones){.taker = &taker, .self = &s, .kind = TK_LANE_THREAD, .clock = &x->dict.clock};
    tk_tracy_put_head(x, names, x->opt->truncated_mean ? 12 : 10);
    int rc = x->opt->truncated_mean ? tk_spill_open(&s.spill, x->job->options->spool_dir, err) : TK_OK;
    if (rc == TK_OK)
        rc = tk_tracy_read(x, TK_FACT_MASK(SCOPES), take, &s, err);
    if (rc == TK_OK)
        rc = tk_zones_finish(&s.zones);
    if (rc == TK_OK)
        rc = put_rows(&s, err);
    release(&s);
    return rc;
}
