/*
 * Runs the steps of a comparison in order. compare.h lists them with their files.
 */
#include "compare/verdict/compare.h"

#include "base/text/text.h"
#include "compare/baseline/run_info.h"
#include "compare/verdict/matrix.h"
#include "compare/verdict/probability.h"
#include "judge/outcomes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Faults of runs.
 */

static const struct tk_str *copy(struct tk_run_faults *faults, const struct tk_str *s)
{
    return tk_intern(&faults->names, s->p, s->n, (enum tk_encoding)s->enc);
}

static int add_run(struct tk_run_faults *faults, const struct tk_base_run *run, struct tk_run_fault item)
{
    int worst = -1;
    for (size_t i = 0; i < run->faults.n; i++) {
        item.fault = run->faults.v[i];
        item.fault.kind = copy(faults, item.fault.kind);
        item.fault.text = copy(faults, item.fault.text);
        if (!item.fault.kind || !item.fault.text || tk_vec_push(&faults->v, item))
            return -1;
        worst = item.fault.tier > worst ? item.fault.tier : worst;
    }
    if (worst >= 0)
        faults->n[worst]++;
    return 0;
}

int tk_run_faults_add(struct tk_run_faults *faults, const struct tk_baseline *runs, uint8_t side)
{
    int rc = 0;
    for (size_t i = 0; runs && i < runs->runs.n && rc == 0; i++)
        rc = add_run(faults, runs->runs.v[i], (struct tk_run_fault){.side = side, .run = i});
    return rc;
}

const char *tk_run_faults_word(const struct tk_run_faults *faults)
{
    return faults->n[TK_FAULT_DAMAGE]    ? "damaged"
           : faults->n[TK_FAULT_LOST]    ? "lost events"
           : faults->n[TK_FAULT_CUT_OFF] ? "cut off"
                                         : "";
}

void tk_run_faults_release(struct tk_run_faults *faults)
{
    tk_vec_release(&faults->v);
    tk_intern_release(&faults->names);
}

/*
 * Runs that are not what they seem: too short, ended in a crash, or of another program.
 */

#define WHOLE      0.9 /* of the frames, or of the time, makes a whole run */
#define LEAST_LEFT 2   /* runs, where others are left out */

static double seconds_of_flaws(const struct tk_base_run *run)
{
    double cycles = 0;
    for (size_t i = 0; i < run->frames.n; i++)
        cycles += (double)run->frames.v[i];
    return tk_base_ms(run, cycles) / 1e3;
}

/* The medians of the frames and of the time of runs. 0, or -1 if out of memory. */
static int find_usual(const struct tk_baseline *base, double *frames, double *seconds)
{
    const size_t n = base ? base->runs.n : 0;
    double *v = malloc((n + 1) * sizeof *v);
    if (!v)
        return -1;
    for (size_t i = 0; i < n; i++)
        v[i] = (double)base->runs.v[i]->frames.n;
    *frames = tk_probability_median(v, n);
    for (size_t i = 0; i < n; i++)
        v[i] = seconds_of_flaws(base->runs.v[i]);
    *seconds = tk_probability_median(v, n);
    free(v);
    return 0;
}

static const struct tk_str *keep_flaw(struct tk_sides *sides, const struct tk_str *text)
{
    return text ? tk_intern(&sides->names, text->p, text->n, (enum tk_encoding)text->enc) : NULL;
}

int tk_sides_find_flaws(struct tk_sides *sides, const struct tk_baseline *base,
                        const struct tk_baseline *runs, enum tk_run_side side)
{
    double frames, seconds;
    if (find_usual(base, &frames, &seconds))
        return -1;
    for (size_t i = 0; i < runs->runs.n; i++) {
        const struct tk_base_run *run = runs->runs.v[i];
        const struct tk_str *end = tk_base_run_about(run, "end");
        struct tk_run_flaw flaw = {.side = (uint8_t)side,
                                   .run = i,
                                   .frames = (double)run->frames.n,
                                   .of_frames = frames,
                                   .seconds = seconds_of_flaws(run),
                                   .of_seconds = seconds,
                                   .name = keep_flaw(sides, tk_base_run_about(run, "capture"))};
        if (flaw.frames < WHOLE * frames && flaw.seconds < WHOLE * seconds &&
            tk_vec_push(&sides->flaws, flaw))
            return -1;
        flaw.kind = TK_FLAW_ENDED;
        flaw.text = keep_flaw(sides, end);
        if (end && (!flaw.text || tk_vec_push(&sides->flaws, flaw)))
            return -1;
    }
    return 0;
}

