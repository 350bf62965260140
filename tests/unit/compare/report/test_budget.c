/*
 * Budgets on a run made by hand: 60 frames of 16 ms, three of 33 ms and one of 40 ms, in blocks of four.
 */
#include "compare/baseline/segments.h"
#include "compare/made_runs.h"
#include "compare/report/budget.h"
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 4u

/* Those of more than 16 ms are late: four hitches in 60 * 16 + 3 * 33 + 40 = 1099 ms. */
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
    struct tk_run_segment *s = tk_base_run_segment(run, TK_SEGMENT_REGION, tk_intern_c(&run->names, "Fight"));
    for (uint32_t i = 2; i < 5; i++)
        s->has[i] = 1;
    tk_base_run_tidy(run);
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
    /* 65 were due at 60 frames a second: a missed one of them; late are the four, more than 17.5 ms */
    check(&runs, "{\"budgets\": [{\"kind\": \"missed\", \"target\": 60, \"error\": 1}]}", 100 / 65.0,
          TK_BUDGET_ERROR);
    check(&runs, "{\"budgets\": [{\"kind\": \"late\", \"target\": 60, \"error\": 7}]}", 6.25,
          TK_BUDGET_PASSED);
    check(&runs, "{\"budgets\": [{\"kind\": \"hitch_ratio\", \"error\": 80}]}", (3 * 17 + 24) / 1.099,
          TK_BUDGET_PASSED);
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

/* ---- a counter or tag of one value in each block ---- */

static void make_values(struct tk_baseline *b, enum tk_series_kind kind, double first, double rest)
{
    struct tk_base_run *run = made_run(1, timers, 1);
    struct tk_series *s = tk_base_run_add(run, (uint8_t)kind);
    struct tk_err err = {0};
    *b = (struct tk_baseline){0};
    s->name = tk_intern_c(&run->names, "X");
    s->count = run->n_blocks;
    s->last = s->low = s->first = first;
    s->high = first > rest ? first : rest;
    for (uint32_t i = 0; i < run->n_blocks; i++) {
        s->blocks[i] = i ? rest : first;
        s->hits[i] = 1;
    }
    tk_base_run_tidy(run);
    ck_assert_int_eq(tk_baseline_take(b, run, &err), TK_OK);
}

/* 16 blocks: -5 and 15 times -21 have the mean -20, and are the most in the first block. */
START_TEST(values_below_nothing)
{
    struct tk_baseline runs;
    struct tk_budgets b;
    struct tk_err err = {0};
    static const char text[] =
        "{\"budgets\": [{\"kind\": \"counter\", \"name\": \"X\", \"warning\": -25, \"error\": 0}]}";
    make_values(&runs, TK_SERIES_COUNTER, -5, -21);
    ck_assert_int_eq(tk_budgets_parse(&b, text, strlen(text), &err), TK_OK);
    ck_assert_int_eq(tk_budgets_check(&b, &runs, &err), TK_OK);
    ck_assert(b.v.v[0].value == -20 && b.v.v[0].level == TK_BUDGET_WARNING);
    ck_assert(b.v.v[0].has_frames && b.v.v[0].first_frame == 0 && b.v.v[0].last_frame == BLOCK - 1);
    tk_budgets_release(&b);
    made_release(&runs);
}
END_TEST

static void propose(const struct tk_baseline *runs, double margin, struct tk_print *text)
{
    struct tk_err err = {0};
    *text = (struct tk_print){0};
    ck_assert_int_eq(tk_budgets_propose(text, runs, margin, &err), TK_OK);
    tk_print_bytes(text, "", 1);
}

/* Two runs of the same values. */
static void make_two(struct tk_baseline *runs, double value)
{
    struct tk_baseline second;
    make_values(runs, TK_SERIES_MEMORY, value, value);
    make_values(&second, TK_SERIES_MEMORY, value, value);
    ck_assert_int_eq(tk_vec_push(&runs->runs, second.runs.v[0]), 0);
    tk_vec_release(&second.runs);
}

