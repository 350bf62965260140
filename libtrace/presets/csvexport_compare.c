/*
 * Two captures side by side, as Tracy's window for that shows them: for each pair of source locations, or of
 * sets of frames, the figures of both.
 *
 * Locations are a pair when they have name, file and line in common; of those that are left, name and file;
 * then the name. Several of one name, file and line are one. What has no partner comes last, with the figures
 * of one side only. Percentiles are times that occurred; the mean has the precision of a float there, which
 * the deviation takes over.
 */
#include "base/wrap.h"
#include "presets/presets_in.h"

#include <math.h>
#include <stdlib.h>

/* A source location or a set of frames of one side. */
struct entry {
    const struct tk_str *name, *file; /* file NULL: none */
    uint32_t line;
    bool paired;
    double squares;
    TK_VEC(int64_t) times;
};

struct side {
    struct tk_csvexport x;
    TK_VEC(struct entry) v;
};

struct figures {
    size_t n;
    int64_t total, min, max, median, p75, p90, p99, p999;
    double mean, sigma;
};

/* ---- figures ---- */

static int64_t ranked_compare(const int64_t *times, size_t n, double share)
{
    size_t at = (size_t)(share * (double)n);
    return times[at < n ? at : n - 1];
}

/* Squares are summed up in the order of the capture, as there. */
static struct figures figures_of(const int64_t *times, size_t n, double squares)
{
    struct figures f = {.n = n};
    if (!n)
        return f;
    for (size_t i = 0; i < n; i++)
        f.total = tk_wrap_add(f.total, times[i]);
    f.min = times[0];
    f.max = times[n - 1];
    /* some processors divide with more digits than a float has */
    f.mean = (double)(float)((float)f.total / (float)n);
    f.median = times[n / 2];
    f.p75 = ranked_compare(times, n, 0.75);
    f.p90 = ranked_compare(times, n, 0.9);
    f.p99 = ranked_compare(times, n, 0.99);
    f.p999 = ranked_compare(times, n, 0.999);
    double variance = squares - 2.0 * (double)f.total * f.mean + f.mean * f.mean * (double)n;
    f.sigma = n > 1 && variance > 0 ? sqrt(variance / (double)(n - 1)) : 0;
    return f;
}

/* ---- pairs ---- */

static bool same_compare(const struct tk_str *a, const struct tk_str *b)
{
    if (!a || !b)
        return a == b;
    return a->n == b->n && a->enc == b->enc && memcmp(a->p, b->p, a->n) == 0;
}

/* level 0: name, file and line; 1: without the line; 2: the name alone. */
static bool fits_compare(const struct entry *a, const struct entry *b, int level)
{
    return same_compare(a->name, b->name) && (level > 1 || same_compare(a->file, b->file)) &&
           (level > 0 || a->line == b->line);
}

static struct entry *find_compare(struct side *s, const struct entry *like, int level)
{
    for (size_t i = 0; i < s->v.n; i++)
        if (!s->v.v[i].paired && fits_compare(&s->v.v[i], like, level))
            return &s->v.v[i];
    return NULL;
}

/* Partners by place in a; NULL: none. */
static void pair_all(struct side *a, struct side *b, struct entry **partner)
{
    for (int level = 0; level < 3; level++) {
        for (size_t i = 0; i < a->v.n; i++) {
            struct entry *found = partner[i] ? NULL : find_compare(b, &a->v.v[i], level);
            if (!found)
                continue;
            found->paired = true;
            partner[i] = found;
        }
    }
}

/* ---- rows ---- */

typedef void put_fn(struct tk_csvexport *x, const struct figures *f);

static void put_n(struct tk_csvexport *x, const struct figures *f)
{
    tk_csvexport_put_u64(x, f->n);
}

#define PUT_TIME(member)                                                                                     \
    static void put_##member(struct tk_csvexport *x, const struct figures *f)                                \
    {                                                                                                        \
        tk_csvexport_put_i64(x, f->member);                                                                  \
    }
PUT_TIME(total)
PUT_TIME(min)
PUT_TIME(max)
PUT_TIME(median)
PUT_TIME(p75)
PUT_TIME(p90)
PUT_TIME(p99)
PUT_TIME(p999)

