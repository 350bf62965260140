/*
 * Budgets for added cost: what timers take that a baseline does not have. budget.c calls it.
 */
#include "base/text/text.h"
#include "compare/report/budget.h"

static const struct tk_str *keep_added(struct tk_budgets *all, const struct tk_str *text)
{
    return text && text->n ? tk_intern(&all->names, text->p, text->n, (enum tk_encoding)text->enc) : NULL;
}

int tk_budget_check_added(struct tk_budgets *all, struct tk_budget *b, struct tk_base_run *run, size_t number,
                          struct tk_err *err)
{
    const struct tk_compare_setup setup = {.mixed = true, .allow_short = true};
    struct tk_base_run *runs[1] = {run};
    struct tk_baseline one = {.runs = {.v = runs, .n = 1}};
    struct tk_comparison c;
    double sum = 0, most = 0;
    const struct tk_str *where = NULL;
    if (!all->without || all->without->runs.n == 0)
        return tk_err_set(err, TK_EMATCH, "added cost needs runs to compare with (--baseline)");
    int rc = tk_comparison_make(&c, all->without, &one, NULL, &setup, err);
    for (size_t i = 0; rc == TK_OK && i < c.changes.n; i++) {
        const struct tk_change *x = &c.changes.v[i];
        if (x->kind != TK_CHANGE_TIMER || x->verdict != TK_ADDED || x->waits ||
            (b->thread && tk_str_order(b->thread, x->group) != 0))
            continue;
        sum += x->candidate;
        where = x->candidate > most ? x->group : where;
        most = x->candidate > most ? x->candidate : most;
    }
    if (rc == TK_OK && (!b->found || sum > b->value)) {
        b->found = true;
        b->value = sum;
        b->run = number;
        b->where = keep_added(all, where);
    }
    tk_comparison_release(&c);
    return rc;
}
