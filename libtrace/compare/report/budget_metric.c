/*
 * Budgets for metrics of the user, and for the cells of a level, the worst of which counts. budget.c calls
 * it.
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

/* ---- cells ---- */

static bool is_name_budget_metric(const struct tk_str *s, const char *name)
{
    return s->n == strlen(name) && memcmp(s->p, name, s->n) == 0;
}

bool tk_budget_share(const struct tk_str *name, unsigned *share, unsigned *of)
{
    bool point = false;
    *share = *of = 1;
    if (is_name_budget_metric(name, "max"))
        return true;
    if (name->n < 2 || name->n > 9 || name->p[0] != 'p' || name->p[name->n - 1] == '.')
        return false;
    *share = 0;
    *of = 100;
    for (uint32_t i = 1; i < name->n; i++) {
        char c = name->p[i];
        if (c == '.' && !point && i > 1) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            return false;
        *share = *share * 10 + (unsigned)(c - '0');
        *of *= point ? 10 : 1;
    }
    return *share > 0 && *share < *of;
}

/* The longest frame of a cell is where it is the worst. */
static int take_cell(struct tk_budgets *all, struct tk_budget *b, const struct tk_base_run *run,
                     const struct tk_run_cell_frame *cell, size_t n)
{
    char name[TK_RUN_CELL_NAME], text[TK_RUN_CELL_NAME + 8];
    const uint32_t worst = cell[n - 1].frame;
    tk_run_cell_name(name, cell, false);
    snprintf(text, sizeof text, "cell %s", name);
    b->found = b->has_frames = true;
    b->first_frame = b->last_frame = run->numbers ? run->numbers[worst] : worst;
    b->ms = tk_base_run_begin(run, worst);
    b->where = tk_intern_c(&all->names, text);
    return b->where ? 0 : -1;
}

/* Cells with few frames are no part of it; `few` counts them. */
static int check_run_cells(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                           size_t r, size_t *few, struct tk_err *err)
{
    const struct tk_base_run *run = runs->runs.v[r];
    struct tk_run_cells cells;
    unsigned share, of;
    int rc =
        tk_budget_share(b->name, &share, &of)
            ? tk_run_cells_make(&cells, run, b->cell, false, err)
            : tk_err_set(err, TK_EUSAGE, "there is no frame '%.*s'; there are max, and p50, p99.9 and so on",
                         (int)b->name->n, b->name->p);
    if (rc < 0)
        cells = (struct tk_run_cells){0};
    for (size_t i = 0, n; rc == TK_OK && (n = tk_run_cells_count(&cells, i)) > 0; i += n) {
        const struct tk_run_cell_frame *cell = &cells.v.v[i];
        const double value = tk_run_cell_ms(run, cell, tk_sketch_rank(n, share, of));
        *few += cell->known && n < TK_FEW_FRAMES;
        if (!cell->known || n < TK_FEW_FRAMES || (b->found && value <= b->value))
            continue;
        b->value = value;
        b->run = r;
        if (take_cell(all, b, run, cell, n))
            rc = tk_err_nomem(err, "budgets");
    }
    tk_run_cells_release(&cells);
    return rc;
}

int tk_budget_check_cells(struct tk_budgets *all, struct tk_budget *b, const struct tk_baseline *runs,
                          struct tk_err *err)
{
    size_t few = 0;
    int rc = TK_OK;
    b->unit = "ms";
    for (size_t r = 0; r < runs->runs.n && rc == TK_OK; r++)
        rc = check_run_cells(all, b, runs, r, &few, err);
    if (rc < 0)
        b->found = false;
    if (rc < 0 || b->found)
        return rc;
    if (few)
        return tk_outcome_fail(err, TK_OUTCOME_NOT_STORED,
                               "no cell of the level has %d frames or more; give cells longer sides",
                               TK_FEW_FRAMES);
    return tk_outcome_fail(err, TK_OUTCOME_NOT_STORED,
                           "no frame has a position: none comes within a second of one");
}