static void put_mean(struct tk_csvexport *x, const struct figures *f)
{
    tk_csvexport_put_real(x, f->mean);
}

static void put_sigma(struct tk_csvexport *x, const struct figures *f)
{
    tk_csvexport_put_real(x, f->sigma);
}

static const struct {
    const char *name;
    put_fn *put;
} displayed[] = {
    {"n", put_n},       {"total", put_total},   {"min", put_min},     {"max", put_max},
    {"mean", put_mean}, {"median", put_median}, {"sigma", put_sigma}, {"p75", put_p75},
    {"p90", put_p90},   {"p99", put_p99},       {"p99_9", put_p999},
};

static void put_head(struct tk_csvexport *x)
{
    static const char *const sides[] = {"_this", "_ext"};
    tk_buffer_text(&x->out, "name");
    tk_csvexport_put_separator(x);
    tk_buffer_text(&x->out, "file");
    tk_csvexport_put_separator(x);
    tk_buffer_text(&x->out, "line");
    for (size_t i = 0; i < 2 * sizeof displayed / sizeof *displayed; i++) {
        tk_csvexport_put_separator(x);
        tk_buffer_text(&x->out, displayed[i / 2].name);
        tk_buffer_text(&x->out, sides[i % 2]);
    }
    tk_buffer_char(&x->out, '\n');
}

/* The figures of a and b, of which one may be NULL, behind the place of `one`. */
static void put_row_compare(struct tk_csvexport *x, const struct entry *one, const struct entry *a,
                            const struct entry *b)
{
    const struct figures left = a ? figures_of(a->times.v, a->times.n, a->squares) : (struct figures){0};
    const struct figures right = b ? figures_of(b->times.v, b->times.n, b->squares) : (struct figures){0};
    tk_csvexport_put_text(x, one->name);
    tk_csvexport_put_separator(x);
    tk_csvexport_put_text(x, one->file);
    if (one->file)
        tk_csvexport_put_u64(x, one->line);
    else
        tk_csvexport_put_separator(x);
    for (size_t i = 0; i < 2 * sizeof displayed / sizeof *displayed; i++) {
        if (i % 2 ? b != NULL : a != NULL)
            displayed[i / 2].put(x, i % 2 ? &right : &left);
        else
            tk_csvexport_put_separator(x);
    }
    tk_buffer_char(&x->out, '\n');
}

static int put_rows(struct side *a, struct side *b, struct tk_err *err)
{
    struct entry **partner = calloc(a->v.n + 1, sizeof *partner);
    if (!partner)
        return tk_err_nomem(err, "pairs");
    pair_all(a, b, partner);
    put_head(&a->x);
    for (size_t i = 0; i < a->v.n; i++)
        if (partner[i])
            put_row_compare(&a->x, &a->v.v[i], &a->v.v[i], partner[i]);
    for (size_t i = 0; i < a->v.n; i++)
        if (!partner[i])
            put_row_compare(&a->x, &a->v.v[i], &a->v.v[i], NULL);
    for (size_t i = 0; i < b->v.n; i++)
        if (!b->v.v[i].paired)
            put_row_compare(&a->x, &b->v.v[i], NULL, &b->v.v[i]);
    free(partner);
    return a->x.out.status;
}

/* ---- entries ---- */

static struct entry *entry_of(struct side *s, const struct entry *like)
{
    for (size_t i = 0; i < s->v.n; i++)
        if (fits_compare(&s->v.v[i], like, 0))
            return &s->v.v[i];
    return tk_vec_push(&s->v, *like) ? NULL : &s->v.v[s->v.n - 1];
}

static int by_name_compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    uint32_t n = x->name->n < y->name->n ? x->name->n : y->name->n;
    int order = memcmp(x->name->p, y->name->p, n);
    if (order || x->name->n != y->name->n)
        return order ? order : (x->name->n > y->name->n) - (x->name->n < y->name->n);
    return (x->line > y->line) - (x->line < y->line);
}

static void settle_compare(struct side *s)
{
    for (size_t i = 0; i < s->v.n; i++)
        tk_csvexport_times_sort(s->v.v[i].times.v, s->v.v[i].times.n);
    if (s->v.n)
        qsort(s->v.v, s->v.n, sizeof *s->v.v, by_name_compare);
}

