/*
 * Runs the steps of a comparison in order. compare.h lists them with their files.
 */
#include "compare/verdict/compare.h"

#include "compare/baseline/run_info.h"
#include "compare/verdict/matrix.h"

#include <math.h>
#include <string.h>

#define FLOOR_RATIO      0.02
#define FLOOR_RATIO_PAIR 0.05
#define FLOOR_FRAME      0.001
#define CHANCE           0.006
#define SINGLE_CHANCE    0.003 /* where a side is a single run, which floors and ranks do not bear out */
#define LEAST_NOISE      4

static double usual_chance(const struct tk_comparison *c)
{
    const bool single = c->runs[0] == 1 || c->runs[1] == 1;
    return c->design == TK_DESIGN_RUNS && single ? SINGLE_CHANCE : CHANCE;
}

static void fill_setup(struct tk_comparison *c, const struct tk_compare_setup *setup)
{
    double ratio = c->design == TK_DESIGN_FRAMES ? FLOOR_RATIO_PAIR : FLOOR_RATIO;
    c->setup = *setup;
    if (c->setup.floor_ratio <= 0)
        c->setup.floor_ratio = ratio;
    if (c->setup.floor_frame <= 0)
        c->setup.floor_frame = FLOOR_FRAME;
    if (c->setup.floor_ms < 0)
        c->setup.floor_ms = 0;
    if (c->setup.chance <= 0)
        c->setup.chance = usual_chance(c);
}

/* A run on both sides would make them alike; one that is also noise is no noise of its own. */
static int check_compare(const struct tk_baseline *const sides[3], struct tk_err *err)
{
    if (sides[0]->runs.n == 0 || sides[1]->runs.n == 0)
        return tk_err_set(err, TK_EMATCH, "one side has no runs");
    if (sides[2] && sides[2]->runs.n < LEAST_NOISE)
        return tk_err_set(err, TK_EUSAGE, "noise needs at least %d runs; there are %zu", LEAST_NOISE,
                          sides[2]->runs.n);
    return TK_OK;
}

/* Are times of the runs divided by the same? */
static bool share_unit(const struct tk_base_run *a, const struct tk_base_run *b)
{
    const struct tk_str per[2] = {tk_base_run_per(a), tk_base_run_per(b)};
    return tk_base_run_unit(a) == tk_base_run_unit(b) && per[0].n == per[1].n &&
           (!per[0].n || memcmp(per[0].p, per[1].p, per[0].n) == 0);
}

static int find_unit(struct tk_comparison *out, const struct tk_baseline *const sides[3], struct tk_err *err)
{
    const struct tk_base_run *first = NULL;
    size_t units = 0, runs = 0, others = 0;
    for (int i = 0; i < 3; i++)
        for (size_t r = 0; sides[i] && r < sides[i]->runs.n; r++, runs++) {
            const struct tk_base_run *run = sides[i]->runs.v[r];
            first = first ? first : run;
            units += tk_base_run_is_unit(run);
            others += !share_unit(first, run);
        }
    out->unit = units > 0;
    out->unit_time = tk_run_unit_time(first ? tk_base_run_unit(first) : TK_RUN_UNIT_FRAME);
    if (units && units < runs)
        return tk_err_set(
            err, TK_EMATCH,
            "%zu of %zu runs have no frames; values per run cannot be compared with values per frame", units,
            runs);
    if (others)
        return tk_err_set(err, TK_EMATCH,
                          "%zu of %zu runs use another unit (--per) than the first; give all runs the same",
                          others, runs);
    return TK_OK;
}

/* What the sides are, and whether their runs are those of one program. */
static int tell_sides(struct tk_comparison *out, const struct tk_baseline *const sides[3], struct tk_err *err)
{
    static const uint8_t of[3] = {TK_RUN_BASELINE, TK_RUN_CANDIDATE, TK_RUN_NOISE};
    int rc = 0;
    out->sides.allowed = out->setup.allow_short;
    for (int i = 0; i < 3 && rc == 0; i++)
        rc = tk_sides_add(&out->sides, sides[i], (enum tk_run_side)of[i]);
    if (rc == 0)
        rc = tk_sides_differ(&out->sides, sides[0], sides[1]);
    if (rc == 0)
        rc = tk_sides_find_flaws(&out->sides, sides[0], sides[1], TK_RUN_CANDIDATE);
    if (rc)
        return tk_err_nomem(err, "a comparison");
    rc = find_unit(out, sides, err);
    if (rc < 0)
        return rc;
    return out->setup.mixed ? TK_OK : tk_sides_alike(sides, of, 3, err);
}

