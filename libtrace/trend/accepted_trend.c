/*
 * Takes accepted regressions out of the verdict of a history. See accepted.h.
 */
#include "base/text/when.h"
#include "trend/accepted.h"

#include <math.h>
#include <string.h>

/* What an event is of: of a series its own names; of timers below a parent the parent, of a class the class.
 */
static bool is_about(const struct tk_acceptance *one, const struct tk_trend_event *e)
{
    static const struct tk_str none = {.p = ""};
    const char *class = tk_trend_class_name((enum tk_trend_class)e->class);
    const struct tk_str of_class = {class, (uint32_t)strlen(class), TK_ENC_UTF8};
    const char *kind = e->series ? tk_history_kind_name((enum tk_history_kind)e->series->kind) : "timer";
    const struct tk_str *name = e->series ? e->series->name : e->parent ? e->parent : &of_class;
    const bool of_kind =
        one->kind < 0 || strcmp(tk_change_kind_name((enum tk_change_kind)one->kind), kind) == 0;
    return of_kind && tk_acceptance_fits(one->name, name) &&
           tk_acceptance_fits(one->thread, e->series ? e->series->group : &none);
}

/* When the first run with the change was recorded; INT64_MAX: not known. */
static int64_t time_of(const struct tk_trend *t, const struct tk_trend_event *e)
{
    const struct tk_history_run *run = tk_history_run_of(t->history, e->night);
    char text[64];
    int64_t when;
    if (!run || !run->time->n || run->time->n >= sizeof text)
        return INT64_MAX;
    memcpy(text, run->time->p, run->time->n);
    text[run->time->n] = 0;
    return tk_when_read(text, &when) ? when : INT64_MAX;
}

static int accept_event(const struct tk_acceptance *one, struct tk_trend *t, struct tk_trend_event *e,
                        int64_t now)
{
    char text[TK_ACCEPTANCE_TEXT];
    e->accepted = tk_acceptance_holds(one, expm1(fabs(e->size)) * 100, now, text);
    const size_t n = strlen(text) + 1;
    char *copy = tk_arena_alloc(&t->arena, n);
    if (!copy)
        return -1;
    memcpy(copy, text, n);
    e->acceptance = copy;
    e->alarms = !e->accepted;
    return 0;
}

int tk_accepted_apply_trend(const struct tk_acceptances *a, struct tk_trend *t, int64_t now,
                            struct tk_err *err)
{
    t->worse = false;
    for (size_t i = 0; i < t->events.n; i++) {
        struct tk_trend_event *e = &t->events.v[i];
        for (size_t k = 0; k < a->v.n && e->alarms; k++)
            if (is_about(&a->v.v[k], e) && a->v.v[k].begin <= time_of(t, e) &&
                accept_event(&a->v.v[k], t, e, now))
                return tk_err_nomem(err, "the list of accepted regressions");
        t->worse |= e->alarms;
    }
    return TK_OK;
}