static int add_location(struct side *s, const struct tk_csvexport_times *t, uint32_t timer,
                        struct tk_err *err)
{
    const struct tk_csvexport_location_sums *l = &t->v.v[timer];
    const struct tk_timer *info = tk_dict_timer(&s->x.dict, timer);
    struct entry fresh = {.name = info ? info->displayed : NULL};
    if (!info)
        return tk_err_nomem(err, "zones");
    fresh.file = info->info.file;
    fresh.line = info->info.line;
    struct entry *entry = entry_of(s, &fresh);
    if (!entry || tk_vec_reserve(&entry->times, entry->times.n + (size_t)l->count))
        return tk_err_nomem(err, "zones");
    int rc = tk_csvexport_times_get(t, l, entry->times.v + entry->times.n, err);
    entry->times.n += (size_t)l->count;
    entry->squares += l->squares;
    return rc;
}

static int read_zones(struct side *s, struct tk_err *err)
{
    struct tk_csvexport_times t;
    int rc = tk_csvexport_times_read(&t, &s->x, true, false, err);
    for (uint32_t i = 0; i < t.v.n && rc == TK_OK; i++) {
        const struct tk_timer *timer = t.v.v[i].count ? tk_dict_timer(&s->x.dict, i) : NULL;
        if (timer && tk_csvexport_passes(&s->x, timer->displayed))
            rc = add_location(s, &t, i, err);
    }
    tk_csvexport_times_release(&t);
    return rc;
}

/* ---- frames ---- */

struct frames {
    struct side *side;
    TK_VEC(int64_t) begun; /* by type: when its last frame began; INT64_MIN: none is open */
};

static int add_frame(struct frames *f, const struct tk_fact *fact)
{
    const struct tk_fact_frame *info = &fact->u.frame;
    struct side *s = f->side;
    while (f->begun.n <= info->type) {
        if (f->begun.n >= s->x.job->ctx->limits.threads)
            return TK_OK;
        if (tk_vec_push(&f->begun, INT64_MIN))
            return TK_ENOMEM;
    }
    int64_t begin = f->begun.v[info->type];
    f->begun.v[info->type] = info->begin ? fact->time : INT64_MIN;
    if (info->begin || begin == INT64_MIN || fact->time <= begin)
        return TK_OK;
    const struct entry like = {.name = info->type_name};
    struct entry *entry = like.name ? entry_of(s, &like) : NULL;
    if (!entry)
        return like.name ? TK_ENOMEM : TK_OK;
    int64_t time = tk_clock_between(&s->x.dict.clock, TK_UNIT_NS, begin, fact->time);
    entry->squares += (double)time * (double)time;
    return tk_vec_push(&entry->times, time) ? TK_ENOMEM : TK_OK;
}

static int take_frames_compare(void *self, const struct tk_batch *batch, struct tk_err *err)
{
    struct frames *f = self;
    for (size_t i = 0; i < batch->n_facts; i++)
        if (batch->facts[i].kind == TK_FACT_FRAME && add_frame(f, &batch->facts[i]) != TK_OK)
            return tk_err_nomem(err, "frames");
    return TK_OK;
}

static int read_frames(struct side *s, struct tk_err *err)
{
    struct frames f = {.side = s};
    int rc = tk_csvexport_read(&s->x, TK_FACT_MASK(FRAME), take_frames_compare, &f, err);
    tk_vec_release(&f.begun);
    return rc;
}

/* ---- both ---- */

static void release_compare(struct side *s)
{
    for (size_t i = 0; i < s->v.n; i++)
        tk_vec_release(&s->v.v[i].times);
    tk_vec_release(&s->v);
}

int tk_csvexport_write_pair(struct tk_csvexport *x, struct tk_csvexport *other, bool frames,
                            struct tk_err *err)
{
    int (*read)(struct side * s, struct tk_err * err) = frames ? read_frames : read_zones;
    struct side a = {.x = *x}, b = {.x = *other};
    int rc = read(&a, err);
    if (rc == TK_OK)
        rc = read(&b, err);
    settle_compare(&a);
    settle_compare(&b);
    if (rc == TK_OK)
        rc = put_rows(&a, &b, err);
    release_compare(&a);
    release_compare(&b);
    *x = a.x;
    *other = b.x;
    return rc;
}