/* Ten percent more than -20 are -18, and of a single run -20 + 20 * (1.12 * 1.1 - 1); without a margin
 * 12341.6 is not kept by its first four digits, 12340. */
START_TEST(proposals_are_kept)
{
    static const double kept[] = {-20, 12341.6, 0};
    struct tk_baseline runs;
    struct tk_print text;
    make_values(&runs, TK_SERIES_MEMORY, -20, -20);
    propose(&runs, 0.1, &text);
    ck_assert_ptr_nonnull(strstr(text.v, "\"name\": \"X\", \"warning\": -16.48, \"error\": -15.36}"));
    free(text.v);
    made_release(&runs);
    make_two(&runs, -20);
    propose(&runs, 0.1, &text);
    ck_assert_ptr_nonnull(strstr(text.v, "\"name\": \"X\", \"warning\": -19, \"error\": -18}"));
    free(text.v);
    made_release(&runs);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        struct tk_budgets b;
        struct tk_err err = {0};
        make_two(&runs, kept[i]);
        propose(&runs, 0, &text);
        ck_assert_int_eq(tk_budgets_parse(&b, text.v, text.n - 1, &err), TK_OK);
        ck_assert_int_eq(tk_budgets_check(&b, &runs, &err), TK_OK);
        ck_assert_uint_eq(b.worst, TK_BUDGET_PASSED);
        tk_budgets_release(&b);
        free(text.v);
        made_release(&runs);
    }
}
END_TEST

/* Checked again with runs that keep it, nothing is left of what was wrong. */
START_TEST(checked_twice)
{
    static const char text[] = "{\"budgets\": [{\"kind\": \"counter\", \"name\": \"X\", \"error\": 5}]}";
    struct tk_baseline good, bad;
    struct tk_budgets b;
    struct tk_err err = {0};
    make_values(&bad, TK_SERIES_COUNTER, 7, 7);
    make_values(&good, TK_SERIES_COUNTER, 3, 3);
    ck_assert_int_eq(tk_budgets_parse(&b, text, strlen(text), &err), TK_OK);
    ck_assert_int_eq(tk_budgets_check(&b, &bad, &err), TK_OK);
    ck_assert_uint_eq(b.worst, TK_BUDGET_ERROR);
    ck_assert_int_eq(tk_budgets_check(&b, &good, &err), TK_OK);
    ck_assert(b.worst == TK_BUDGET_PASSED && b.v.v[0].value == 3);
    tk_budgets_release(&b);
    made_release(&good);
    made_release(&bad);
}
END_TEST

/* Of 100 frames of 1 to 100 ms each percentile is the frame of its number; those between go up. */
START_TEST(ranks_are_exact)
{
    static const struct {
        const char *name;
        double ms;
    } wanted[] = {{"p55", 55},     {"p07", 7},    {"p99", 99},      {"p55.1", 56},
                  {"p28.999", 29}, {"p0.001", 1}, {"p99.9999", 100}};
    struct tk_base_run *run = made_frames(1, 100, NULL, 0);
    struct tk_baseline runs = {0};
    struct tk_err err = {0};
    for (unsigned i = 0; i < 100; i++)
        run->frames.v[i] = (100 - i) * 1000;
    ck_assert_int_eq(tk_baseline_take(&runs, run, &err), TK_OK);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char text[128];
        snprintf(text, sizeof text,
                 "{\"budgets\": [{\"kind\": \"frame\", \"name\": \"%s\", \"error\": 100}]}", wanted[i].name);
        check(&runs, text, wanted[i].ms, TK_BUDGET_PASSED);
    }
    made_release(&runs);
}
END_TEST

/* A timer whose name has a NUL: 'A', NUL, 'B'; alongside it the six characters of the escape, which are a
 * name.
 */
