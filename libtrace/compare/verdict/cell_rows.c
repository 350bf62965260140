/*
 * Rows of cells: the 95th percentile of the frames of each run in each cell of the level. One value a run, as
 * metrics of the user are.
 */
#include "base/sort.h"
#include "compare/baseline/baseline.h"
#include "compare/verdict/matrix.h"
#include "judge/metric_words.h"
#include "judge/smoothness.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CELLS = 10000 };

#define LEAST_MS 0.1 /* of a change */

/* A cell that a run has frames in. */
struct seen {
    struct tk_run_cell_frame cell;
    size_t row;      /* SIZE_MAX: no run has frames enough */
    bool of_side[3]; /* a run of the side has */
};

struct making {
    struct tk_matrix *m;
    struct tk_base_metric *metric; /* how all of them are judged */
    TK_VEC(struct seen) seen;      /* in order */
};

/* Where the cell is among those seen, made where it is not. NULL if out of memory. */
static struct seen *find_seen(struct making *k, const struct tk_run_cell_frame *cell)
{
    size_t at;
    TK_SEARCH(at, k->seen.n, tk_run_cells_order(&k->seen.v[at].cell, cell) < 0);
    if (at < k->seen.n && tk_run_cells_order(&k->seen.v[at].cell, cell) == 0)
        return &k->seen.v[at];
    const struct seen one = {.cell = *cell, .row = SIZE_MAX};
    if (tk_vec_push(&k->seen, one))
        return NULL;
    memmove(&k->seen.v[at + 1], &k->seen.v[at], (k->seen.n - 1 - at) * sizeof *k->seen.v);
    k->seen.v[at] = one;
    return &k->seen.v[at];
}

/* The row of a cell in a run, made by the first that has it. 0, or -1 if out of memory. */
static int add_value(struct making *k, struct seen *seen, size_t run, double ms)
{
    struct tk_matrix *m = k->m;
    char name[TK_RUN_CELL_NAME];
    tk_run_cell_name(name, &seen->cell, m->out->setup.cell_z);
    const struct tk_series like = {.name = tk_intern_c(&m->out->names, name),
                                   .group = tk_intern_c(&m->out->names, "")};
    struct tk_series *s = like.name && like.group ? tk_matrix_made(m, run, TK_SERIES_CELL, &like) : NULL;
    if (!s)
        return -1;
    if (seen->row == SIZE_MAX) {
        struct tk_row *row = tk_matrix_row(m, s);
        if (!row)
            return -1;
        row->metric = k->metric;
        seen->row = m->rows.n - 1;
    }
    s->last = ms;
    m->rows.v[seen->row].of[run] = s;
    seen->of_side[m->side[run]] = true;
    return 0;
}

static void drop_warmup_cell_rows(const struct making *k, size_t run, struct tk_run_cells *cells)
{
    const uint32_t first = k->m->runs[run]->starts[k->m->skip[run]];
    size_t n = 0;
    for (size_t i = 0; i < cells->v.n; i++)
        if (cells->v.v[i].frame >= first)
            cells->v.v[n++] = cells->v.v[i];
    cells->v.n = n;
}

static int add_cells(struct making *k, size_t run, const struct tk_run_cells *cells, struct tk_err *err)
{
    int rc = 0;
    for (size_t i = 0, n; (n = tk_run_cells_count(cells, i)) > 0 && rc == 0; i += n) {
        const struct tk_run_cell_frame *cell = &cells->v.v[i];
        if (!cell->known)
            break;
        struct seen *seen = find_seen(k, cell);
        if (!seen)
            rc = -1;
        else if (n >= TK_FEW_FRAMES)
            rc = add_value(k, seen, run, tk_run_cell_ms(k->m->runs[run], cell, tk_sketch_rank(n, 95, 100)));
        if (k->seen.n > MOST_CELLS)
            return tk_err_set(err, TK_EMATCH, "there are more than %d cells: give them longer sides",
                              MOST_CELLS);
    }
    return rc ? tk_err_nomem(err, "cells") : TK_OK;
}

static int add_run(struct making *k, size_t run, struct tk_err *err)
{
    const struct tk_compare_setup *setup = &k->m->out->setup;
    struct tk_run_cells cells;
    int rc = tk_run_cells_make(&cells, k->m->runs[run], setup->cell, setup->cell_z, err);
    if (rc == TK_OK) {
        drop_warmup_cell_rows(k, run, &cells);
        rc = add_cells(k, run, &cells, err);
    }
    tk_run_cells_release(&cells);
    return rc;
}

/* What is not compared is said. */
static int note_few(const struct making *k)
{
    char text[160];
    size_t few = 0;
    for (size_t i = 0; i < k->seen.n; i++)
        few += !k->seen.v[i].of_side[TK_SIDE_BASE] || !k->seen.v[i].of_side[TK_SIDE_CANDIDATE];
    if (!few)
        return 0;
    snprintf(text, sizeof text,
             "%zu of %zu cells of the level are not compared: a side has fewer than %d frames in them", few,
             k->seen.n, TK_FEW_FRAMES);
    return tk_sides_note(&k->m->out->sides, text);
}

int tk_matrix_make_cells(struct tk_matrix *m, struct tk_err *err)
{
    struct making k = {.m = m};
    int rc = TK_OK;
    if (!(m->out->setup.cell > 0))
        return TK_OK;
    k.metric = tk_arena_alloc(&m->arena, sizeof *k.metric);
    if (!k.metric)
        return tk_err_nomem(err, "cells");
    *k.metric = (struct tk_base_metric){
        .better = TK_METRIC_LESS, .floor = LEAST_MS, .floor_ratio = m->out->setup.floor_ratio};
    for (size_t r = 0; r < m->n_runs && rc == TK_OK; r++)
        rc = add_run(&k, r, err);
    if (rc == TK_OK && note_few(&k))
        rc = tk_err_nomem(err, "cells");
    tk_vec_release(&k.seen);
    return rc;
}
