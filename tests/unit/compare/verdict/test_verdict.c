/*
 * What verdicts rest on, one by one: small runs made by hand whose chances can be worked out.
 */
#include "compare/made_runs.h"
#include "compare/verdict/compare.h"
#include "run.h"

#include <math.h>

#define MOST 5

/* The runs of a side have a timer of 1 ms, and a series of another kind. */
struct side {
    size_t n;
    unsigned frames; /* of each run */
    enum tk_series_kind kind;
    uint64_t us[MOST];     /* loading: of each run */
    uint64_t errors[MOST]; /* log: of each run */
    double values[MOST];   /* counters, memory: of each run, in all its blocks; NaN: the run has none */
};

static void put_values(struct tk_base_run *run, struct tk_series *s, double value)
{
    for (uint32_t b = 0; s->hits && b < run->n_blocks; b++) {
        s->hits[b] = tk_block_weight(run, b);
        s->blocks[b] = value * s->hits[b];
    }
    s->first = s->last = s->low = s->high = value;
}

static void make_side(struct tk_baseline *b, const struct side *side, uint64_t first)
{
    static const struct made_timer timer = {"A", 1};
    struct tk_err err = {0};
    *b = (struct tk_baseline){0};
    for (size_t r = 0; r < side->n; r++) {
        struct tk_base_run *run = made_frames(first + r, side->frames, &timer, 1);
        if (!isnan(side->values[r])) {
            struct tk_series *s = tk_base_run_add(run, (uint8_t)side->kind);
            s->name = tk_intern_c(&run->names, "X");
            s->count = side->kind == TK_SERIES_LOG ? side->errors[r] : 1;
            s->own = (int64_t)side->us[r];
            put_values(run, s, side->values[r]);
        }
        tk_base_run_tidy(run);
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
 * eighteen in the baseline: 2 (2/3)^18 = 0.0014; twelve: 2 (2/3)^12 = 0.015, which may be chance. */
START_TEST(errors_of_the_log_by_frames)
{
    const struct side none = {.n = 1}, two_none = {.n = 2};
    const struct tk_change *c = compare_errors(two_none, (struct side){.n = 1, .errors = {9}});
    ck_assert_uint_eq(c->verdict, TK_REGRESSED);
    ck_assert_double_eq_tol(c->p, 2.0 / 19683, 1e-9);
    ck_assert(c->baseline == 0 && c->candidate == 9);
    tk_comparison_release(&comparison);
    c = compare_errors((struct side){.n = 2, .errors = {10, 8}}, none);
    ck_assert_uint_eq(c->verdict, TK_IMPROVED);
    ck_assert_double_eq_tol(c->p, 2 * pow(2.0 / 3, 18), 1e-9);
    ck_assert(c->baseline == 9 && c->candidate == 0);
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

/* ---- values ---- */

static const struct tk_change *compare_values(enum tk_series_kind kind, struct side base,
                                              struct side candidate)
{
    base.kind = candidate.kind = kind;
    base.frames = candidate.frames = MADE_FRAMES;
    compare(&base, &candidate, 0);
    return change_of(kind == TK_SERIES_COUNTER ? TK_CHANGE_COUNTER : TK_CHANGE_MEMORY);
}

static void check_values(enum tk_series_kind kind, struct side base, struct side candidate,
                         enum tk_verdict verdict, bool has_ratio)
{
    const struct tk_change *c = compare_values(kind, base, candidate);
    ck_assert_msg(c->verdict == verdict, "%s, not %s", tk_verdict_name((enum tk_verdict)c->verdict),
                  tk_verdict_name(verdict));
    const bool has_interval =
        has_ratio && comparison.design == TK_DESIGN_RUNS; /* two single runs have none */
    ck_assert(isnan(c->ratio) == !has_ratio && isnan(c->low) == !has_interval);
    tk_comparison_release(&comparison);
}

/* Nothing varies, so everything that passes the floors, of 2 % and of memory of 1 MiB, is a change. */
START_TEST(what_was_nothing)
{
    const struct side none = {.n = 2}, some = {.n = 2, .values = {100, 100}};
    const struct side much = {.n = 2, .values = {2e6, 2e6}};
    check_values(TK_SERIES_COUNTER, none, some, TK_REGRESSED, false);
    check_values(TK_SERIES_COUNTER, some, none, TK_IMPROVED, true);
    check_values(TK_SERIES_COUNTER, none, none, TK_UNCHANGED, false);
    check_values(TK_SERIES_MEMORY, none, much, TK_REGRESSED, false);
    check_values(TK_SERIES_MEMORY, much, none, TK_IMPROVED, true);
}
END_TEST

/*
 * Two and two runs, 2 degrees of freedom. -10 -10 to -20 -21: squares 0.5, error sqrt(0.5 / 2 / 2 * 2) = 0.5,
 * t is 10.5 / 0.5 = 21, beyond 9.925 of one percent. To -10 -31: squares 220.5, error sqrt(220.5 / 2) = 10.5,
 * t is 1. A hundredth of -10 is below the floor.
 */
START_TEST(values_below_nothing)
{
    const struct side base = {.n = 2, .values = {-10, -10}}, above = {.n = 2, .values = {10, 10}};
    const struct side lower = {.n = 2, .values = {-20, -21}}, wild = {.n = 2, .values = {-10, -31}};
    const struct side near = {.n = 2, .values = {-10.1, -10.1}};
    check_values(TK_SERIES_COUNTER, base, lower, TK_IMPROVED, false);
    check_values(TK_SERIES_COUNTER, lower, base, TK_REGRESSED, false);
    check_values(TK_SERIES_COUNTER, base, above, TK_REGRESSED, false);
    check_values(TK_SERIES_COUNTER, above, base, TK_IMPROVED, false);
    check_values(TK_SERIES_COUNTER, base, wild, TK_INCONCLUSIVE, false);
    check_values(TK_SERIES_COUNTER, base, near, TK_UNCHANGED, false);
}
END_TEST

/* One run against one, whose blocks are all alike. */
START_TEST(values_of_single_runs)
{
    const struct side none = {.n = 1}, below = {.n = 1, .values = {-10}}, above = {.n = 1, .values = {10}};
    check_values(TK_SERIES_COUNTER, none, above, TK_REGRESSED, false);
    check_values(TK_SERIES_COUNTER, below, above, TK_REGRESSED, false);
    check_values(TK_SERIES_COUNTER, above, below, TK_IMPROVED, false);
    check_values(TK_SERIES_COUNTER, below, below, TK_UNCHANGED, false);
}
END_TEST

/*
 * One run against one: 1,000 errors to 1,400 are 8.2 standard deviations of a split by half, sqrt(2400) / 2,
 * and 40 MB of memory to 56 MB does not vary at all, but runs of one build may differ by a factor of 1.5. 1.6
 * is beyond it, and so is 1 / 1.6. Of two runs a side it is known what differs.
 */
START_TEST(single_runs_differ_by_a_factor)
{
    const struct side one = {.n = 1, .errors = {1000}, .values = {40e6}};
    static const struct {
        double factor;
        enum tk_verdict verdict;
    } cases[] = {
        {1.4, TK_INCONCLUSIVE}, {1.6, TK_REGRESSED}, {1 / 1.4, TK_INCONCLUSIVE}, {1 / 1.6, TK_IMPROVED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct side other = {
            .n = 1, .errors = {(uint64_t)(1000 * cases[i].factor)}, .values = {40e6 * cases[i].factor}};
        ck_assert_uint_eq(compare_errors(one, other)->verdict, cases[i].verdict);
        tk_comparison_release(&comparison);
        check_values(TK_SERIES_MEMORY, one, other, cases[i].verdict, true);
    }
    const struct side two = {.n = 2, .errors = {500, 500}}, more = {.n = 2, .errors = {700, 700}};
    ck_assert_uint_eq(compare_errors(two, more)->verdict, TK_REGRESSED);
    tk_comparison_release(&comparison);
}
END_TEST

/*
 * A run without a counter is none of 0: means are those of the others. Of three of each side that have it 100
 * 102 104 and 120 122 124 the logarithms deviate by squares of 0.00077 + 0.00053 in 4 degrees of freedom,
 * error 0.0147, and ln 1.196 is 12 times that: beyond 4.6.
 *
 * Where no side has two runs with it, nothing is known of what differs from run to run.
 */
START_TEST(runs_without_a_value)
{
    const struct side base = {.n = 4, .values = {100, NAN, 102, 104}};
    const struct side more = {.n = 5, .values = {NAN, 120, 122, 124, NAN}};
    const struct tk_change *c = compare_values(TK_SERIES_COUNTER, base, more);
    ck_assert(fabs(c->baseline - 102) < 1e-9 && fabs(c->candidate - 122) < 1e-9);
    ck_assert_uint_eq(c->verdict, TK_REGRESSED);
    tk_comparison_release(&comparison);
    const struct side one = {.n = 2, .values = {100, NAN}}, other = {.n = 2, .values = {NAN, 200}};
    c = compare_values(TK_SERIES_COUNTER, one, other);
    ck_assert(c->baseline == 100 && c->candidate == 200 && !(c->p < 1));
    ck_assert_uint_eq(c->verdict, TK_INCONCLUSIVE);
    tk_comparison_release(&comparison);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ranks_have_to_agree,
                                  runs_that_would_decide,
                                  errors_of_the_log_by_frames,
                                  calls_by_the_frames_of_their_side,
                                  what_was_nothing,
                                  values_below_nothing,
                                  values_of_single_runs,
                                  single_runs_differ_by_a_factor,
                                  runs_without_a_value};
    return RUN_TESTS("verdict", tests);
}