START_TEST(names_with_nul)
{
    static const char text[] = "{\"budgets\": [{\"kind\": \"log\", \"name\": \"A\\u0000B\", \"error\": 6},"
                               "{\"kind\": \"log\", \"name\": \"A\\\\u0000B\", \"error\": 6}]}";
    struct tk_budgets b;
    struct tk_err err = {0};
    ck_assert_int_eq(tk_budgets_parse(&b, text, strlen(text), &err), TK_OK);
    ck_assert_uint_eq(b.v.v[0].name->n, 3);
    ck_assert_int_eq(memcmp(b.v.v[0].name->p, "A\0B", 3), 0);
    ck_assert_uint_eq(b.v.v[1].name->n, 8);
    ck_assert_int_eq(memcmp(b.v.v[1].name->p, "A\\u0000B", 8), 0);
    tk_budgets_release(&b);
}
END_TEST

/* What is proposed for such a name can be read, and is kept. */
START_TEST(proposals_with_nul)
{
    struct tk_baseline runs = {0};
    struct tk_base_run *run = made_run(1, timers, 1);
    struct tk_budgets b;
    struct tk_print text;
    struct tk_err err = {0};
    struct tk_series *s = tk_base_run_add(run, TK_SERIES_COUNTER);
    s->name = tk_intern(&run->names, "A\0B", 3, TK_ENC_UTF8);
    s->last = s->first = s->low = s->high = 7;
    s->count = 1;
    tk_base_run_tidy(run);
    ck_assert_int_eq(tk_baseline_take(&runs, run, &err), TK_OK);
    propose(&runs, 0.1, &text);
    ck_assert_int_eq(tk_budgets_parse(&b, text.v, text.n - 1, &err), TK_OK);
    ck_assert_int_eq(tk_budgets_check(&b, &runs, &err), TK_OK);
    ck_assert_uint_eq(b.worst, TK_BUDGET_PASSED);
    for (size_t i = 0; i < b.v.n; i++)
        ck_assert(!isnan(b.v.v[i].value)); /* none is missing */
    tk_budgets_release(&b);
    free(text.v);
    made_release(&runs);
}
END_TEST

/* What is not there is reported with its whole name, in which a NUL is a space. */
START_TEST(missing_with_nul)
{
    static const char text[] =
        "{\"budgets\": [{\"kind\": \"timer\", \"name\": \"A\\u0000C\", \"error\": 6}]}";
    struct tk_baseline runs;
    struct tk_budgets b;
    struct tk_err err = {0};
    make(&runs);
    ck_assert_int_eq(tk_budgets_parse(&b, text, strlen(text), &err), TK_OK);
    ck_assert_int_eq(tk_budgets_check(&b, &runs, &err), TK_OK);
    ck_assert_ptr_nonnull(b.v.v[0].why);
    ck_assert_ptr_nonnull(strstr(b.v.v[0].why, "'A C'"));
    tk_budgets_release(&b);
    made_release(&runs);
}
END_TEST

static void refuse(const char *text, const char *said)
{
    struct tk_budgets b;
    struct tk_err err = {0};
    ck_assert_int_eq(tk_budgets_parse(&b, text, strlen(text), &err), TK_EUSAGE);
    ck_assert_msg(strstr(err.text[0], said) != NULL, "%s: %s", text, err.text[0]);
    tk_budgets_release(&b);
}

