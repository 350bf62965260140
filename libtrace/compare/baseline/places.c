/*
 * Places of timers: what a timer has at each place of the sources where it has several, and timers that files
 * of before have by place, which become one. Places of frames in the level.
 */
#include "base/sort.h"
#include "base/text/text.h"
#include "base/wrap.h"
#include "compare/baseline/baseline_in.h"
#include "compare/baseline/block_walk.h"
#include "judge/outcomes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a name; what has more is with the last one. */
#define MOST_PLACES 1024u

static int by_place(const void *a, const void *b)
{
    const struct tk_series *x = *(struct tk_series *const *)a, *y = *(struct tk_series *const *)b;
    const int c = tk_str_order(x->file, y->file);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

/* A place without anything, which is the last one of the series. NULL if out of memory. */
static struct tk_series *add_place(struct tk_base_run *run, struct tk_series *s, const struct tk_str *file,
                                   uint32_t line)
{
    struct tk_series *place = tk_arena_alloc(&run->series_space, sizeof *place);
    const uint32_t n = s->n_places;
    if (!(n & (n + 1))) { /* as many as before and one more: a power of two less one is full */
        struct tk_series **places = realloc(s->places, ((size_t)n * 2 + 1) * sizeof *places);
        if (!places)
            return NULL;
        s->places = places;
    }
    if (!place)
        return NULL;
    *place = (struct tk_series){.kind = s->kind,
                                .timer_kind = s->timer_kind,
                                .name = s->name,
                                .group = s->group,
                                .file = file,
                                .line = line};
    s->places[s->n_places++] = place;
    return place;
}

/* The series becomes one of several places. */
static int split_series(struct tk_base_run *run, struct tk_series *s)
{
    struct tk_series *first = add_place(run, s, s->file, s->line);
    if (!first)
        return -1;
    first->count = s->count;
    first->own = s->own;
    if (!s->blocks) {
        first->packed_blocks = s->packed_blocks;
        first->packed_blocks_size = s->packed_blocks_size;
        first->packed_sum = s->packed_sum;
        return 0;
    }
    if (tk_base_run_unpack(run, first))
        return -1;
    memcpy(first->blocks, s->blocks, run->n_blocks * sizeof *s->blocks);
    return 0;
}

struct tk_series *tk_series_place(struct tk_base_run *run, struct tk_series *s, const struct tk_str *file,
                                  uint32_t line)
{
    const struct tk_series want = {.file = file, .line = line}, *wanted = &want;
    for (size_t i = 0; i < s->n_places; i++)
        if (by_place(&s->places[i], &wanted) == 0)
            return s->places[i];
    if (!s->n_places && by_place(&s, &wanted) == 0)
        return s;
    if (s->n_places >= MOST_PLACES) /* there is no name that often but in files that nobody wrote */
        return s->places[s->n_places - 1];
    if (!s->n_places && split_series(run, s))
        return NULL;
    struct tk_series *place = add_place(run, s, file, line);
    return place && tk_base_run_unpack(run, place) == 0 ? place : NULL;
}

void tk_series_settle_places(struct tk_series *s)
{
    const struct tk_series *most = NULL;
    if (!s->n_places)
        return;
    qsort(s->places, s->n_places, sizeof *s->places, by_place);
    for (size_t i = 0; i < s->n_places; i++)
        if (!most || s->places[i]->own > most->own)
            most = s->places[i];
    s->file = most->file;
    s->line = most->line;
}

/* ---- timers by place ---- */

static int add_blocks(struct tk_base_run *run, struct tk_series *to, const struct tk_series *s)
{
    if (tk_base_run_unpack(run, to))
        return -1;
    tk_block_add(s, run->n_blocks, to->blocks);
    return 0;
}

static int merge_places(struct tk_base_run *run, struct tk_series *to, const struct tk_series *s)
{
    for (size_t i = 0; i < tk_series_n_places(s); i++) {
        const struct tk_series *from = tk_series_place_at(s, i);
        struct tk_series *place = tk_series_place(run, to, from->file, from->line);
        if (!place)
            return -1;
        if (place == to) /* the same place: there is nothing to keep apart */
            continue;
        place->count += from->count;
        place->own = tk_wrap_add(place->own, from->own);
        if (add_blocks(run, place, from))
            return -1;
    }
    return 0;
}

static int merge_parts(struct tk_series *to, const struct tk_series *s)
{
    if (s->parts && !to->parts && !(to->parts = calloc(TK_CALL_PATH_SUMS, sizeof *to->parts)))
        return -1;
    for (size_t i = 0; s->parts && i < TK_CALL_PATH_SUMS; i++) {
        to->parts[i].count += s->parts[i].count;
        to->parts[i].total += s->parts[i].total;
    }
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Few calls, one by one. */
static int merge_exact(struct tk_series *to, const struct tk_series *s)
{
    uint64_t buffer[2][TK_SERIES_EXACT], *all = calloc(TK_SERIES_EXACT, sizeof *all);
    const uint64_t *x = tk_series_exact(to, buffer[0]), *y = tk_series_exact(s, buffer[1]);
    if (!all)
        return -1;
    for (uint64_t i = 0; i < to->count; i++)
        all[i] = x[i];
    for (uint64_t i = 0; i < s->count; i++)
        all[to->count + i] = y[i];
    qsort(all, (size_t)(to->count + s->count), sizeof *all, by_size);
    tk_series_forget_calls(to);
    to->exact = all;
    return 0;
}

static int add_to_sketch(struct tk_sketch *all, const struct tk_series *s)
{
    struct tk_call_walk walk = tk_call_walk_of(s);
    uint32_t bucket;
    uint64_t n;
    while (tk_call_walk_next(&walk, &bucket, &n))
        if (tk_sketch_add_n(all, bucket, n))
            return -1;
    return 0;
}

/* The lengths of the calls of both. */
static int merge_calls(struct tk_series *to, const struct tk_series *s)
{
    struct tk_sketch all;
    if ((to->count && !tk_series_says_calls(to)) || (s->count && !tk_series_says_calls(s))) {
        tk_series_forget_calls(to);
        return 0;
    }
    if (to->count <= TK_SERIES_EXACT && s->count <= TK_SERIES_EXACT - to->count)
        return merge_exact(to, s);
    tk_sketch_init(&all, TK_SKETCH_CALLS);
    if (add_to_sketch(&all, to) || add_to_sketch(&all, s)) {
        tk_sketch_release(&all);
        return -1;
    }
    tk_series_forget_calls(to);
    to->sketch = all;
    return 0;
}

int tk_series_merge_timer(struct tk_base_run *run, struct tk_series *to, struct tk_series *s)
{
    if (merge_places(run, to, s) || add_blocks(run, to, s) || merge_parts(to, s) || merge_calls(to, s))
        return -1;
    to->count += s->count;
    to->total += s->total;
    to->incl += s->incl;
    to->own = tk_wrap_add(to->own, s->own);
    to->min = s->min < to->min ? s->min : to->min;
    to->max = s->max > to->max ? s->max : to->max;
    tk_series_settle_places(to);
    to->greatest = NULL; /* those of the sum are not known */
    s->merged = to;
    return 0;
}

/*
 * Places of frames in the level, and their cells.
 */

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
