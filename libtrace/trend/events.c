/*
 * From changes of single curves to events: changes with a common cause are one event of a night.
 */
#include "base/arena.h"
#include "compare/verdict/probability.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdlib.h>

/*
 * Runs the analysis of one epoch.
 */

static int find_rows(struct tk_trend_epoch *e)
{
    e->rows = tk_arena_alloc(&e->arena, e->h->runs.n * sizeof *e->rows);
    if (!e->rows)
        return -1;
    for (uint32_t r = 0; r < e->h->runs.n; r++) {
        uint32_t night = e->h->runs.v[r].night;
        if (night >= e->span.from && night < e->span.to && !e->machines->skipped[night])
            e->rows[e->n_rows++] = r;
    }
    return 0;
}

int tk_trend_epoch(struct tk_trend_epoch *e)
{
    if (tk_trend_space(&e->space, &e->arena, e->h->runs.n, 2 * e->h->series.n) || find_rows(e) ||
        tk_trend_flatten(e) || tk_trend_families(e) || tk_trend_put_common(e))
        return -1;
    if (!e->n_curves)
        return 0;
    return tk_trend_changes(e) || tk_trend_newest(e) || tk_trend_tell(e) ? -1 : 0;
}

/*
 * Says changes of what all series of a class share, and how many of these follow them.
 */

/* Does a series change by at least half of the common change, in its direction? Its curve is without that
 * change. false as well where it has no values on one of the sides. */
static bool follows(struct tk_trend_epoch *e, const struct tk_trend_curve *c,
                    const struct tk_trend_span *span, const struct tk_trend_step *step)
{
    struct tk_trend_side left = tk_trend_side_of(c->z, span->from, step->night, e->space.left);
    struct tk_trend_side right = tk_trend_side_of(c->z, step->night, span->to, e->space.right);
    if (!left.n || !right.n)
        return false;
    double own = tk_robust_median(right.v, right.n) - tk_robust_median(left.v, left.n);
    return (own + step->size) / step->size >= 0.5;
}

/* Part of the series of the class that do. */
static double share_of(struct tk_trend_epoch *e, enum tk_trend_class class, size_t i)
{
    const struct tk_trend_common *common = &e->common[class];
    struct tk_trend_span span = {i ? common->steps[i - 1].night : e->span.from,
                                 i + 1 < common->n ? common->steps[i + 1].night : e->span.to};
    size_t all = 0, with = 0;
    for (size_t k = 0; k < e->n_series; k++) {
        const struct tk_trend_curve *c = &e->curves[k];
        if (c->class != class || c->series->kind == TK_HISTORY_FRAME)
            continue;
        all++;
        with += follows(e, c, &span, &common->steps[i]);
    }
    return all ? (double)with / (double)all : NAN;
}

int tk_trend_put_common(struct tk_trend_epoch *e)
{
    for (int class = TK_TREND_CPU; class < TK_TREND_CLASSES; class ++)
        for (size_t i = 0; i < e->common[class].n; i++) {
            const struct tk_trend_step *s = &e->common[class].steps[i];
            struct tk_trend_event event = {.cause = TK_TREND_SHARED,
                                           .class = (uint8_t) class,
                                           .night = s->night,
                                           .low = s->low,
                                           .high = s->high,
                                           .size = s->size,
                                           .se = s->se,
                                           .p = s->p,
                                           .nu = fmax(4, 0.4 * ((double)(e->span.to - e->span.from) - 2)),
                                           .before = NAN,
                                           .after = NAN};
            event.share = share_of(e, (enum tk_trend_class) class, i);
            if (tk_trend_put(e, &event))
                return -1;
        }
    return 0;
}

#define SEVERAL     3u   /* series that change at a night */
#define NEAR_COMMON 2u   /* nights */
#define MEMBERS     0.05 /* share of false ones among further members of a family */
#define OWN_REACH   3u   /* nights around which a timer has its own change */

/* A night at which changes are reported. */
struct anchor {
    uint32_t night;
    uint8_t cause; /* SHARED, FAMILY or SEVERAL, which is the order of what wins */
    uint8_t class;
    const struct tk_str *parent; /* of FAMILY */
    double size;
};

struct teller {
    struct tk_trend_epoch *e;
    TK_VEC(struct anchor) anchors; /* owned */
    uint32_t *peaks;               /* by night: changes of series, before they are moved */
};

static const struct tk_trend_curve *curve_of(const struct teller *t, const struct tk_trend_change *c)
{
    return &t->e->curves[c->curve];
}

