/*
 * Budgets for the cells of a level: the worst one counts. budget.c calls it.
 */
#include "compare/baseline/run_cells.h"
#include "compare/report/budget.h"
#include "judge/outcomes.h"

#include <stdio.h>

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
            : tk_err_set(err, TK_EMATCH, "there is no frame '%.*s'; there are max, and p50, p99.9 and so on",
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
