/*
 * Statistics of source locations, a row for each that has any time.
 */
#include "base/wrap.h"
#include "presets/csvexport_times.h"

#include <math.h>
#include <stdlib.h>

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
    tk_csvexport_put_text(x, timer->shown);
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
        if (timer && tk_csvexport_passes(s->x, timer->shown))
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