static bool has_flaw(const struct tk_sides *sides, size_t run)
{
    for (size_t i = 0; i < sides->flaws.n; i++)
        if (sides->flaws.v[i].run == run)
            return true;
    return false;
}

int tk_sides_leave_out(struct tk_sides *sides, const struct tk_baseline *runs, struct tk_baseline *left)
{
    size_t good = 0;
    for (size_t i = 0; i < runs->runs.n; i++)
        good += !has_flaw(sides, i);
    sides->left_out = !sides->allowed && good < runs->runs.n && good >= LEAST_LEFT && 2 * good > runs->runs.n;
    *left = *runs;
    left->runs = (struct tk_baseline){0}.runs;
    for (size_t i = 0; i < runs->runs.n; i++)
        if (!(sides->left_out && has_flaw(sides, i)) && tk_vec_push(&left->runs, runs->runs.v[i]))
            return -1;
    return 0;
}

bool tk_sides_flawed(const struct tk_sides *sides)
{
    return sides->flaws.n > 0 && !sides->allowed && !sides->left_out;
}

/* ---- of another program ---- */

struct first {
    const struct tk_base_run *run;
    uint8_t side;
    size_t number;
};

static int fail_alike(const struct first *a, const struct first *b, const char *key, struct tk_err *err)
{
    static const char *const sides[] = {"the baseline", "the candidate", "the noise", "those to check"};
    const struct tk_str *x = tk_base_run_about(a->run, key), *y = tk_base_run_about(b->run, key),
                        *name = tk_base_run_about(b->run, "capture");
    return tk_err_set(err, TK_EMATCH,
                      "run %zu of %s%s%.*s%s has the %s '%.*s', run %zu of %s has '%.*s'; '--mixed' compares "
                      "them all the same",
                      b->number + 1, sides[b->side], name ? " ('" : "", name ? (int)name->n : 0,
                      name ? name->p : "", name ? "')" : "", key, (int)y->n, y->p, a->number + 1,
                      sides[a->side], (int)x->n, x->p);
}

int tk_sides_alike(const struct tk_baseline *const *runs, const uint8_t *side, size_t n, struct tk_err *err)
{
    static const char *const keys[] = {"application", "platform"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        struct first first = {0};
        for (size_t s = 0; s < n; s++)
            for (size_t i = 0; runs[s] && i < runs[s]->runs.n; i++) {
                const struct first here = {runs[s]->runs.v[i], side[s], i};
                const struct tk_str *text = tk_base_run_about(here.run, keys[k]);
                if (!first.run && text)
                    first = here;
                else if (text && tk_str_order(text, tk_base_run_about(first.run, keys[k])) != 0)
                    return fail_alike(&first, &here, keys[k], err);
            }
    }
    return TK_OK;
}

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
        return tk_outcome_fail(err, TK_OUTCOME_NO_BASE, "one side has no runs");
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
        return tk_outcome_fail(
            err, TK_OUTCOME_NOTHING_RECORDED,
            "%zu of %zu runs have no frames; values per run cannot be compared with values per frame", units,
            runs);
    if (others)
        return tk_err_set(err, TK_EMATCH,
                          "%zu of %zu runs use another unit (--per) than the first; give all runs the same",
                          others, runs);
    return TK_OK;
}

/* The same frames of the same capture? */
static bool is_same_data(const struct tk_base_run *a, const struct tk_base_run *b)
{
    return a->hash == b->hash && a->frames.n == b->frames.n &&
           (!a->frames.n || memcmp(a->frames.v, b->frames.v, a->frames.n * sizeof *a->frames.v) == 0);
}

