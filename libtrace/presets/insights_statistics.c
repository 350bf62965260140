/*
 * Insights: calls, inclusive and exclusive times of timers (events 2.7). Two readings: the first
 * for sums, least and greatest values, the second for the histograms between these that medians come from.
 */
#include "base/err.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "base/wrap.h"
#include "presets/presets_in.h"
#include "sink/write/value.h"

#include <math.h>

/* A histogram for each interval and timer, so fewer intervals at one time than elsewhere. */
enum { BUCKETS = 100, AT_ONCE = 16 };

enum { INCL, EXCL, KINDS };

/* One kind of times of the calls of a timer, in cycles. */
struct times {
    int64_t sum, min, max;
    uint32_t *buckets; /* owned: BUCKETS; in the second reading */
};

struct cell {
    uint64_t count;
    struct times times[KINDS];
};

struct statistics {
    struct tk_insights *x;
    struct tk_calls calls;
    const struct tk_interval *intervals; /* n of them */
    size_t n;
    bool second;                        /* reading */
    TK_VEC(struct cell) cells[AT_ONCE]; /* by timer */
    TK_VEC(struct children *) children; /* owned; by track */
};

/* Clipped times of the direct children of open calls: n for each depth. */
struct children {
    TK_VEC(int64_t) v;
};

/* ---- reading ---- */

static int take_track_statistics(void *self, struct tk_call_track *track, struct tk_err *err)
{
    struct statistics *s = self;
    struct children *made = calloc(1, sizeof *made);
    if (!made || tk_vec_push(&s->children, made)) {
        free(made);
        return tk_err_nomem(err, "open scopes");
    }
    track->wanted = track->gpu || tk_insights_thread_passes(s->x, track->name);
    return TK_OK;
}

static int take_begin(void *self, const struct tk_call *call, struct tk_err *err)
{
    struct statistics *s = self;
    struct children *children = s->children.v[call->track];
    const size_t at = call->depth * s->n;
    if (tk_vec_reserve(&children->v, at + s->n))
        return tk_err_nomem(err, "open scopes");
    memset(children->v.v + at, 0, s->n * sizeof *children->v.v);
    return TK_OK;
}

static struct cell *cell_of(struct statistics *s, size_t interval, uint32_t timer)
{
    if (tk_vec_reserve(&s->cells[interval], (size_t)timer + 1))
        return NULL;
    while (s->cells[interval].n <= timer)
        s->cells[interval].v[s->cells[interval].n++] = (struct cell){0};
    return &s->cells[interval].v[timer];
}

static void add_time(struct times *t, int64_t v, bool first)
{
    t->sum = tk_wrap_add(t->sum, v);
    t->min = first || v < t->min ? v : t->min;
    t->max = first || v > t->max ? v : t->max;
}

static double step_of(const struct statistics *s, const struct times *t)
{
    return tk_calls_seconds(&s->calls.clock, tk_wrap_sub(t->max, t->min)) / (BUCKETS - 1);
}

static int fill_bucket(const struct statistics *s, struct times *t, int64_t v, struct tk_err *err)
{
    const double step = step_of(s, t), over = tk_calls_seconds(&s->calls.clock, tk_wrap_sub(v, t->min));
    const double bucket = step > 0 ? floor((over + step / 2) / step) : 0;
    if (!t->buckets && !(t->buckets = calloc(BUCKETS, sizeof *t->buckets)))
        return tk_err_nomem(err, "histograms");
    t->buckets[bucket < 0 ? 0 : bucket >= (double)BUCKETS ? BUCKETS - 1 : (int)bucket]++;
    return TK_OK;
}

static int count_statistics(struct statistics *s, size_t interval, const struct tk_call *call,
                            const int64_t v[KINDS], struct tk_err *err)
{
    struct cell *cell = cell_of(s, interval, call->timer);
    int rc = cell ? TK_OK : tk_err_nomem(err, "statistics");
    for (int k = 0; k < KINDS && rc == TK_OK; k++) {
        if (s->second)
            rc = fill_bucket(s, &cell->times[k], v[k], err);
        else
            add_time(&cell->times[k], v[k], cell->count == 0);
    }
    if (rc == TK_OK && !s->second)
        cell->count++;
    return rc;
}

