/*
 * What verdicts rest on, one by one: small runs made by hand whose chances can be worked out.
 */
#include "../run.h"
#include "made_runs.h"

#include <math.h>

#include "compare/compare.h"

#define MOST 5

/* The runs of a side have a timer of 1 ms, and a series of another kind. */
struct side {
    size_t n;
    unsigned frames; /* of each run */
    enum tk_series_kind kind;
    uint64_t us[MOST];     /* loading: of each run */
    uint64_t errors[MOST]; /* log: of each run */
};

static void make_side(struct tk_baseline *b, const struct side *side, uint64_t first)
{
    static const struct made_timer timer = {"A", 1};
    struct tk_err err = {0};
    *b = (struct tk_baseline){0};
    for (size_t r = 0; r < side->n; r++) {
        struct tk_base_run *run = made_frames(first + r, side->frames, &timer, 1);
        struct tk_series *s = tk_base_run_add(run, (uint8_t)side->kind);
        s->name = tk_intern_c(&run->names, "X");
        s->count = side->kind == TK_SERIES_LOG ? side->errors[r] : 1;
        s->own = (int64_t)side->us[r];
        tk_base_run_sort(run);
        ck_assert_int_eq(tk_baseline_take(b, run, &err), TK_OK);
    }
}

static struct tk_comparison comparison;

static void compare(const struct side *base, const struct side *candidate, double floor_ratio)
{
    struct tk_baseline sides[2];
    const struct tk_compare_setup setup = {.floor_ratio = floor_ratio};
    struct tk_err err = {0};
    make_side(&sides[0], base, 1);
    make_side(&sides[1], candidate, 101);
    ck_assert_int_eq(tk_comparison_make(&comparison, &sides[0], &sides[1], NULL, &setup, &err), TK_OK);
    made_release(&sides[0]);
    made_release(&sides[1]);
}

static const struct tk_change *change_of(enum tk_change_kind kind)
{
    for (size_t i = 0; i < comparison.changes.n; i++)
        if (comparison.changes.v[i].kind == kind)
            return &comparison.changes.v[i];
    ck_abort_msg("no change of the kind");
    return NULL;
}

static const struct tk_change *compare_loading(struct side base, struct side candidate, double floor_ratio)
{
    base.kind = candidate.kind = TK_SERIES_LOADING;
    base.frames = candidate.frames = MADE_FRAMES;
    compare(&base, &candidate, floor_ratio);
    return change_of(TK_CHANGE_LOADING);
}

/*
 * Logarithms of the baseline: four times 0 and 0.693, mean 0.139; of the candidate: three times 0.688 and
 * twice 0.788, mean 0.728. Squares 0.3843 + 0.0121, 8 degrees of freedom, error sqrt(0.3964 / 8 * 2 / 5) =
 * 0.141: t is 4.2, beyond the 3.355 of one percent. One run of the baseline is above three of the candidate:
 * of the 252 ways 1 + 1 + 2 + 3 have such a rank sum or a smaller one, twice that is more than 5 %. With that
 * run below all of the candidate it is 2 of 252.
 */
START_TEST(ranks_have_to_agree)
{
    struct side base = {.n = 5, .us = {100000, 100000, 100000, 100000, 200000}};
    const struct side candidate = {.n = 5, .us = {199000, 199000, 199000, 220000, 220000}};
    ck_assert_uint_eq(compare_loading(base, candidate, 0)->verdict, TK_INCONCLUSIVE);
    tk_comparison_release(&comparison);
    base.us[4] = 198000;
    ck_assert_uint_eq(compare_loading(base, candidate, 0)->verdict, TK_REGRESSED);
    tk_comparison_release(&comparison);
}
END_TEST

/*
 * With a floor of 100 % the margin is ln 2. Runs of 1 and 2 on both sides deviate by ln 2 / sqrt 2, so it
 * takes 2 (2.8 / sqrt 2)^2 = 7.84, eight runs and one more.
 *
 * Five runs of 1/sqrt 2, 1/sqrt 2, 1, sqrt 2, sqrt 2 deviate by ln 2 / 2: 2 (2.8 / 2)^2 = 3.92, four and one
 * more, which there are and have not decided: one more than there are.
 */
START_TEST(runs_that_would_decide)
{
    const struct side two = {.n = 2, .us = {100000, 200000}}, slower = {.n = 2, .us = {110000, 220000}};
    const struct tk_change *c = compare_loading(two, slower, 1);
    ck_assert_uint_eq(c->verdict, TK_INCONCLUSIVE);
    ck_assert_uint_eq(c->runs, 9);
    tk_comparison_release(&comparison);
    const struct side five = {.n = 5, .us = {70711, 70711, 100000, 141421, 141421}};
    const struct side far = {.n = 5, .us = {134350, 134350, 190000, 268701, 268701}};
    c = compare_loading(five, far, 1);
    ck_assert_uint_eq(c->verdict, TK_INCONCLUSIVE);
    ck_assert_uint_eq(c->runs, 6);
    tk_comparison_release(&comparison);
}
END_TEST

static const struct tk_change *compare_errors(struct side base, struct side candidate)
{
    base.kind = candidate.kind = TK_SERIES_LOG;
    base.frames = candidate.frames = MADE_FRAMES;
    compare(&base, &candidate, 0);
    return change_of(TK_CHANGE_LOG);
}

/* Two runs against one: a third of the frames are the candidate's. All nine errors there: 2 / 3^9; all
 * sixteen in the baseline: 2 (2/3)^16; twelve: 2 (2/3)^12 = 0.015, which may be chance. */
START_TEST(errors_of_the_log_by_frames)
{
    const struct side none = {.n = 1}, two_none = {.n = 2};
    const struct tk_change *c = compare_errors(two_none, (struct side){.n = 1, .errors = {9}});
    ck_assert_uint_eq(c->verdict, TK_REGRESSED);
    ck_assert_double_eq_tol(c->p, 2.0 / 19683, 1e-9);
    ck_assert(c->baseline == 0 && c->candidate == 9);
    tk_comparison_release(&comparison);
    c = compare_errors((struct side){.n = 2, .errors = {10, 6}}, none);
    ck_assert_uint_eq(c->verdict, TK_IMPROVED);
    ck_assert_double_eq_tol(c->p, 2 * pow(2.0 / 3, 16), 1e-9);
    ck_assert(c->baseline == 8 && c->candidate == 0);
    tk_comparison_release(&comparison);
    c = compare_errors((struct side){.n = 2, .errors = {6, 6}}, none);
    ck_assert_uint_eq(c->verdict, TK_UNCHANGED);
    tk_comparison_release(&comparison);
}
END_TEST

/* A call in each frame, of 64 frames here and of 32 there. */
START_TEST(calls_by_the_frames_of_their_side)
{
    const struct side longer = {.n = 2, .frames = 64, .kind = TK_SERIES_LOADING, .us = {1, 1}};
    struct side shorter = longer;
    shorter.frames = 32;
    compare(&longer, &shorter, 0);
    const struct tk_change *c = change_of(TK_CHANGE_TIMER);
    ck_assert(c->calls[0] == 1 && c->calls[1] == 1);
    tk_comparison_release(&comparison);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ranks_have_to_agree, runs_that_would_decide, errors_of_the_log_by_frames,
                                  calls_by_the_frames_of_their_side};
    return RUN_TESTS("verdict", tests);
}
