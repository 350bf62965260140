/*
 * How comparisons, checks of budgets and trends ended: which row of the table of judge/outcomes.c it is.
 */
#include "compare/report/budget.h"
#include "compare/verdict/compare.h"
#include "judge/outcomes.h"
#include "tracekit/runs.h"
#include "tracekit/trends.h"
#include "trend/trend.h"

const struct tk_outcome *tk_comparison_outcome(const struct tk_comparison *c)
{
    return c ? &tk_outcomes[tk_comparison_ended(c)] : NULL;
}

/* ---- budgets ---- */

static enum tk_outcome_kind missing_of(const struct tk_budgets *b, size_t missing)
{
    for (size_t i = 0; i < b->v.n; i++)
        if (b->v.v[i].not_stored)
            return TK_OUTCOME_NOT_STORED;
    return missing == b->v.n ? TK_OUTCOME_UNCHECKED : TK_OUTCOME_MISSING;
}

const struct tk_outcome *tk_budgets_outcome(const struct tk_budgets *b)
{
    if (!b || !b->checked)
        return NULL;
    const size_t missing = tk_budgets_count(b, TK_BUDGET_MISSING);
    if (tk_sides_flawed(&b->sides))
        return &tk_outcomes[TK_OUTCOME_CRASHED];
    if (b->worst == TK_BUDGET_ERROR)
        return &tk_outcomes[TK_OUTCOME_EXCEEDED];
    if (b->v.n == 0)
        return &tk_outcomes[TK_OUTCOME_UNCHECKED];
    if (missing)
        return &tk_outcomes[missing_of(b, missing)];
    return &tk_outcomes[b->worst == TK_BUDGET_WARNING ? TK_OUTCOME_WARNING : TK_OUTCOME_MET];
}

/* ---- trends ---- */

const struct tk_outcome *tk_trend_outcome(const struct tk_trend *t)
{
    bool accepted = false;
    if (!t)
        return NULL;
    for (size_t i = 0; i < t->events.n; i++)
        accepted |= t->events.v[i].accepted;
    return &tk_outcomes[t->worse                        ? TK_OUTCOME_REGRESSED
                        : t->answer == TK_TREND_UNKNOWN ? TK_OUTCOME_NOT_KNOWN
                        : accepted                      ? TK_OUTCOME_ACCEPTED
                                                        : TK_OUTCOME_UNCHANGED];
}