static bool share_data(const struct tk_baseline *a, const struct tk_baseline *b)
{
    for (size_t i = 0; i < a->runs.n; i++)
        for (size_t k = 0; k < b->runs.n; k++)
            if (is_same_data(a->runs.v[i], b->runs.v[k]))
                return true;
    return false;
}

/* What the sides are, and whether their runs are those of one program. */
static int tell_sides(struct tk_comparison *out, const struct tk_baseline *const sides[3], struct tk_err *err)
{
    static const uint8_t of[3] = {TK_RUN_BASELINE, TK_RUN_CANDIDATE, TK_RUN_NOISE};
    int rc = 0;
    for (int i = 0; i < 3 && rc == 0; i++)
        rc = tk_sides_add(&out->sides, sides[i], (enum tk_run_side)of[i]);
    out->sides.same_data = share_data(sides[0], sides[1]);
    if (rc == 0)
        rc = tk_sides_match(&out->sides, sides[0], sides[1]);
    if (rc == 0)
        rc = tk_sides_differ(&out->sides, sides[0], sides[1]);
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

/* The steps, of runs that are all compared. */
static int compare_sides(struct tk_comparison *out, const struct tk_baseline *const sides[3],
                         const struct tk_compare_setup *setup, struct tk_err *err)
{
    struct tk_matrix m = {.out = out};
    int rc = TK_OK;
    out->design = sides[0]->runs.n + sides[1]->runs.n > 2 || sides[2] ? TK_DESIGN_RUNS : TK_DESIGN_FRAMES;
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
    if (rc == TK_OK)
        rc = tk_matrix_make_cells(&m, err);
    if (rc == TK_OK && !leaves_frames(&m))
        rc = tk_err_set(err, TK_EMATCH, "a run has no frames left without its warm-up");
    if (rc == TK_OK)
        rc = tell_sides(out, sides, err);
    if (rc == TK_OK && !share_timers(&m))
        rc = tk_outcome_fail(err, TK_OUTCOME_NO_COMMON, "the two sides have no timer in common");
    if (rc == TK_OK && tk_matrix_find_frame(&m))
        rc = tk_err_nomem(err, "a comparison");
    if (rc == TK_OK)
        rc = tk_matrix_measure(&m, err);
    if (rc == TK_OK && tk_matrix_find_apart(&m))
        rc = tk_err_nomem(err, "a comparison");
    if (rc == TK_OK)
        rc = tk_matrix_test(&m, err);
    if (rc == TK_OK)
        rc = tk_matrix_judge(&m, err);
    tk_matrix_release(&m);
    return rc;
}

/* Of the baseline the runs that did not end in a crash, where there are any. 0, or -1 if out of memory. */
static int leave_crashed_out(struct tk_sides *sides, const struct tk_baseline *base, struct tk_baseline *left)
{
    size_t crashed = 0;
    for (size_t i = 0; i < base->runs.n; i++)
        crashed += tk_base_run_about(base->runs.v[i], "end") != NULL;
    const bool some = !sides->allowed && crashed && crashed < base->runs.n;
    *left = *base;
    left->runs = (struct tk_baseline){0}.runs;
    for (size_t i = 0; i < base->runs.n; i++)
        if (!(some && tk_base_run_about(base->runs.v[i], "end")) && tk_vec_push(&left->runs, base->runs.v[i]))
            return -1;
    return some ? tk_sides_note(sides, "runs of the baseline that ended in a crash are left out") : 0;
}

static int compare_once(struct tk_comparison *out, const struct tk_baseline *base,
                        const struct tk_baseline *candidate, const struct tk_baseline *noise,
                        const struct tk_compare_setup *setup, struct tk_err *err)
{
    const struct tk_baseline *const given[3] = {base, candidate, noise};
    struct tk_baseline left[2] = {0};
    const struct tk_baseline *const sides[3] = {&left[0], &left[1], noise};
    *out = (struct tk_comparison){.machine = 1, .shift = {.ratio = 1}};
    int rc = check_compare(given, err);
    if (rc < 0)
        return rc;
    out->sides.allowed = setup->allow_short;
    if (leave_crashed_out(&out->sides, base, &left[0]) ||
        tk_sides_find_flaws(&out->sides, &left[0], candidate, TK_RUN_CANDIDATE) ||
        tk_sides_leave_out(&out->sides, candidate, &left[1]))
        rc = tk_err_nomem(err, "a comparison");
    if (rc == TK_OK)
        rc = compare_sides(out, sides, setup, err);
    tk_vec_release(&left[0].runs);
    tk_vec_release(&left[1].runs);
    return rc;
}

/* ---- without runs that stand out ---- */

#define OUTLIER_OF 4 /* at most one of so many runs */

/* Notes the run that stands out in `out`, with what is said where it is compared with. 0, or -1. */
static int note_outlier(struct tk_comparison *out, const struct tk_comparison *with,
                        const struct tk_baseline *base)
{
    const struct tk_str *name = tk_base_run_about(with->standing, "capture");
    struct tk_outlier outlier = {.ratio = with->standing_ratio};
    while (base->runs.v[outlier.run] != with->standing)
        outlier.run++;
    outlier.name = name ? tk_intern(&out->names, name->p, name->n, (enum tk_encoding)name->enc) : NULL;
    for (size_t i = 0; i < with->changes.n; i++)
        outlier.with[with->changes.v[i].verdict]++;
    return (name && !outlier.name) || tk_vec_push(&out->outliers, outlier) ? -1 : 0;
}

static int keep_outliers(struct tk_comparison *out, const struct tk_comparison *before)
{
    for (size_t i = 0; i < before->outliers.n; i++) {
        struct tk_outlier one = before->outliers.v[i];
        if (one.name)
            one.name = tk_intern(&out->names, one.name->p, one.name->n, (enum tk_encoding)one.name->enc);
        if ((before->outliers.v[i].name && !one.name) || tk_vec_push(&out->outliers, one))
            return -1;
    }
    return 0;
}

static void remove_run(struct tk_baseline *b, const struct tk_base_run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < b->runs.n; i++)
        if (b->runs.v[i] != run)
            b->runs.v[n++] = b->runs.v[i];
    b->runs.n = n;
}

