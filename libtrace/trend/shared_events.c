/*
 * Tells changes of what all series of a class share, and how many of these follow them. See epoch.h.
 */
#include "trend/epoch.h"

#include <math.h>

/* Does a series change by at least half of the common change, in its direction? Its curve is without that
 * change. false as well where it has no values on one of the sides. */
static bool follows(struct tk_trend_epoch *e, const struct tk_trend_curve *c,
                    const struct tk_trend_span *span, const struct tk_trend_step *step)
{
    struct tk_trend_side left = tk_trend_side_of(c->z, span->from, step->night, e->room.left);
    struct tk_trend_side right = tk_trend_side_of(c->z, step->night, span->to, e->room.right);
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