START_TEST(what_would_be_ignored)
{
    refuse("{\"budgets\": [{\"kind\": \"frame\", \"name\": \"max\", \"thread\": \"Main\", \"error\": 1}]}",
           "no 'thread'");
    refuse("{\"budgets\": [{\"kind\": \"hitches\", \"thread\": \"Main\", \"error\": 1}]}", "no 'thread'");
    refuse("{\"budgets\": [{\"kind\": \"hitches\", \"name\": \"p95\", \"error\": 1}]}", "no 'name'");
    refuse("{\"budgets\": [{\"kind\": \"late\", \"error\": 1}]}", "needs a 'target'");
    refuse("{\"budgets\": [{\"kind\": \"timer\", \"name\": \"A\", \"target\": 60, \"error\": 1}]}",
           "no 'target'");
    refuse("{\"budgets\": [{\"kind\": \"low1\", \"name\": \"A\", \"error\": 1}]}", "no 'name'");
    refuse("{\"budgets\": [{\"kind\": \"hitches\", \"error\": 1}]} {}", "more than one JSON");
    refuse("{\"budgets\": [{\"kind\": \"hitches\", \"error\": -1}]}", "from 0 on");
}
END_TEST

/* Two runs, the second is the worst: that is all that is known of where, and it is reported. Messages of
 * GitHub have only '%' escaped, and properties ':' too. */
START_TEST(reports_tell_the_run)
{
    static const char text[] = "{\"budgets\": [{\"kind\": \"log\", \"error\": 0}, {\"kind\": \"counter\", "
                               "\"name\": \"A:%0A\", \"error\": 0}]}";
    const struct tk_report_setup setup = {0};
    struct tk_baseline runs = {0};
    struct tk_budgets b;
    struct tk_print out = {0};
    struct tk_err err = {0};
    for (uint64_t r = 0; r < 2; r++) {
        struct tk_base_run *run = made_run(r + 1, timers, 1);
        struct tk_series *s = tk_base_run_add(run, TK_SERIES_LOG);
        s->name = tk_intern_c(&run->names, "errors");
        s->count = r;
        s = tk_base_run_add(run, TK_SERIES_COUNTER);
        s->name = tk_intern_c(&run->names, "A:%0A");
        s->last = 1;
        tk_base_run_tidy(run);
        ck_assert_int_eq(tk_baseline_take(&runs, run, &err), TK_OK);
    }
    ck_assert_int_eq(tk_budgets_parse(&b, text, strlen(text), &err), TK_OK);
    ck_assert_int_eq(tk_budgets_check(&b, &runs, &err), TK_OK);
    tk_budgets_text(&out, &b, &setup);
    tk_budgets_github(&out, &b, &setup);
    tk_print_bytes(&out, "", 1);
    ck_assert_ptr_nonnull(strstr(out.v, "1 of 0 messages errors in the log  worst: run 2\n"));
    ck_assert_ptr_nonnull(strstr(out.v, "::error title=A%3A%250A::A:%250A is over budget: 1 of 0 (mean)\n"));
    free(out.v);
    tk_budgets_release(&b);
    made_release(&runs);
}
END_TEST

/* ---- regions ---- */

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

static struct tk_series *add_memory(struct tk_base_run *run, const char *name)
{
    struct tk_series *s = tk_base_run_add(run, TK_SERIES_MEMORY);
    s->name = tk_intern_c(&run->names, name);
    return s;
}

/* Allocations of which 100, 200, ..., 1600 bytes are alive in the blocks, and 9000 at some time in the first;
 * a tag that has its only value behind the fight. */
static void add_memories(struct tk_base_run *run)
{
    struct tk_series *all = add_memory(run, "all allocations"), *late = add_memory(run, "Late");
    all->count = 5000;
    all->high = 9000;
    all->last = 10;
    for (uint32_t i = 0; i < run->n_blocks; i++) {
        all->blocks[i] = 2 * 100.0 * (i + 1);
        all->hits[i] = 2;
    }
    late->count = late->hits[9] = 1;
    late->first = late->last = late->low = late->high = late->blocks[9] = 5e8;
    struct tk_run_segment *warm = tk_base_run_segment(run, TK_SEGMENT_WARMUP, tk_intern_c(&run->names, ""));
    warm->has[0] = warm->has[1] = 1;
    tk_base_run_tidy(run);
}