int tk_comparison_make(struct tk_comparison *out, const struct tk_baseline *base,
                       const struct tk_baseline *candidate, const struct tk_baseline *noise,
                       const struct tk_compare_setup *setup, struct tk_err *err)
{
    struct tk_baseline fewer = {0};
    memcpy(fewer.note, base->note, sizeof fewer.note);
    int rc = compare_once(out, base, candidate, noise, setup, err);
    for (size_t i = 0; rc == TK_OK && out->standing && i < base->runs.n; i++)
        rc = tk_vec_push(&fewer.runs, base->runs.v[i]) ? tk_err_nomem(err, "a comparison") : TK_OK;
    while (rc == TK_OK && out->standing && out->outliers.n < base->runs.n / OUTLIER_OF) {
        struct tk_comparison with = *out;
        remove_run(&fewer, out->standing);
        rc = compare_once(out, &fewer, candidate, noise, setup, err);
        if (rc == TK_OK && (keep_outliers(out, &with) || note_outlier(out, &with, base)))
            rc = tk_err_nomem(err, "a comparison");
        tk_comparison_release(&with);
    }
    if (rc == TK_OK)
        out->standing = NULL;
    tk_vec_release(&fewer.runs);
    return rc;
}

void tk_comparison_release(struct tk_comparison *c)
{
    tk_arena_release(&c->units);
    tk_vec_release(&c->changes);
    tk_vec_release(&c->outliers);
    tk_vec_release(&c->paths);
    tk_vec_release(&c->hitches);
    tk_vec_release(&c->values);
    tk_vec_release(&c->run_sides);
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < c->pictures[side].n; i++)
            free(c->pictures[side].v[i].picture.file);
        tk_vec_release(&c->pictures[side]);
    }
    tk_intern_release(&c->names);
    tk_run_faults_release(&c->faults);
    tk_sides_release(&c->sides);
}

double tk_comparison_value(const struct tk_comparison *c, const struct tk_change *change, size_t run)
{
    return change->values ? c->values.v[change->values - 1 + run] : (double)NAN;
}
