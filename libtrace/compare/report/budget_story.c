/*
 * What a reader of a check of budgets hears first, what each budget measures, and which of them are listed:
 * those that are exceeded, close to their limit, or missing.
 */
#include "compare/report/budget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE  0.9 /* of a limit */
#define DIGITS 4   /* of a value in a sentence */

const char *tk_budget_measures(const struct tk_budget *b)
{
    static const char *const measures[TK_CHANGE_KINDS] = {
        [TK_CHANGE_FRAME] = "time of frames",
        [TK_CHANGE_HITCH] = "hitches a minute",
        [TK_CHANGE_THREAD] = "time of the thread that is no wait",
        [TK_CHANGE_TIMER] = "exclusive time",
        [TK_CHANGE_GPU] = "exclusive time on the GPU",
        [TK_CHANGE_COUNTER] = "mean",
        [TK_CHANGE_MEMORY] = "most at a time",
        [TK_CHANGE_LOG] = "errors in the log",
        [TK_CHANGE_LOADING] = "exclusive time of the run",
        [TK_CHANGE_ADDED] = "exclusive time of timers that the baseline has not",
        [TK_CHANGE_SMOOTHNESS] = "of the run",
        [TK_CHANGE_METRIC] = "of the run",
    };
    if (b->increase)
        return "increase a frame";
    return b->rises ? "mean of a counter that only rises: it says how long the run is, and the kind "
                      "'increase' is of "
                      "its increase a frame"
                    : measures[b->kind];
}

/* How much of the limit is used; NaN: it has no such share. */
static double use_of(const struct tk_budget *b)
{
    const double limit = tk_budget_limit(b);
    if (!(limit > 0) || !(b->value >= 0))
        return NAN;
    return b->least ? limit / b->value : b->value / limit;
}

bool tk_budget_is_listed(const struct tk_budget *b)
{
    return b->level != TK_BUDGET_PASSED || (isnan(b->warning) && use_of(b) >= CLOSE);
}

static size_t count_close(const struct tk_budgets *all)
{
    size_t n = 0;
    for (size_t i = 0; i < all->v.n; i++)
        n += all->v.v[i].level == TK_BUDGET_PASSED && tk_budget_is_listed(&all->v.v[i]);
    return n;
}

const struct tk_budget *tk_budgets_next(const struct tk_budgets *all, bool listed, size_t *at)
{
    const size_t n = all->v.n, levels = TK_BUDGET_ERROR + 1;
    while (*at < n * levels) {
        const struct tk_budget *b = &all->v.v[*at % n];
        const size_t level = TK_BUDGET_ERROR - *at / n;
        ++*at;
        if (b->level == level && tk_budget_is_listed(b) == listed)
            return b;
    }
    return NULL;
}

const char tk_budgets_words[] =
    "Values are of the worst run. Exclusive time: without what a timer calls. "
    "Warning and error: the limits of "
    "the budget file; close: 90 % of an error or more, where there is no warning.";

void tk_budget_value(struct tk_print *p, const struct tk_budget *b)
{
    tk_print_real(p, b->value, 5);
    tk_print(p, " of ");
    tk_print_real(p, tk_budget_limit(b), 5);
    tk_print(p, "%s%s", *b->unit ? " " : "", b->unit);
}

void tk_budget_use(struct tk_print *p, const struct tk_budget *b)
{
    const double use = use_of(b);
    if (isnan(use))
        return;
    tk_print_fixed(p, use * 100, 0);
    tk_print(p, " %%");
}

/* "0.586 ms", "2 /min" */
static void put_value(struct tk_print *p, const struct tk_budget *b, double v)
{
    tk_report_rounded(p, v, b->unit, DIGITS);
}

static const char *per_of(const struct tk_budget *b)
{
    return strcmp(b->unit, "ms/frame") == 0        ? " a frame"
           : strcmp(b->unit, "ms/run") == 0        ? " a run"
           : strcmp(b->unit, "ms/occurrence") == 0 ? " an occurrence"
                                                   : "";
}

void tk_budget_name(struct tk_print *p, const struct tk_budget *b, tk_print_put *put)
{
    put(p, b->name);
    if (b->cell > 0)
        tk_print(p, " by cell of %.9g", b->cell);
    if (!b->now)
        return;
    tk_print(p, " (now ");
    put(p, b->now);
    tk_print(p, ")");
}

static void put_subject(struct tk_print *p, const struct tk_budget *b)
{
    if (b->kind == TK_CHANGE_HITCH) {
        tk_print(p, "Hitches");
        return;
    }
    tk_print(p, "%s", b->kind == TK_CHANGE_FRAME ? "Frames at " : "");
    tk_budget_name(p, b, tk_print_name);
}