static const struct tk_series *memory_of(const struct tk_base_run *run, char first)
{
    for (size_t i = 0; i < run->series.n; i++)
        if (run->series.v[i]->kind == TK_SERIES_MEMORY && run->series.v[i]->name->p[0] == first)
            return run->series.v[i];
    return NULL;
}

/* Two of 16 blocks are left out. */
START_TEST(memory_without_the_warm_up)
{
    const struct tk_segment_choice choice = {.no_warmup = true};
    struct tk_baseline runs;
    struct tk_err err = {0};
    make(&runs);
    add_memories(runs.runs.v[0]);
    ck_assert_int_eq(tk_baseline_cut(&runs, &choice, &err), TK_OK);
    const struct tk_series *all = memory_of(runs.runs.v[0], 'a');
    ck_assert(all->first == 300 && all->last == 1600 && all->high == 1600);
    ck_assert(tk_series_of_allocations(all, runs.runs.v[0]->n_blocks));
    ck_assert_ptr_nonnull(memory_of(runs.runs.v[0], 'L'));
    made_release(&runs);
}
END_TEST

START_TEST(what_a_region_does_not_tell_has_no_budget)
{
    static const char *const text =
        "{\"budgets\": [{\"kind\": \"memory\", \"name\": \"Late\", \"region\": \"Fight\", \"error\": 1}]}";
    struct tk_baseline runs;
    struct tk_budgets b;
    struct tk_err err = {0};
    make(&runs);
    add_memories(runs.runs.v[0]);
    check(&runs,
          "{\"budgets\": [{\"kind\": \"memory\", \"name\": \"all allocations\", \"region\": \"Fight\", "
          "\"error\": 499}]}",
          500, TK_BUDGET_ERROR);
    ck_assert_int_eq(tk_budgets_parse(&b, text, strlen(text), &err), TK_OK);
    ck_assert_int_eq(tk_budgets_check(&b, &runs, &err), TK_OK);
    ck_assert_int_eq(b.v.v[0].level, TK_BUDGET_MISSING);
    ck_assert_int_eq(b.worst, TK_BUDGET_MISSING);
    ck_assert_ptr_nonnull(strstr(b.v.v[0].why, "no memory 'Late' on that thread or in that region"));
    tk_budgets_release(&b);
    made_release(&runs);
}
END_TEST

/* What is missing keeps nothing else from being checked, and is no worse than a warning. */
START_TEST(missing_alongside_others)
{
    static const char *const text =
        "{\"budgets\": [{\"kind\": \"timer\", \"name\": \"None\", \"error\": 1},"
        " {\"kind\": \"timer\", \"name\": \"Work\", \"region\": \"Nowhere\", \"error\": 1},"
        " {\"kind\": \"frame\", \"name\": \"max\", \"warning\": 0}]}";
    struct tk_baseline runs;
    struct tk_budgets b;
    struct tk_err err = {0};
    make(&runs);
    ck_assert_int_eq(tk_budgets_parse(&b, text, strlen(text), &err), TK_OK);
    ck_assert_int_eq(tk_budgets_check(&b, &runs, &err), TK_OK);
    ck_assert_uint_eq(tk_budgets_count(&b, TK_BUDGET_MISSING), 2);
    ck_assert_int_eq(b.v.v[2].level, TK_BUDGET_WARNING);
    ck_assert_int_eq(b.worst, TK_BUDGET_WARNING);
    tk_budgets_release(&b);
    made_release(&runs);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {values,
                                  limits,
                                  values_below_nothing,
                                  proposals_are_kept,
                                  names_with_nul,
                                  proposals_with_nul,
                                  missing_with_nul,
                                  checked_twice,
                                  ranks_are_exact,
                                  what_would_be_ignored,
                                  reports_tell_the_run,
                                  values_of_a_region,
                                  memory_without_the_warm_up,
                                  what_a_region_does_not_tell_has_no_budget,
                                  missing_alongside_others};
    return RUN_TESTS("budget", tests);
}