/* Is it a timer, of a thread or of a queue of the GPU? */
static bool is_timer(const struct tk_series *series)
{
    return series->kind == TK_SERIES_TIMER || series->kind == TK_SERIES_GPU;
}

static bool share_timers(const struct tk_matrix *m)
{
    for (size_t i = 0; i < m->rows.n; i++)
        if (is_timer(m->rows.v[i].any) && tk_row_in_any(m, &m->rows.v[i], TK_SIDE_BASE) &&
            tk_row_in_any(m, &m->rows.v[i], TK_SIDE_CANDIDATE))
            return true;
    return false;
}

static bool leaves_frames(const struct tk_matrix *m)
{
    for (size_t r = 0; r < m->n_runs; r++)
        if (m->skip[r] >= m->runs[r]->n_blocks)
            return false;
    return true;
}

int tk_comparison_make(struct tk_comparison *out, const struct tk_baseline *base,
                       const struct tk_baseline *candidate, const struct tk_baseline *noise,
                       const struct tk_compare_setup *setup, struct tk_err *err)
{
    const struct tk_baseline *const sides[3] = {base, candidate, noise};
    struct tk_matrix m = {.out = out};
    *out = (struct tk_comparison){.machine = 1};
    int rc = check_compare(sides, err);
    if (rc < 0)
        return rc;
    out->design = base->runs.n + candidate->runs.n > 2 || noise ? TK_DESIGN_RUNS : TK_DESIGN_FRAMES;
    for (int i = 0; i < 3; i++)
        out->runs[i] = sides[i] ? sides[i]->runs.n : 0;
    fill_setup(out, setup);
    for (uint8_t i = 0; i < 3 && rc == TK_OK; i++)
        rc = tk_run_faults_add(&out->faults, sides[i], i) ? tk_err_nomem(err, "a comparison") : TK_OK;
    if (rc == TK_OK)
        rc = tk_matrix_make(&m, sides, err);
    if (rc == TK_OK && tk_matrix_find_samples(&m))
        rc = tk_err_nomem(err, "a comparison");
    for (size_t r = 0; r < m.n_runs && rc == TK_OK; r++)
        rc = tk_vec_push(&out->run_sides, m.side[r]) ? tk_err_nomem(err, "a comparison") : TK_OK;
    if (rc == TK_OK && tk_matrix_make_rows(&m))
        rc = tk_err_nomem(err, "a comparison");
    if (rc == TK_OK && !leaves_frames(&m))
        rc = tk_err_set(err, TK_EMATCH, "a run has no frames left without its warm-up");
    if (rc == TK_OK)
        rc = tell_sides(out, sides, err);
    if (rc == TK_OK && !share_timers(&m))
        rc = tk_err_set(err, TK_EMATCH, "the two sides have no timer in common");
    if (rc == TK_OK && tk_matrix_find_frame(&m))
        rc = tk_err_nomem(err, "a comparison");
    if (rc == TK_OK)
        rc = tk_matrix_measure(&m, err);
    if (rc == TK_OK)
        rc = tk_matrix_test(&m, err);
    if (rc == TK_OK)
        rc = tk_matrix_judge(&m, err);
    tk_matrix_release(&m);
    return rc;
}

void tk_comparison_release(struct tk_comparison *c)
{
    tk_vec_release(&c->changes);
    tk_vec_release(&c->paths);
    tk_vec_release(&c->values);
    tk_vec_release(&c->run_sides);
    tk_intern_release(&c->names);
    tk_run_faults_release(&c->faults);
    tk_sides_release(&c->sides);
}

double tk_comparison_value(const struct tk_comparison *c, const struct tk_change *change, size_t run)
{
    return change->values ? c->values.v[change->values - 1 + run] : (double)NAN;
}
