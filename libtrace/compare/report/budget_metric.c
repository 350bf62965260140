/*
 * Budgets for metrics of the user. budget.c calls it.
 */
#include "base/text/glob.h"
#include "base/text/text.h"
#include "compare/report/budget.h"
#include "judge/metric_words.h"
#include "judge/outcomes.h"

#include <stdio.h>
#include <string.h>

static const struct tk_base_metric *metric_of(const struct tk_base_run *run, const struct tk_str *name)
{
    for (size_t i = 0; i < run->metrics.n; i++)
        if (tk_str_order(run->metrics.v[i].name, name) == 0)
            return &run->metrics.v[i];
    return NULL;
}

/* With a NUL, for as long as the budgets. */
static const char *text_of(struct tk_budgets *all, const struct tk_str *s)
{
    char *copy = tk_arena_bytes(&all->arena, s->n + UINT32_C(1));
    if (copy) {
        memcpy(copy, s->p, s->n);
        copy[s->n] = '\0';
    }
    return copy;
}

/* The worst value of all runs; which way is worse is up to the metric. */
static int take_metric(struct tk_budgets *all, struct tk_budget *b, const struct tk_base_metric *metric,
                       size_t run, struct tk_err *err)
{
    if (metric->better == TK_METRIC_NEITHER)
        return tk_err_set(err, TK_EUSAGE, "nothing is better of the metric '%.*s', so that it has no budget",
                          (int)metric->name->n, metric->name->p);
    b->least = metric->better == TK_METRIC_MORE;
    if (!metric->measured || (b->found && (b->least ? metric->value >= b->value : metric->value <= b->value)))
        return TK_OK;
    b->found = true;
    b->value = metric->value;
    b->run = run;
    b->unit = text_of(all, metric->unit);
    return b->unit ? TK_OK : tk_err_nomem(err, "budgets");
}

static int fail_without(const struct tk_budget *b, const struct tk_baseline *runs, bool known,
                        struct tk_err *err)
{
    struct tk_nearest_search near;
    char wanted[128];
    size_t n = 0;
    snprintf(wanted, sizeof wanted, "%.*s", (int)(b->name->n < 120 ? b->name->n : 120), b->name->p);
    tk_nearest_begin(&near, wanted);
    for (size_t r = 0; r < runs->runs.n; r++)
        for (size_t i = 0; i < runs->runs.v[r]->metrics.n; i++, n++)
            tk_nearest_offer(&near, runs->runs.v[r]->metrics.v[i].name->p,
                             runs->runs.v[r]->metrics.v[i].name->n);
    if (known)
        return tk_outcome_fail(err, TK_OUTCOME_NOT_STORED, "no run gives the metric '%s' a value", wanted);
    if (!n)
        return tk_outcome_fail(err, TK_OUTCOME_NOT_STORED,
                               "there is no metric '%s': the runs have no metric at all (--metric FILE)",
                               wanted);
    return tk_nearest_fail(&near, "metric", n, err);
}

int tk_budget_check_metric(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                           struct tk_err *err)
{
    bool known = false;
    int rc = TK_OK;
    for (size_t r = 0; r < runs->runs.n && rc == TK_OK; r++) {
        const struct tk_base_metric *metric = metric_of(runs->runs.v[r], b->name);
        known |= metric != NULL;
        if (metric)
            rc = take_metric(all, b, metric, r, err);
    }
    return rc == TK_OK && !b->found ? fail_without(b, runs, known, err) : rc;
}
