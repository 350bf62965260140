/*
 * What the table `timers` ought to be: sums and sorted lists of every scope, by lane and timer, and the
 * comparison with its rows.
 */
#ifndef TK_TESTS_UNIT_STATS_TIMERS_TRUTH_H
#define TK_TESTS_UNIT_STATS_TIMERS_TRUTH_H

#include "query/scope_truth.h"
#include "timers_rig.h"

struct figures {
    uint64_t count, open, incl, total, excl;
    uint64_t *calls; /* total of each */
    size_t n_calls;
    uint64_t frames[TRUTH_FRAMES_MAX];
};

static struct truth_lane lanes[LANES];
static struct truth_rules rules;
static struct figures figures[LANES][TIMERS + 1]; /* the last is unknown metadata */
static bool reported;                             /* late timers */

static inline uint32_t real_timer(uint32_t timer)
{
    if (timer < TK_LATE)
        return timer;
    return reported && timer - TK_LATE < LATE ? timer - TK_LATE : TIMERS;
}

static inline void count_scope(const struct tk_frames *frames, size_t lane, const struct truth_scope *c)
{
    struct figures *f = &figures[lane][real_timer(c->timer)];
    f->calls = realloc(f->calls, (f->n_calls + 1) * sizeof *f->calls);
    f->calls[f->n_calls++] = c->total;
    f->count++;
    f->total += c->total;
    f->excl += c->excl;
    f->incl += c->outer ? c->total : 0;
    for (size_t i = 0; c->outer && i < frames->n; i++) {
        int64_t from = c->begin > frames->v[i].from ? c->begin : frames->v[i].from;
        int64_t to = c->end < frames->v[i].to ? c->end : frames->v[i].to;
        if (from < to && frames->v[i].to != INT64_MAX)
            f->frames[i] += truth_selected(&rules, from, to);
    }
}

static inline void count_all(const struct tk_frames *frames)
{
    for (size_t i = 0; i < LANES; i++) {
        for (size_t k = 0; k < lanes[i].n_closed; k++)
            count_scope(frames, i, &lanes[i].closed[k]);
        for (size_t k = 0; k < lanes[i].n_open; k++)
            if (truth_touches(&rules, lanes[i].open[k].begin, INT64_MAX))
                figures[i][real_timer(lanes[i].open[k].timer)].open++;
        for (size_t k = 0; k < lanes[i].n_lost; k++)
            if (truth_touches(&rules, lanes[i].lost[k].begin, INT64_MAX))
                figures[i][real_timer(lanes[i].lost[k].timer)].open++;
    }
}

/* Adds lane b to lane a. */
static inline void add_figures(struct figures *a, const struct figures *b)
{
    a->count += b->count;
    a->open += b->open;
    a->incl += b->incl;
    a->total += b->total;
    a->excl += b->excl;
    a->calls = realloc(a->calls, (a->n_calls + b->n_calls + 1) * sizeof *a->calls);
    if (b->n_calls)
        memcpy(a->calls + a->n_calls, b->calls, b->n_calls * sizeof *b->calls);
    a->n_calls += b->n_calls;
    for (size_t i = 0; i < TRUTH_FRAMES_MAX; i++)
        a->frames[i] += b->frames[i];
}

static inline int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Nearest rank: the smallest value that has at least share / of of all values at or below it. */
static inline uint64_t nearest(const uint64_t *sorted, size_t n, unsigned share, unsigned of)
{
    size_t i = 0;
    while ((i + 1) * of < n * share)
        i++;
    return sorted[i];
}

static inline void is_near(const struct rig *r, size_t row, const char *column, uint64_t exact, unsigned bits)
{
    uint64_t is = (uint64_t)cell(r, row, column)->v.i, off = is > exact ? is - exact : exact - is;
    ck_assert_msg(off <= exact >> (bits + 1), "%s is %llu, not %llu", column, (unsigned long long)is,
                  (unsigned long long)exact);
}

