/*
 * Budgets on a run made by hand: 60 frames of 16 ms, three of 33 ms and one of 40 ms, in blocks of four.
 */
#include "../run.h"
#include "made_runs.h"

#include <math.h>
#include <string.h>

#include "compare/budget.h"
#include "compare/segments.h"

#define BLOCK 4u

/* Frames more than twice the middle one are hitches: four in 60 * 16 + 3 * 33 + 40 = 1099 ms. */
#define HITCHES (4 * 60e3 / 1099)

static const struct made_timer timers[] = {{"Tick", 2}};

static void make(struct tk_baseline *b)
{
    static const struct {
        unsigned frame;
        uint64_t us;
    } longer[] = {{5, 33000}, {20, 33000}, {21, 40000}, {50, 33000}};
    struct tk_base_run *run = made_run(1, timers, 1);
    struct tk_err err = {0};
    *b = (struct tk_baseline){0};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        run->frames.v[longer[i].frame] = longer[i].us;
    struct tk_series *actors = tk_base_run_add(run, TK_SERIES_COUNTER);
    actors->name = tk_intern_c(&run->names, "Actors");
    actors->count = MADE_FRAMES;
    actors->last = 7;
    for (uint32_t i = 0; i < run->n_blocks; i++) { /* means of 1, 2, ..., 16 */
        actors->blocks[i] = (i + 1) * BLOCK;
        actors->hits[i] = BLOCK;
    }
    struct tk_segment *s = tk_base_run_segment(run, TK_SEGMENT_REGION, tk_intern_c(&run->names, "Fight"));
    for (uint32_t i = 2; i < 5; i++)
        s->has[i] = 1;
    tk_base_run_sort(run);
    ck_assert_int_eq(tk_baseline_take(b, run, &err), TK_OK);
}

static void check(const struct tk_baseline *runs, const char *text, double value, enum tk_budget_level level)
{
    struct tk_budgets b;
    struct tk_err err = {0};
    ck_assert_int_eq(tk_budgets_parse(&b, text, strlen(text), &err), TK_OK);
    ck_assert_int_eq(tk_budgets_check(&b, runs, &err), TK_OK);
    ck_assert_uint_eq(b.v.n, 1);
    ck_assert_msg(fabs(b.v.v[0].value - value) < 1e-9 * value, "%s: %.17g, not %.17g", text, b.v.v[0].value,
                  value);
    ck_assert_uint_eq(b.v.v[0].level, level);
    tk_budgets_release(&b);
}

START_TEST(values)
{
    struct tk_baseline runs;
    make(&runs);
    check(&runs, "{\"budgets\": [{\"kind\": \"hitches\", \"error\": 200}]}", HITCHES, TK_BUDGET_ERROR);
    check(&runs, "{\"budgets\": [{\"kind\": \"frame\", \"name\": \"max\", \"error\": 41}]}", 40,
          TK_BUDGET_PASSED);
    check(&runs, "{\"budgets\": [{\"kind\": \"frame\", \"name\": \"p50\", \"warning\": 15}]}", 16,
          TK_BUDGET_WARNING);
    check(&runs, "{\"budgets\": [{\"kind\": \"timer\", \"name\": \"Tick\", \"error\": 1.9}]}", 2,
          TK_BUDGET_ERROR);
    check(&runs, "{\"budgets\": [{\"kind\": \"counter\", \"name\": \"Actors\", \"error\": 9}]}", 8.5,
          TK_BUDGET_PASSED);
    check(
        &runs,
        "{\"budgets\": [{\"kind\": \"counter\", \"name\": \"Actors\", \"region\": \"Fight\", \"error\": 3}]}",
        4, TK_BUDGET_ERROR);
    made_release(&runs);
}
END_TEST

/* What is just as much as the limit keeps it. */
START_TEST(limits)
{
    struct tk_baseline runs;
    make(&runs);
    check(&runs, "{\"budgets\": [{\"kind\": \"frame\", \"name\": \"max\", \"warning\": 30, \"error\": 40}]}",
          40, TK_BUDGET_WARNING);
    check(&runs, "{\"budgets\": [{\"kind\": \"frame\", \"name\": \"max\", \"warning\": 40, \"error\": 50}]}",
          40, TK_BUDGET_PASSED);
    made_release(&runs);
}
END_TEST

static const struct tk_series *counter_of(const struct tk_base_run *run)
{
    for (size_t i = 0; i < run->series.n; i++)
        if (run->series.v[i]->kind == TK_SERIES_COUNTER)
            return run->series.v[i];
    return NULL;
}

/* Blocks 2 to 4 have the means 3, 4 and 5. */
START_TEST(values_of_a_region)
{
    static const char *const fight[] = {"Fight"};
    const struct tk_segment_choice choice = {.regions = fight, .n_regions = 1};
    struct tk_baseline runs;
    struct tk_err err = {0};
    make(&runs);
    ck_assert_int_eq(tk_baseline_cut(&runs, &choice, &err), TK_OK);
    const struct tk_series *s = counter_of(runs.runs.v[0]);
    ck_assert_uint_eq(s->count, 3 * BLOCK);
    ck_assert(s->first == 3 && s->last == 5 && s->low == 3 && s->high == 5);
    made_release(&runs);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {values, limits, values_of_a_region};
    return RUN_TESTS("budget", tests);
}
