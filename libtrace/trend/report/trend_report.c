/*
 * What the reports of trends share.
 */
#include "trend/report/trend_report.h"

#include "base/sort.h"
#include "base/text/text.h"
#include "compare/verdict/probability.h"
#include "trend/report/report_in.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_with(struct tk_print *p, const char *before, const struct tk_str *s, tk_trend_put_name *put)
{
    struct tk_print text = {0};
    tk_print(&text, "%s", before);
    if (s)
        tk_print_bytes(&text, s->p, s->n);
    const struct tk_str whole = {.p = text.v, .n = (uint32_t)text.n, .enc = s ? s->enc : TK_ENC_UTF8};
    if (!text.failed)
        put(p, &whole);
    p->failed |= text.failed;
    free(text.v);
}

void tk_trend_report_id(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put)
{
    char class[16];
    snprintf(class, sizeof class, "*%s", tk_trend_class_name((enum tk_trend_class)e->class));
    if (e->kind == TK_TREND_MACHINE)
        put_with(p, "*", NULL, put);
    else if (e->series)
        put_with(p, "", e->series->id, put);
    else if (e->parent)
        put_with(p, "^", e->parent, put);
    else
        put_with(p, class, NULL, put);
}

void tk_trend_report_cause(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put)
{
    static const char *const words[TK_TREND_CAUSES] = {
        [TK_TREND_OWN] = "own",         [TK_TREND_SHARED] = "common",   [TK_TREND_FAMILY] = "family",
        [TK_TREND_MEMBER] = "family ^", [TK_TREND_SEVERAL] = "several", [TK_TREND_OTHER_MACHINE] = "machine",
    };
    put_with(p, words[e->cause], e->cause == TK_TREND_MEMBER ? e->parent : NULL, put);
}

bool tk_trend_report_interval(const struct tk_trend_event *e, double *low, double *high)
{
    if (!(e->se > 0) || !(e->nu > 0))
        return false;
    double reach = tk_probability_t_limit(0.05, e->nu) * e->se;
    *low = exp(e->size - reach);
    *high = exp(e->size + reach);
    return true;
}

/* ---- events of one night and cause, gathered ---- */

/* Events of which sort go together: 0 for those that stand alone. */
static int sort_of(const struct tk_trend_event *e)
{
    if (e->kind != TK_TREND_STEP)
        return 0;
    switch (e->cause) {
    case TK_TREND_SHARED:
        return 1;
    case TK_TREND_FAMILY:
    case TK_TREND_MEMBER:
        return 2;
    case TK_TREND_SEVERAL:
        return 3;
    default:
        return 0;
    }
}

static int together(const struct tk_trend_event *a, const struct tk_trend_event *b)
{
    int sa = sort_of(a), sb = sort_of(b);
    if (a->night != b->night)
        return a->night > b->night ? -1 : 1;
    if (sa != sb)
        return sa < sb ? -1 : 1;
    if (sa == 1 && a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return sa == 2 ? tk_str_order(a->parent, b->parent) : 0;
}

/* The head first: what is of no series; then what alarms, and the largest. */
static int by_group(const void *x, const void *y)
{
    const struct tk_trend_event *a = *(const struct tk_trend_event *const *)x,
                                *b = *(const struct tk_trend_event *const *)y;
    int order = together(a, b);
    if (order)
        return order;
    if (!a->series != !b->series)
        return a->series ? 1 : -1;
    if (a->alarms != b->alarms)
        return a->alarms ? -1 : 1;
    double sa = fabs(a->size), sb = fabs(b->size);
    return (sa < sb) - (sa > sb);
}

static enum tk_trend_section section_of(const struct tk_trend_event *const *v, size_t n)
{
    static const uint8_t sections[TK_TREND_KINDS] = {[TK_TREND_STEP] = TK_TREND_CHANGED,
                                                     [TK_TREND_DRIFT] = TK_TREND_DRIFTS,
                                                     [TK_TREND_MACHINE] = TK_TREND_MACHINES,
                                                     [TK_TREND_PROBABLE] = TK_TREND_SUSPECTS,
                                                     [TK_TREND_SUSPECT] = TK_TREND_SUSPECTS};
    for (size_t i = 0; i < n; i++)
        if (v[i]->alarms)
            return TK_TREND_REGRESSED;
    for (size_t i = 0; i < n; i++)
        if (v[i]->known)
            return TK_TREND_OPEN;
    return (enum tk_trend_section)sections[v[0]->kind];
}

static int by_section(const void *a, const void *b)
{
    const struct tk_trend_group *x = a, *y = b;
    return (x->section > y->section) - (x->section < y->section);
}

static int gather(struct tk_trend_groups *g, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && sort_of(g->order[i]) && together(g->order[i], g->order[end]) == 0;)
            end++;
        const struct tk_trend_group group = {g->order[i], g->order + i + 1, end - i - 1,
                                             (uint8_t)section_of(g->order + i, end - i), true};
        if (tk_vec_push(&g->v, group))
            return -1;
    }
    if (tk_sort(g->v.v, g->v.n, sizeof *g->v.v, by_section))
        return -1;
    for (size_t i = 0; i < g->v.n; i++)
        for (size_t k = 0; k < i && g->v.v[i].first; k++)
            g->v.v[i].first = g->v.v[k].head->night != g->v.v[i].head->night;
    return 0;
}

int tk_trend_groups_make(struct tk_trend_groups *g, const struct tk_trend *t)
{
    *g = (struct tk_trend_groups){.order = malloc((t->events.n + 1) * sizeof *g->order)};
    if (!g->order)
        return -1;
    for (size_t i = 0; i < t->events.n; i++)
        g->order[i] = &t->events.v[i];
    return tk_sort(g->order, t->events.n, sizeof *g->order, by_group) ? -1 : gather(g, t->events.n);
}

void tk_trend_groups_release(struct tk_trend_groups *g)
{
    free(g->order);
    tk_vec_release(&g->v);
}

size_t tk_trend_groups_count(const struct tk_trend_groups *g, enum tk_trend_section section)
{
    size_t n = 0;
    for (size_t i = 0; i < g->v.n; i++)
        n += g->v.v[i].section == section;
    return n;
}