static inline void check_frames(const struct rig *r, size_t row, const struct figures *f,
                                const struct tk_frames *frames)
{
    uint64_t sums[TRUTH_FRAMES_MAX], total = 0;
    size_t n = 0;
    for (size_t i = 0; i < frames->n; i++) {
        if (frames->v[i].to == INT64_MAX || !truth_touches(&rules, frames->v[i].from, frames->v[i].to))
            continue;
        sums[n++] = f->frames[i];
        total += f->frames[i];
    }
    if (!n) {
        ck_assert_int_eq(cell(r, row, "frame_mean")->kind, TK_NONE);
        return;
    }
    qsort(sums, n, sizeof *sums, by_value);
    ck_assert_double_eq_tol(cell(r, row, "frame_mean")->v.r, (double)total / (double)n, 1e-9);
    is_near(r, row, "frame_p95", nearest(sums, n, 95, 100), TK_SKETCH_FRAMES);
}

static inline void check_row(const struct rig *r, size_t row, struct figures *f)
{
    ck_assert_uint_eq(cell(r, row, "count")->v.u, f->count);
    ck_assert_uint_eq(cell(r, row, "open")->v.u, f->open);
    if (!f->count) {
        ck_assert_int_eq(cell(r, row, "min")->kind, TK_NONE);
        ck_assert_int_eq(cell(r, row, "p99")->kind, TK_NONE);
        return;
    }
    qsort(f->calls, f->n_calls, sizeof *f->calls, by_value);
    ck_assert_uint_eq(cell(r, row, "incl")->v.u, f->incl);
    ck_assert_uint_eq(cell(r, row, "total")->v.u, f->total);
    ck_assert_uint_eq(cell(r, row, "excl")->v.u, f->excl);
    ck_assert_uint_eq(cell(r, row, "min")->v.u, f->calls[0]);
    ck_assert_uint_eq(cell(r, row, "max")->v.u, f->calls[f->n_calls - 1]);
    ck_assert_double_eq_tol(cell(r, row, "mean")->v.r, (double)f->total / (double)f->count, 1e-9);
    is_near(r, row, "median", nearest(f->calls, f->n_calls, 50, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p50", nearest(f->calls, f->n_calls, 50, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p90", nearest(f->calls, f->n_calls, 90, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p95", nearest(f->calls, f->n_calls, 95, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p99", nearest(f->calls, f->n_calls, 99, 100), TK_SKETCH_CALLS);
    is_near(r, row, "p999", nearest(f->calls, f->n_calls, 999, 1000), TK_SKETCH_CALLS);
    check_frames(r, row, f, &r->frames);
}

static inline bool is_timer(const struct rig *r, size_t row, uint32_t timer)
{
    char buffer[16];
    const struct tk_cell *c = cell(r, row, "timer");
    struct tk_str name =
        timer < TIMERS ? name_of(timer, buffer) : (struct tk_str){.p = "<unknown metadata>", .n = 18};
    return c->n == name.n && memcmp(c->v.p, name.p, name.n) == 0;
}

static inline bool selected_name(const struct rig *r, uint32_t timer)
{
    return !r->select.timers.n || timer == 1 || timer == 10 || timer == 11; /* the pattern is Timer1* */
}

/* Rows by timer, then by lane; timers without any scope are not there. */
static inline void check_rows(const struct rig *r)
{
    size_t row = 0, n = r->query.by & TK_BY_THREAD ? LANES : 1;
    double shares = 0;
    for (size_t i = 1; n == 1 && i < LANES; i++)
        for (uint32_t k = 0; k <= TIMERS; k++)
            add_figures(&figures[0][k], &figures[i][k]);
    for (uint32_t k = 0; k <= TIMERS; k++) {
        for (size_t i = 0; i < n; i++) {
            struct figures *f = &figures[i][k];
            if ((!f->count && !f->open) || !selected_name(r, k))
                continue;
            ck_assert_uint_lt(row, rig_rows(r));
            ck_assert(is_timer(r, row, k));
            if (n > 1)
                ck_assert_uint_eq(cell(r, row, "thread_id")->v.u, FIRST_ID + i);
            check_row(r, row, f);
            if (f->count)
                shares += cell(r, row, "share")->v.r;
            row++;
        }
    }
    ck_assert_uint_eq(row, rig_rows(r));
    if (!r->select.timers.n && rules.all_time && row)
        ck_assert_double_eq_tol(shares, 1, 1e-6);
}

#endif