/* ---- anchors ---- */

static int add_common(struct teller *t)
{
    for (int class = TK_TREND_CPU; class < TK_TREND_CLASSES; class ++)
        for (size_t i = 0; i < t->e->common[class].n; i++) {
            const struct tk_trend_step *s = &t->e->common[class].steps[i];
            struct anchor a = {s->night, TK_TREND_SHARED, (uint8_t) class, NULL, s->size};
            if (tk_vec_push(&t->anchors, a))
                return -1;
        }
    return 0;
}

static int add_families(struct teller *t)
{
    for (size_t i = 0; i < t->e->changes.n; i++) {
        const struct tk_trend_change *c = &t->e->changes.v[i];
        const struct tk_trend_curve *curve = curve_of(t, c);
        struct anchor a = {c->step.night, TK_TREND_FAMILY, curve->class, curve->parent, c->step.size};
        if (curve->series)
            t->peaks[c->step.night]++;
        else if (tk_vec_push(&t->anchors, a))
            return -1;
    }
    return 0;
}

static bool has_anchor(const struct teller *t, uint32_t night)
{
    for (size_t i = 0; i < t->anchors.n; i++)
        if (t->anchors.v[i].night + 1 >= night && t->anchors.v[i].night <= night + 1)
            return true;
    return false;
}

static uint32_t around(const struct teller *t, uint32_t night)
{
    uint32_t n = t->peaks[night];
    n += night > t->e->span.from ? t->peaks[night - 1] : 0;
    return n + (night + 1 < t->e->span.to ? t->peaks[night + 1] : 0);
}

/* Nights with the most changes first. */
static int add_several(struct teller *t)
{
    uint32_t most = 0;
    for (uint32_t n = t->e->span.from; n < t->e->span.to; n++)
        most = t->peaks[n] > most ? t->peaks[n] : most;
    for (uint32_t count = most; count > 0; count--)
        for (uint32_t n = t->e->span.from; n < t->e->span.to; n++) {
            struct anchor a = {n, TK_TREND_SEVERAL, TK_TREND_NONE, NULL, 0};
            if (t->peaks[n] == count && around(t, n) >= SEVERAL && !has_anchor(t, n) &&
                tk_vec_push(&t->anchors, a))
                return -1;
        }
    return 0;
}

/* ---- changes at anchors ---- */

static bool is_within(const struct tk_trend_step *s, uint32_t night, uint32_t more)
{
    return s->low <= night + more && night <= s->high + more;
}

static bool fits(const struct tk_trend_curve *curve, const struct tk_trend_change *c, const struct anchor *a)
{
    switch (a->cause) {
    case TK_TREND_SHARED:
        return is_within(&c->step, a->night, NEAR_COMMON) && a->class == curve->class;
    case TK_TREND_FAMILY:
        return is_within(&c->step, a->night, 0) && curve->series && a->parent == curve->series->parent &&
               a->size * c->step.size >= 0;
    default:
        return is_within(&c->step, a->night, 0) && curve->series;
    }
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

static const struct anchor *find_anchor(const struct teller *t, const struct tk_trend_change *c)
{
    const struct anchor *best = NULL;
    for (size_t i = 0; i < t->anchors.n; i++) {
        const struct anchor *a = &t->anchors.v[i];
        if (!fits(curve_of(t, c), c, a))
            continue;
        if (!best || a->cause < best->cause ||
            (a->cause == best->cause &&
             distance(a->night, c->step.night) < distance(best->night, c->step.night)))
            best = a;
    }
    return best;
}

/* It only takes less part in what all do. */
static bool only_follows(const struct tk_trend_change *c, const struct anchor *a, double floor)
{
    double own = c->step.size;
    return a->cause == TK_TREND_SHARED && (own + a->size) * own <= 2 * floor * fabs(own);
}

static uint8_t cause_of(const struct tk_trend_curve *curve, const struct anchor *a)
{
    if (!a)
        return curve->series ? TK_TREND_OWN : TK_TREND_FAMILY;
    return a->cause == TK_TREND_FAMILY ? TK_TREND_MEMBER : a->cause;
}

static int tell_change(struct teller *t, size_t i)
{
    struct tk_trend_change *c = &t->e->changes.v[i];
    const struct anchor *a = find_anchor(t, c);
    struct tk_trend_event event = tk_trend_event_of(t->e, c->curve);
    c->at = a ? a->night : c->step.night;
    if (a && only_follows(c, a, t->e->setup->floor))
        return 0;
    event.kind = TK_TREND_STEP;
    event.cause = cause_of(curve_of(t, c), a);
    event.parent = a && a->cause == TK_TREND_FAMILY ? a->parent : event.parent;
    event.night = c->at;
    event.low = c->step.low;
    event.high = c->step.high;
    event.size = c->step.size;
    event.se = c->step.se;
    event.p = c->step.p;
    return tk_trend_put(t->e, &event);
}

/* ---- further members of families ---- */

struct member {
    size_t curve;
    double p, size, se;
};

static int by_p(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->curve > y->curve) - (x->curve < y->curve);
}