void tk_budget_sentence(struct tk_print *p, const struct tk_budget *b)
{
    const double limit = tk_budget_limit(b), more = fabs(b->value / limit - 1) * 100;
    put_subject(p, b);
    if (b->why) {
        tk_print(p, " cannot be checked: %s", b->why);
        return;
    }
    tk_print(p, " %s %s: ", b->kind <= TK_CHANGE_HITCH ? "are" : "is",
             b->level == TK_BUDGET_ERROR     ? "over budget"
             : b->level == TK_BUDGET_WARNING ? "over the warning"
                                             : "within budget");
    put_value(p, b, b->value);
    tk_print(p, "%s of ", per_of(b));
    put_value(p, b, limit);
    tk_print(p, " (%s)", tk_budget_measures(b));
    if (b->level >= TK_BUDGET_WARNING && isfinite(more)) {
        tk_print(p, ", ");
        tk_print_fixed(p, more, more < 10);
        tk_print(p, " %% too %s", b->least ? "little" : "much");
    }
    if (b->where && !tk_change_is_of_frames(b->kind) && b->kind != TK_CHANGE_THREAD) {
        tk_print(p, ", on ");
        tk_print_name(p, b->where);
    }
    if (b->region)
        tk_print(p, ", in region %s", b->region);
}

/* What exceeds its limit by most, of a level. */
static const struct tk_budget *worst_of(const struct tk_budgets *all, enum tk_budget_level level)
{
    const struct tk_budget *found = NULL;
    for (size_t i = 0; i < all->v.n; i++) {
        const struct tk_budget *b = &all->v.v[i];
        if (b->level == level && (!found || use_of(b) > use_of(found)))
            found = b;
    }
    return found;
}

void tk_budgets_counts(struct tk_print *p, const struct tk_budgets *all)
{
    const size_t close = count_close(all), missing = tk_budgets_count(all, TK_BUDGET_MISSING),
                 warning = tk_budgets_count(all, TK_BUDGET_WARNING);
    if (tk_budgets_count(all, TK_BUDGET_PASSED) == all->v.n)
        tk_print(p, "All %zu budgets are met", all->v.n);
    else
        tk_print(p, "%zu of %zu budgets exceeded", tk_budgets_count(all, TK_BUDGET_ERROR), all->v.n);
    if (warning)
        tk_print(p, ", %zu over the warning", warning);
    if (missing)
        tk_print(p, ", %zu that cannot be checked", missing);
    if (close)
        tk_print(p, ", %zu close (90 %% or more)", close);
}

static void put_counts(struct tk_print *p, const struct tk_budgets *all)
{
    tk_budgets_counts(p, all);
    tk_report_faults_summary(p, &all->faults, "; ");
    tk_print(p, ".");
}

void tk_budgets_lead(struct tk_print *p, const struct tk_budgets *all)
{
    static const uint8_t levels[] = {TK_BUDGET_ERROR, TK_BUDGET_WARNING, TK_BUDGET_MISSING};
    const struct tk_budget *worst = NULL;
    if (tk_sides_flawed(&all->sides)) {
        tk_print(p, "Nothing can be said: ");
        tk_report_flawed_run(p, &all->sides, 0);
        tk_print(p, ".");
        return;
    }
    for (size_t i = 0; i < sizeof levels && !worst; i++)
        worst = worst_of(all, (enum tk_budget_level)levels[i]);
    if (worst) {
        tk_budget_sentence(p, worst);
        tk_print(p, ". ");
    }
    put_counts(p, all);
}

void tk_budgets_todo(struct tk_print *p, const struct tk_budgets *all)
{
    const struct tk_budget *worst = worst_of(all, TK_BUDGET_ERROR);
    tk_print(p, "To do: ");
    if (tk_sides_flawed(&all->sides))
        tk_print(p, "record it again; --allow-short checks it all the same");
    else if (worst && worst->has_frames)
        tk_print(
            p, "look at the worst frame (trace-stats RUN --frames %llu), or raise the limit if this is meant",
            (unsigned long long)worst->first_frame);
    else if (worst)
        tk_print(p, "look at what is over its limit, or raise the limit if this is meant");
    else if (tk_budgets_count(all, TK_BUDGET_MISSING))
        tk_print(
            p, "correct the names in the budget file, or give --baseline to find timers by their old names");
    else
        tk_print(p, "nothing");
    tk_print(p, ".");
}
