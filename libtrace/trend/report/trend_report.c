/*
 * What the reports of trends share.
 */
#include "trend/report/trend_report.h"

#include "compare/verdict/probability.h"

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
