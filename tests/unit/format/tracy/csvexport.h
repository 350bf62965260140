/*
 * What the profiler's own csvexport prints of zones (tracy-file 7), made of a reading.
 */
#ifndef TK_TESTS_UNIT_TRACY_CSVEXPORT_H
#define TK_TESTS_UNIT_TRACY_CSVEXPORT_H

#include "facts_reading.h"

#include <math.h>

struct stats {
    int64_t n, total, min, max, self, self_min, self_max;
    double squares;
};

static inline bool is_counted(const struct zone *z)
{
    return z->end >= 0 && z->end > z->start;
}

static inline int64_t length_of(const struct zone *z)
{
    return z->end > z->start ? z->end - z->start : 0;
}

static inline void put_place(struct lines *l, const struct timer *t)
{
    lines_put(l, t->name->p, t->name->n);
    lines_put(l, ",", 1);
    lines_put(l, t->file ? t->file->p : "???", t->file ? t->file->n : 3);
    lines_printf(l, ",%" PRIu32, t->line);
}

static inline double deviation(const struct stats *s, int64_t mean)
{
    double squares = s->squares - 2.0 * (double)s->total * (double)mean +
                     (double)((uint64_t)mean * (uint64_t)mean * (uint64_t)s->n);
    return s->n > 1 ? sqrt(squares / (double)(s->n - 1)) : 0;
}

static inline void put_stats(struct lines *l, const struct timer *t, const struct stats *s, int64_t last_time,
                             bool self)
{
    int64_t total = self ? s->self : s->total, mean = (int64_t)((uint64_t)total / (uint64_t)s->n);
    put_place(l, t);
    lines_printf(l, ",%" PRId64 ",%f,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%f\n", total,
                 100.0 * (double)total / (double)last_time, s->n, mean, self ? s->self_min : s->min,
                 self ? s->self_max : s->max, deviation(s, mean));
}

static inline int64_t *self_times(const struct reading *r)
{
    int64_t *self = calloc(r->zones.n + 1, sizeof *self);
    ck_assert_ptr_nonnull(self);
    for (size_t i = 0; i < r->zones.n; i++) {
        const struct zone *z = &r->zones.v[i];
        self[i] += z->end - z->start;
        if (z->parent != NO_ZONE)
            self[z->parent] -= length_of(z);
    }
    return self;
}

static inline struct stats *sum_up(const struct reading *r)
{
    struct stats *stats = calloc(r->timers.n + 1, sizeof *stats);
    int64_t *self = self_times(r);
    ck_assert_ptr_nonnull(stats);
    for (size_t i = 0; i < r->zones.n; i++) {
        const struct zone *z = &r->zones.v[i];
        struct stats *s = &stats[z->timer];
        int64_t d = z->end - z->start;
        if (!is_counted(z))
            continue;
        s->min = s->n && s->min < d ? s->min : d;
        s->max = s->n && s->max > d ? s->max : d;
        s->self_min = s->n && s->self_min < self[i] ? s->self_min : self[i];
        s->self_max = s->n && s->self_max > self[i] ? s->self_max : self[i];
        s->n++;
        s->total += d;
        s->self += self[i];
        s->squares += (double)d * (double)d;
    }
    free(self);
    return stats;
}

/* Timers with their sums, with times of zones or with own ones. */
static inline void make_stats(const struct reading *r, struct lines *l, bool self)
{
    struct stats *stats = sum_up(r);
    lines_printf(l, "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n");
    for (size_t i = 0; i < r->timers.n; i++)
        if (stats[i].n)
            put_stats(l, &r->timers.v[i], &stats[i], r->last_time, self);
    free(stats);
}

/* Zones one by one. The value of a zone without text is the last text before it of its timer. */
static inline void make_unwrap(const struct reading *r, struct lines *l)
{
    struct tk_str *last = calloc(r->timers.n + 1, sizeof *last);
    ck_assert_ptr_nonnull(last);
    lines_printf(l, "name,src_file,src_line,ns_since_start,exec_time_ns%s%s\n",
                 r->minor >= 10 ? ",thread" : "", r->minor >= 12 ? ",value" : "");
    for (size_t i = 0; i < r->zones.n; i++) {
        const struct zone *z = &r->zones.v[i];
        if (!is_counted(z))
            continue;
        if (z->text.n)
            last[z->timer] = z->text;
        put_place(l, &r->timers.v[z->timer]);
        lines_printf(l, ",%" PRId64 ",%" PRId64, z->start, z->end - z->start);
        if (r->minor >= 10)
            lines_printf(l, ",%" PRIu32, z->thread);
        if (r->minor >= 12)
            lines_printf(l, ",");
        if (r->minor >= 12 && last[z->timer].n)
            lines_put(l, last[z->timer].p, last[z->timer].n);
        lines_printf(l, "\n");
    }
    free(last);
}

#endif
