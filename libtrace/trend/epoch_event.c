/*
 * Adds events of an epoch to the trend.
 */
#include "trend/trend_in.h"

#include <math.h>

int tk_trend_put(struct tk_trend_epoch *e, const struct tk_trend_event *event)
{
    return tk_vec_push(&e->out->events, *event) ? -1 : 0;
}

struct tk_trend_event tk_trend_event_of(const struct tk_trend_epoch *e, size_t curve)
{
    const struct tk_trend_curve *c = &e->curves[curve];
    return (struct tk_trend_event){.class = c->class,
                                   .series = c->series,
                                   .parent = c->parent,
                                   .nu = e->nu,
                                   .before = NAN,
                                   .after = NAN,
                                   .share = NAN};
}