/* The first and the end of a curve's changes. */
static size_t changes_of(const struct teller *t, size_t curve, size_t *end)
{
    size_t from = 0;
    while (from < t->e->changes.n && t->e->changes.v[from].curve < curve)
        from++;
    for (*end = from; *end < t->e->changes.n && t->e->changes.v[*end].curve == curve;)
        ++*end;
    return from;
}

/* Nights around a night without another change of the curve; false: it has one there itself. */
static bool find_sides(const struct teller *t, size_t curve, uint32_t night, struct tk_trend_span *span)
{
    size_t end, i = changes_of(t, curve, &end);
    *span = t->e->span;
    for (; i < end; i++) {
        uint32_t at = t->e->changes.v[i].at;
        if (distance(at, night) <= OWN_REACH)
            return false;
        if (at < night)
            span->from = at > span->from ? at : span->from;
        else
            span->to = at < span->to ? at : span->to;
    }
    return true;
}

static bool test_member(const struct teller *t, size_t curve, uint32_t night, struct member *m)
{
    const struct tk_trend_curve *c = &t->e->curves[curve];
    struct tk_trend_space *space = &t->e->space;
    struct tk_trend_span span;
    if (!find_sides(t, curve, night, &span))
        return false;
    struct tk_trend_side left = tk_trend_side_of(c->z, span.from, night, space->left);
    struct tk_trend_side right = tk_trend_side_of(c->z, night, span.to, space->right);
    if (left.n < 3 || right.n < 2)
        return false;
    m->curve = curve;
    m->size = tk_robust_centre(right.v, right.n, c->sd, space->sorted) -
              tk_robust_centre(left.v, left.n, c->sd, space->sorted);
    m->se = c->sd * sqrt(c->phi * (1 / (double)left.n + 1 / (double)right.n));
    m->p = tk_probability_t(m->size / m->se, t->e->nu);
    return true;
}

static int tell_members(struct teller *t, const struct anchor *a, struct member *m)
{
    size_t n = 0, most = 0;
    for (size_t i = 0; i < t->e->n_series; i++)
        if (t->e->curves[i].series->parent == a->parent)
            n += test_member(t, i, a->night, &m[n]);
    qsort(m, n, sizeof *m, by_p);
    for (size_t i = 0; i < n; i++)
        most = m[i].p <= MEMBERS * (double)(i + 1) / (double)n ? i + 1 : most;
    for (size_t i = 0; i < most; i++) {
        struct tk_trend_event event = tk_trend_event_of(t->e, m[i].curve);
        if (fabs(m[i].size) < t->e->setup->floor || m[i].size * a->size <= 0)
            continue;
        event.cause = TK_TREND_MEMBER;
        event.joined = true;
        event.parent = a->parent;
        event.night = event.low = event.high = a->night;
        event.size = m[i].size;
        event.se = m[i].se;
        event.p = m[i].p;
        if (tk_trend_put(t->e, &event))
            return -1;
    }
    return 0;
}

/* ---- all ---- */

/* Members are what was found before a family is requested more of them. */
static int tell_all(struct teller *t)
{
    struct member *m = tk_arena_alloc(&t->e->arena, (t->e->n_series + 1) * sizeof *m);
    if (!m || add_common(t) || add_families(t) || add_several(t))
        return -1;
    for (size_t i = 0; i < t->e->changes.n; i++)
        if (tell_change(t, i))
            return -1;
    for (size_t i = 0; i < t->anchors.n; i++)
        if (t->anchors.v[i].cause == TK_TREND_FAMILY && tell_members(t, &t->anchors.v[i], m))
            return -1;
    return 0;
}

int tk_trend_tell(struct tk_trend_epoch *e)
{
    struct teller t = {.e = e, .peaks = calloc(e->h->nights, sizeof *t.peaks)};
    int rc = t.peaks ? tell_all(&t) : -1;
    free(t.peaks);
    tk_vec_release(&t.anchors);
    return rc;
}