static int take_end_statistics(void *self, const struct tk_call *call, struct tk_err *err)
{
    struct statistics *s = self;
    int64_t *children = s->children.v[call->track]->v.v + call->depth * s->n;
    const int64_t end = call->end == TK_CALL_NEVER ? s->calls.last : call->end;
    int rc = TK_OK;
    for (size_t i = 0; i < s->n && rc == TK_OK; i++) {
        const struct tk_interval *in = &s->intervals[i];
        if (!tk_interval_touches(in, call->begin, end))
            continue;
        const int64_t from = call->begin > in->from ? call->begin : in->from,
                      to = end < in->to ? end : in->to;
        const int64_t length = to > from ? tk_wrap_sub(to, from) : 0;
        const int64_t v[KINDS] = {call->outer ? length : 0, tk_wrap_sub(length, children[i])};
        if (call->depth)
            (children - s->n)[i] = tk_wrap_add((children - s->n)[i], length);
        rc = count_statistics(s, i, call, v, err);
    }
    return rc;
}

static int read_once(struct statistics *s, bool second, struct tk_err *err)
{
    static const struct tk_call_taker taker = {
        .track = take_track_statistics, .begin = take_begin, .end = take_end_statistics};
    tk_calls_release(&s->calls);
    for (size_t i = 0; i < s->children.n; i++) {
        tk_vec_release(&s->children.v[i]->v);
        free(s->children.v[i]);
    }
    s->children.n = 0;
    s->second = second;
    /* the clock is wanted while the second reading is under way */
    s->calls = (struct tk_calls){.closes = true, .taker = &taker, .self = s, .clock = s->x->intervals.clock};
    return tk_calls_read(&s->calls, s->x->job, err);
}

/* ---- writing ---- */

/* The value of the bucket in which the calls up to the middle are passed. */
static double median(const struct statistics *s, const struct cell *cell, int kind)
{
    const struct times *t = &cell->times[kind];
    const double least = tk_calls_seconds(&s->calls.clock, t->min), step = step_of(s, t);
    uint64_t passed = 0;
    int before = 0;
    for (int i = 0; t->buckets && i < BUCKETS; i++) {
        if (!t->buckets[i])
            continue;
        const bool split = cell->count % 2 == 0 && passed == cell->count / 2;
        passed += t->buckets[i];
        if (passed > cell->count / 2)
            return least + step * (split ? (i + before) / 2.0 : i);
        before = i;
    }
    return least;
}

struct row {
    uint32_t timer;
    const struct cell *cell;
    const struct tk_str *name;
};

static int by_time_statistics(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const int64_t dx = x->cell->times[INCL].sum, dy = y->cell->times[INCL].sum;
    const uint32_t n = x->name->n < y->name->n ? x->name->n : y->name->n;
    if (dx != dy)
        return dx < dy ? 1 : -1;
    int c = memcmp(x->name->p, y->name->p, n);
    if (c == 0)
        c = (x->name->n > y->name->n) - (x->name->n < y->name->n);
    return c ? c : (x->timer > y->timer) - (x->timer < y->timer);
}

/* ASCII, no commas. */
static void put_name_statistics(struct tk_page *page, const struct tk_str *name)
{
    const struct tk_str clean = tk_safe_text_clean(&page->clean, *name);
    size_t len;
    tk_page_c(page, "");
    for (uint32_t at = 0; at < clean.n; at += (uint32_t)len) {
        const uint32_t c = tk_utf8_next((const uint8_t *)clean.p + at, clean.n - at, &len);
        tk_buffer_char(&page->out, c >= 0x80 ? '?' : c == ',' ? ' ' : (char)c);
    }
}

