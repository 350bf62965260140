/*
 * Names of kinds, states and classes of events, the order of what events are of, and how an
 * epoch adds them.
 */
#include "base/text/text.h"
#include "trend/trend.h"
#include "trend/trend_in.h"

#include <math.h>
#include <string.h>

static const char *const kind_names[TK_TREND_KINDS] = {[TK_TREND_STEP] = "step",
                                                       [TK_TREND_DRIFT] = "drift",
                                                       [TK_TREND_MACHINE] = "machine",
                                                       [TK_TREND_PROBABLE] = "probable",
                                                       [TK_TREND_SUSPECT] = "suspect"};
static const char *const state_names[TK_TREND_STATES] = {[TK_TREND_HOLDS] = "holds",
                                                         [TK_TREND_REPLACED] = "replaced",
                                                         [TK_TREND_BACK] = "back",
                                                         [TK_TREND_UNSTEADY] = "unsteady"};
static const char *const class_names[TK_TREND_CLASSES] = {
    [TK_TREND_NONE] = "", [TK_TREND_CPU] = "cpu", [TK_TREND_GPU] = "gpu", [TK_TREND_LOADING] = "loading"};

const char *tk_trend_kind_name(enum tk_trend_kind kind)
{
    return kind_names[kind];
}

const char *tk_trend_state_name(enum tk_trend_state state)
{
    return state_names[state];
}

const char *tk_trend_class_name(enum tk_trend_class class)
{
    return class_names[class];
}

/* ---- order ---- */

/* Of what an event is: all, a class, a parent, a series. */
static int rank_of(const struct tk_trend_event *e)
{
    if (e->kind == TK_TREND_MACHINE)
        return 0;
    return e->series ? 3 : e->parent ? 2 : 1;
}

int tk_trend_event_order(const struct tk_trend_event *a, const struct tk_trend_event *b)
{
    int ra = rank_of(a), rb = rank_of(b);
    if (ra != rb)
        return ra < rb ? -1 : 1;
    switch (ra) {
    case 1:
        return strcmp(class_names[a->class], class_names[b->class]);
    case 2:
        return tk_str_order(a->parent, b->parent);
    case 3:
        return tk_str_order(a->series->id, b->series->id);
    default:
        return 0;
    }
}

/* ---- events of an epoch, added to the trend ---- */

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
                                   .brief = e->span.to - e->span.from < TK_TREND_LONG,
                                   .nu = e->nu,
                                   .before = NAN,
                                   .after = NAN,
                                   .share = NAN};
}
