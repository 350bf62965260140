/*
 * Stores where the frames of a run were, and sorts them into cells.
 */
#include "compare/baseline/run_cells.h"

#include "base/sort.h"
#include "judge/outcomes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPS    1000 /* at least, along the longest side of a level */
#define FARTHEST 9e15 /* steps, which a double has exactly */
#define NEARLY   1e-9 /* of a whole number, as a part */

static int64_t steps_of(double at, double step)
{
    const double q = floor(at / step);
    return q < -FARTHEST ? (int64_t)-FARTHEST : q > FARTHEST ? (int64_t)FARTHEST : (int64_t)q;
}

/* The longest side of what the places lie in. */
static double extent_of(const struct tk_run_place *places, size_t n)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            low = places[i].at[k] < low ? places[i].at[k] : low;
            high = places[i].at[k] > high ? places[i].at[k] : high;
        }
        most = high - low > most ? high - low : most;
    }
    return most;
}

/* A power of ten. */
static double step_of(double extent)
{
    double step = 1e-3;
    while (step * STEPS * 10 <= extent && step < 1e12)
        step *= 10;
    return step;
}

int tk_base_run_place(struct tk_base_run *run, const struct tk_run_place *places, const char *source)
{
    run->places.n = 0;
    run->step = step_of(extent_of(places, run->frames.n));
    run->place_source = tk_intern_c(&run->names, source);
    if (!run->place_source || tk_vec_reserve(&run->places, run->frames.n + 1))
        return -1;
    for (size_t i = 0; i < run->frames.n; i++) {
        const double *at = places[i].at;
        struct tk_run_step *to = &run->places.v[run->places.n++];
        *to = (struct tk_run_step){.known = isfinite(at[0]) && isfinite(at[1])};
        for (int k = 0; k < 3 && to->known; k++)
            to->at[k] = isfinite(at[k]) ? steps_of(at[k], run->step) : 0;
    }
    return 0;
}

/* ---- cells ---- */

/* Steps along the side of a cell; 0: that is no whole number. */
static int64_t steps_along(const struct tk_base_run *run, double side)
{
    const double n = side / run->step, whole = round(n);
    return whole >= 1 && whole < FARTHEST && fabs(n - whole) <= NEARLY * whole ? (int64_t)whole : 0;
}

static int64_t floor_of_run_cells(int64_t at, int64_t steps)
{
    const int64_t q = at / steps;
    return q - (at % steps < 0);
}

int tk_run_cells_order(const struct tk_run_cell_frame *a, const struct tk_run_cell_frame *b)
{
    int order = b->known - a->known;
    for (int k = 0; k < 3 && order == 0; k++)
        order = (a->at[k] > b->at[k]) - (a->at[k] < b->at[k]);
    return order;
}

static int by_cell(const void *one, const void *two)
{
    const struct tk_run_cell_frame *a = one, *b = two;
    const int order = tk_run_cells_order(a, b);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

int tk_run_cells_make(struct tk_run_cells *cells, const struct tk_base_run *run, double side, bool z,
                      struct tk_err *err)
{
    *cells = (struct tk_run_cells){0};
    if (run->places.n == 0 || run->places.n != run->frames.n)
        return tk_outcome_fail(err, TK_OUTCOME_NOT_STORED,
                               "a run stores no positions: none was recorded, or the baseline was written "
                               "without them (--position names what has them)");
    const int64_t steps = steps_along(run, side);
    if (!steps)
        return tk_err_set(err, TK_EMATCH,
                          "a run stores positions in steps of %.9g: the side of a cell has to be a whole "
                          "number of these, not %.9g",
                          run->step, side);
    if (tk_vec_reserve(&cells->v, run->frames.n + 1))
        return tk_err_nomem(err, "cells");
    for (size_t i = 0; i < run->frames.n; i++) {
        const struct tk_run_step *place = &run->places.v[i];
        struct tk_run_cell_frame *frame = &cells->v.v[cells->v.n++];
        *frame = (struct tk_run_cell_frame){
            .known = place->known, .frame = (uint32_t)i, .length = run->frames.v[i]};
        for (int k = 0; k < 2 + z && place->known; k++)
            frame->at[k] = floor_of_run_cells(place->at[k], steps);
    }
    return tk_sort(cells->v.v, cells->v.n, sizeof *cells->v.v, by_cell) ? tk_err_nomem(err, "cells") : TK_OK;
}

void tk_run_cells_release(struct tk_run_cells *cells)
{
    tk_vec_release(&cells->v);
}

size_t tk_run_cells_count(const struct tk_run_cells *cells, size_t first)
{
    size_t end = first;
    while (end < cells->v.n && tk_run_cells_order(&cells->v.v[first], &cells->v.v[end]) == 0)
        end++;
    return end - first;
}

void tk_run_cell_name(char name[TK_RUN_CELL_NAME], const struct tk_run_cell_frame *cell, bool z)
{
    int n = snprintf(name, TK_RUN_CELL_NAME, "%lld,%lld", (long long)cell->at[0], (long long)cell->at[1]);
    if (z && n > 0)
        snprintf(name + n, TK_RUN_CELL_NAME - (size_t)n, ",%lld", (long long)cell->at[2]);
}

double tk_run_cell_ms(const struct tk_base_run *run, const struct tk_run_cell_frame *cell, size_t rank)
{
    return tk_base_ms(run, (double)cell[rank - 1].length);
}