static void put_row_statistics(const struct statistics *s, struct tk_page *page, const struct row *row)
{
    const struct tk_fact_clock *clock = &s->calls.clock;
    put_name_statistics(page, row->name);
    tk_page_u64(page, row->cell->count);
    for (int k = 0; k < KINDS; k++) {
        const struct times *t = &row->cell->times[k];
        const double sum = tk_calls_seconds(clock, t->sum);
        tk_page_fixed(page, sum, 6);
        tk_page_fixed(page, tk_calls_seconds(clock, t->min), 6);
        tk_page_fixed(page, tk_calls_seconds(clock, t->max), 6);
        tk_page_fixed(page, sum / (double)row->cell->count, 6);
        tk_page_fixed(page, median(s, row->cell, k), 6);
    }
    tk_page_end(page);
}

static int write_page(struct statistics *s, size_t interval, const bool *picked, const char *pattern,
                      struct tk_err *err)
{
    static const char *const head[] = {"Name",  "Count", "Incl",  "I.Min", "I.Max", "I.Avg",
                                       "I.Med", "Excl",  "E.Min", "E.Max", "E.Avg", "E.Med"};
    struct row *rows = calloc(s->cells[interval].n + 1, sizeof *rows);
    struct tk_page page;
    size_t n = 0;
    for (uint32_t i = 0; rows && i < s->cells[interval].n; i++)
        if (s->cells[interval].v[i].count && i < s->calls.timers.n && picked[i])
            rows[n++] = (struct row){i, &s->cells[interval].v[i], s->calls.timers.v[i].name};
    int rc =
        rows && !tk_sort(rows, n, sizeof *rows, by_time_statistics) ? TK_OK : tk_err_nomem(err, "statistics");
    if (rc == TK_OK)
        rc = tk_insights_open(s->x, &page, pattern, &s->intervals[interval], NULL, 0, ',', err);
    if (rc == TK_OK) {
        const size_t top = s->x->job->options->top;
        tk_page_head(&page, head, 12);
        for (size_t i = 0; i < n && (!top || i < top); i++)
            put_row_statistics(s, &page, &rows[i]);
        rc = tk_page_commit(&page, err);
    }
    free(rows);
    return rc;
}

static void release_cells(struct statistics *s)
{
    for (size_t i = 0; i < AT_ONCE; i++) {
        for (size_t k = 0; k < s->cells[i].n; k++) {
            free(s->cells[i].v[k].times[INCL].buckets);
            free(s->cells[i].v[k].times[EXCL].buckets);
        }
        s->cells[i].n = 0;
    }
}

/* The files of up to AT_ONCE intervals. */
static int write_pages(struct statistics *s, const char *pattern, struct tk_err *err)
{
    bool *picked = NULL;
    int rc = read_once(s, false, err);
    if (rc == TK_OK)
        rc = read_once(s, true, err);
    if (rc == TK_OK && !(picked = tk_insights_pick_timers(s->x, &s->calls)))
        rc = tk_err_nomem(err, "names of timers");
    if (rc == TK_OK)
        rc = tk_insights_check_timers(s->x, &s->calls, err);
    for (size_t i = 0; i < s->n && rc == TK_OK; i++)
        rc = write_page(s, i, picked, pattern, err);
    free(picked);
    release_cells(s);
    return rc;
}

int tk_insights_statistics(struct tk_insights *x, const char *pattern, struct tk_err *err)
{
    struct statistics s = {.x = x};
    int rc = TK_OK;
    for (size_t at = 0; at < x->intervals.v.n && rc == TK_OK; at += AT_ONCE) {
        const size_t left = x->intervals.v.n - at;
        s.intervals = x->intervals.v.v + at;
        s.n = left < AT_ONCE ? left : AT_ONCE;
        rc = write_pages(&s, pattern, err);
    }
    tk_calls_release(&s.calls);
    for (size_t i = 0; i < AT_ONCE; i++)
        tk_vec_release(&s.cells[i]);
    for (size_t i = 0; i < s.children.n; i++) {
        tk_vec_release(&s.children.v[i]->v);
        free(s.children.v[i]);
    }
    tk_vec_release(&s.children);
    return rc;
}
