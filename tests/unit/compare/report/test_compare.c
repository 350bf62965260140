/*
 * Verdicts on runs made by hand.
 */
#include "compare/baseline/segments.h"
#include "compare/collect/collect.h"
#include "compare/made_runs.h"
#include "compare/report/report.h"
#include "compare/verdict/compare.h"
#include "model/timers/thread_class.h"
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 12

static const char *const names[N] = {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "FrameLimiter.Wait",
                                     "K"};

/* What a side is like: each timer takes 1 ms, times its factor and that of the run, and a noise of one
 * percent. */
static void make_side(struct tk_baseline *b, unsigned first, unsigned n, const double *factor, double machine)
{
    struct tk_err err = {0};
    *b = (struct tk_baseline){0};
    for (unsigned r = 0; r < n; r++) {
        struct made_timer t[N];
        size_t k = 0;
        for (unsigned i = 0; i < N; i++) {
            double noise = ((first + r) * 7 + i * 5) % 11 / 5.0 - 1; /* -1 to 1 */
            if (factor[i] > 0)
                t[k++] = (struct made_timer){names[i], factor[i] * machine * (1 + 0.01 * noise)};
        }
        ck_assert_int_eq(tk_baseline_take(b, made_run(first + r + 1, t, k), &err), TK_OK);
    }
}

static const struct tk_change *find(const struct tk_comparison *c, enum tk_change_kind kind, const char *name)
{
    for (size_t i = 0; i < c->changes.n; i++) {
        const struct tk_change *x = &c->changes.v[i];
        if (x->kind == kind && x->name->n == strlen(name) && memcmp(x->name->p, name, x->name->n) == 0)
            return x;
    }
    return NULL;
}

static uint8_t candidate_kind; /* of the timers of candidates */

static void make_kind(struct tk_baseline *b)
{
    for (size_t r = 0; r < b->runs.n; r++)
        for (size_t i = 0; i < b->runs.v[r]->series.n; i++)
            b->runs.v[r]->series.v[i]->timer_kind = candidate_kind;
}

static void compare(struct tk_comparison *c, const double *a, const double *b, double machine, unsigned n)
{
    struct tk_baseline base, candidate;
    struct tk_compare_setup setup = {0};
    struct tk_err err = {0};
    make_side(&base, 0, n, a, 1);
    make_side(&candidate, 100, n, b, machine);
    make_kind(&candidate);
    ck_assert_int_eq(tk_comparison_make(c, &base, &candidate, NULL, &setup, &err), TK_OK);
    made_release(&base);
    made_release(&candidate);
}

static const double same[N] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};

START_TEST(nothing_is_said_of_what_is_the_same)
{
    struct tk_comparison c;
    compare(&c, same, same, 1, 5);
    ck_assert(!c.worse);
    for (size_t i = 0; i < c.changes.n; i++)
        ck_assert_uint_ne(c.changes.v[i].verdict, TK_REGRESSED);
    tk_comparison_release(&c);
}
END_TEST

START_TEST(changes_are_found_with_their_size)
{
    struct tk_comparison c;
    double b[N];
    memcpy(b, same, sizeof b);
    b[0] = 1.15;
    b[1] = 0.9;
    b[2] = 1.01; /* below the floor */
    b[10] = 0.7; /* waits */
    compare(&c, same, b, 1, 5);
    const struct tk_change *a = find(&c, TK_CHANGE_TIMER, "A");
    ck_assert(c.worse);
    ck_assert_uint_eq(a->verdict, TK_REGRESSED);
    ck_assert(fabs(a->ratio - 1.15) < 0.02 && a->low < 1.15 && a->high > 1.15);
    ck_assert_uint_eq(find(&c, TK_CHANGE_TIMER, "B")->verdict, TK_IMPROVED);
    ck_assert_uint_ne(find(&c, TK_CHANGE_TIMER, "C")->verdict, TK_REGRESSED);
    const struct tk_change *wait = find(&c, TK_CHANGE_TIMER, "FrameLimiter.Wait");
    ck_assert(wait->waits && wait->verdict == TK_UNCHANGED && wait->cause);
    tk_comparison_release(&c);
}
END_TEST

/* All timers 10 % slower: the machine, and no timer. */
START_TEST(what_is_the_same_for_all_is_the_machine)
{
    struct tk_comparison c;
    compare(&c, same, same, 1.1, 5);
    ck_assert(fabs(c.machine - 1.1) < 0.01);
    for (size_t i = 0; i < c.changes.n; i++)
        ck_assert(c.changes.v[i].kind != TK_CHANGE_TIMER || c.changes.v[i].verdict != TK_REGRESSED);
    tk_comparison_release(&c);
}
END_TEST

/* A repair that halves most timers is no machine: those that it leaves alone are as they were, and what it
 * made slower is slower by what was measured. */
START_TEST(a_repair_is_no_machine)
{
    static const double repaired[N] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1.48, 1, 1, 1, 0};
    struct tk_comparison c;
    compare(&c, same, repaired, 1, 3);
    ck_assert_uint_eq(c.shift.state, TK_SHIFT_NONE);
    ck_assert_double_eq(c.machine, 1);
    for (int i = 0; i < 7; i++)
        ck_assert_uint_eq(find(&c, TK_CHANGE_TIMER, names[i])->verdict, TK_IMPROVED);
    const struct tk_change *slower = find(&c, TK_CHANGE_TIMER, names[7]);
    ck_assert_uint_eq(slower->verdict, TK_REGRESSED);
    ck_assert_double_eq_tol(slower->ratio, 1.48, 0.01);
    ck_assert_double_eq_tol(slower->raw_ratio, 1.48, 0.01);
    for (int i = 8; i < 10; i++) {
        ck_assert_uint_ne(find(&c, TK_CHANGE_TIMER, names[i])->verdict, TK_REGRESSED);
        ck_assert_uint_ne(find(&c, TK_CHANGE_TIMER, names[i])->verdict, TK_IMPROVED);
    }
    tk_comparison_release(&c);
}
END_TEST

/* All are 20 % faster, and one by 15 % only: slower than the others, but not slower. */
START_TEST(what_is_better_as_measured_is_no_regression)
{
    struct tk_comparison c;
    double b[N];
    memcpy(b, same, sizeof b);
    b[3] = 0.85 / 0.8;
    compare(&c, same, b, 0.8, 5);
    ck_assert_uint_eq(c.shift.state, TK_SHIFT_DECIDED);
    const struct tk_change *one = find(&c, TK_CHANGE_TIMER, names[3]);
    ck_assert(one->ratio > 1.05 && one->raw_ratio < 0.87);
    ck_assert_uint_ne(one->verdict, TK_REGRESSED);
    tk_comparison_release(&c);
}
END_TEST

/* Two single runs decide nothing about 10 %: it stays in the figures, and no timer changes by it. */
START_TEST(an_undecided_shift_is_not_taken_out)
{
    struct tk_comparison c;
    compare(&c, same, same, 1.1, 1);
    ck_assert_uint_eq(c.shift.state, TK_SHIFT_UNDECIDED);
    ck_assert_double_eq(c.machine, 1);
    const struct tk_change *one = find(&c, TK_CHANGE_TIMER, names[0]);
    ck_assert_double_eq_tol(one->ratio, 1.1, 0.025);
    for (size_t i = 0; i < c.changes.n; i++)
        ck_assert_uint_ne(c.changes.v[i].verdict, TK_REGRESSED);
    tk_comparison_release(&c);
}
END_TEST

/* Runs of which each is as fast as it is said; `machine` is that of the candidate. */
static void compare_paces(struct tk_comparison *c, const double *paces, unsigned n, double machine)
{
    struct tk_baseline base = {0}, candidate;
    struct tk_compare_setup setup = {0};
    struct tk_err err = {0};
    for (unsigned r = 0; r < n; r++) {
        struct tk_baseline one;
        make_side(&one, r, 1, same, paces[r]);
        ck_assert_int_eq(tk_baseline_take(&base, one.runs.v[0], &err), TK_OK);
        one.runs.n = 0;
        made_release(&one);
    }
    make_side(&candidate, 100, n, same, machine);
    ck_assert_int_eq(tk_comparison_make(c, &base, &candidate, NULL, &setup, &err), TK_OK);
    made_release(&base);
    made_release(&candidate);
}

/* One run of half the time blinds nobody to all timers that are 12 % slower; one that is 15 % off is let be.
 */
START_TEST(a_run_that_stands_out_is_left_out)
{
    static const double wild[] = {1, 1.01, 0.51, 0.99, 1}, usual[] = {1, 1.01, 0.87, 0.99, 1};
    struct tk_comparison c;
    compare_paces(&c, wild, 5, 1.12);
    ck_assert_uint_eq(c.outliers.n, 1);
    ck_assert_uint_eq(c.outliers.v[0].run, 2);
    ck_assert_double_eq_tol(c.outliers.v[0].ratio, 0.51, 0.02);
    ck_assert_uint_eq(c.outliers.v[0].with[TK_REGRESSED], 0);
    ck_assert(c.worse && c.changes.v[0].kind == TK_CHANGE_COMMON && c.runs[0] == 4);
    tk_comparison_release(&c);
    compare_paces(&c, usual, 5, 1.12);
    ck_assert(c.outliers.n == 0 && c.runs[0] == 5);
    tk_comparison_release(&c);
}
END_TEST

START_TEST(a_machine_with_two_speeds)
{
    static const double two[] = {1, 1.12, 1.12, 1, 1.12, 1}, one[] = {1, 1.01, 0.99, 1.02, 0.98, 1};
    struct tk_comparison c;
    compare_paces(&c, two, 6, 1);
    ck_assert(c.speeds.n[0] == 9 && c.speeds.n[1] == 3);
    ck_assert_double_eq_tol(c.speeds.ratio, 1.12, 0.02);
    tk_comparison_release(&c);
    compare_paces(&c, one, 6, 1);
    ck_assert(c.speeds.n[1] == 0);
    tk_comparison_release(&c);
    compare_paces(&c, one, 6, 1.12); /* between the sides */
    ck_assert(c.speeds.n[1] == 0);
    tk_comparison_release(&c);
}
END_TEST

START_TEST(two_single_runs_have_no_interval)
{
    struct tk_comparison c;
    compare(&c, same, same, 1.1, 1);
    for (size_t i = 0; i < c.changes.n; i++)
        ck_assert(isnan(c.changes.v[i].low) && isnan(c.changes.v[i].high));
    tk_comparison_release(&c);
}
END_TEST

START_TEST(timers_come_go_and_change_their_names)
{
    struct tk_comparison c;
    double a[N], b[N];
    memcpy(a, same, sizeof a);
    memcpy(b, same, sizeof b);
    b[0] = 0; /* gone */
    a[1] = 0; /* new, and too slow to be the one that is gone */
    b[1] = 2;
    compare(&c, a, b, 1, 4);
    ck_assert_uint_eq(find(&c, TK_CHANGE_TIMER, "A")->verdict, TK_REMOVED);
    ck_assert_uint_eq(find(&c, TK_CHANGE_TIMER, "B")->verdict, TK_ADDED);
    ck_assert(!c.worse);
    tk_comparison_release(&c);
    b[1] = 1;
    compare(&c, a, b, 1, 4);
    const struct tk_change *renamed = find(&c, TK_CHANGE_TIMER, "A");
    ck_assert_uint_eq(renamed->verdict, TK_RENAMED);
    ck_assert(renamed->to->n == 1 && renamed->to->p[0] == 'B');
    ck_assert(renamed->per_call[0] > 0 && fabs(renamed->per_call[1] / renamed->per_call[0] - 1) < 0.1);
    ck_assert_ptr_null(find(&c, TK_CHANGE_TIMER, "B"));
    tk_comparison_release(&c);
}
END_TEST

/* A program that names its scopes itself has timers of another kind in the other format. */
START_TEST(timers_change_their_names_from_one_format_to_another)
{
    struct tk_comparison c;
    double a[N], b[N];
    memcpy(a, same, sizeof a);
    memcpy(b, same, sizeof b);
    b[0] = 0;
    a[1] = 0;
    candidate_kind = TK_TIMER_ZONE;
    compare(&c, a, b, 1, 4);
    ck_assert_uint_eq(find(&c, TK_CHANGE_TIMER, "A")->verdict, TK_RENAMED);
    tk_comparison_release(&c);
    candidate_kind = TK_TIMER_SPEC;
}
END_TEST

/* Two paths of a timer, A;B and C;B; `factor` makes B slower in the first only. Memory of a tag grows by
 * `bytes`, and loading takes `ms`. */
static void make_paths(struct tk_baseline *b, unsigned first, double factor, double bytes, double ms)
{
    static const double all[N] = {1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
    struct tk_err err = {0};
    *b = (struct tk_baseline){0};
    for (unsigned r = 0; r < 5; r++) {
        double noise = 1 + 0.002 * ((first + r) % 5), extra = (factor - 1) * 300;
        struct made_timer t[N];
        for (unsigned i = 0; i < N - 1; i++)
            t[i] = (struct made_timer){names[i], all[i] * noise};
        t[1].ms = noise * (2 + extra / 1000);
        struct tk_base_run *run = made_run(first + r + 1, t, N - 1);
        const struct tk_series *s[3] = {run->series.v[0], run->series.v[1], run->series.v[2]};
        const double own[4] = {1000, 300 * factor, 1000, 1700};
        const struct tk_series *const of[4] = {s[0], s[1], s[2], s[1]};
        for (uint32_t i = 0; i < 4; i++) {
            struct tk_path path = {.parent = i % 2 ? i : 0, .timer = of[i], .count = 64, .reported = true};
            path.own = path.parts[0] = (int64_t)(own[i] * 64 * noise);
            ck_assert(!tk_vec_push(&run->paths, path));
        }
        struct tk_series *memory = tk_base_run_add(run, TK_SERIES_MEMORY);
        memory->name = tk_intern_c(&run->names, "Textures");
        memory->high = 5e8;
        memory->first = 1e8;
        memory->last = 1e8 + bytes;
        struct tk_series *loading = tk_base_run_add(run, TK_SERIES_LOADING);
        loading->name = tk_intern_c(&run->names, "loading");
        loading->count = 1;
        loading->own = (int64_t)(ms * 1000 * noise);
        tk_base_run_tidy(run);
        ck_assert_int_eq(tk_baseline_take(b, run, &err), TK_OK);
    }
}

static void compare_paths(struct tk_comparison *c, double factor, double bytes, double ms)
{
    struct tk_baseline base, candidate;
    struct tk_compare_setup setup = {0};
    struct tk_err err = {0};
    make_paths(&base, 0, 1, 1e6, 100);
    make_paths(&candidate, 100, factor, bytes, ms);
    ck_assert_int_eq(tk_comparison_make(c, &base, &candidate, NULL, &setup, &err), TK_OK);
    made_release(&base);
    made_release(&candidate);
}

START_TEST(paths_growth_and_loading)
{
    struct tk_comparison c;
    compare_paths(&c, 1, 1e6, 100);
    ck_assert(!c.worse);
    tk_comparison_release(&c);
    /* 0.15 ms more in one path: 7.5 % of the timer, reported once, with the path */
    compare_paths(&c, 1.5, 1e6, 100);
    const struct tk_change *timer = find(&c, TK_CHANGE_TIMER, "B");
    ck_assert_uint_eq(timer->verdict, TK_REGRESSED);
    ck_assert(timer->path && timer->path->n == 3 && memcmp(timer->path->p, "A;B", 3) == 0);
    ck_assert_uint_eq(find(&c, TK_CHANGE_PATH, "A;B")->verdict, TK_UNCHANGED);
    ck_assert_uint_eq(find(&c, TK_CHANGE_PATH, "C;B")->verdict, TK_UNCHANGED);
    tk_comparison_release(&c);
    /* 0.03 ms more: 1.5 % of the timer, below the floor, but 10 % of the path */
    compare_paths(&c, 1.1, 1e6, 100);
    ck_assert_uint_ne(find(&c, TK_CHANGE_TIMER, "B")->verdict, TK_REGRESSED);
    ck_assert_uint_eq(find(&c, TK_CHANGE_PATH, "A;B")->verdict, TK_REGRESSED);
    tk_comparison_release(&c);
    /* 20 MB of 500 MB are 4 %; half of the loading time more */
    compare_paths(&c, 1, 21e6, 150);
    const struct tk_change *growth = NULL;
    for (size_t i = 0; i < c.changes.n; i++)
        if (c.changes.v[i].metric && strcmp(c.changes.v[i].metric, "growth") == 0)
            growth = &c.changes.v[i];
    ck_assert(growth && growth->verdict == TK_REGRESSED && growth->candidate - growth->baseline == 20e6);
    ck_assert_uint_eq(find(&c, TK_CHANGE_LOADING, "loading")->verdict, TK_REGRESSED);
    tk_comparison_release(&c);
    compare_paths(&c, 1, 5e6, 103); /* less than 2 % of the memory, less than 5 ms */
    ck_assert(!c.worse);
    tk_comparison_release(&c);
}
END_TEST

static void add_values(struct tk_base_run *run, const char *name, double first, double rest)
{
    struct tk_series *s = tk_base_run_add(run, TK_SERIES_MEMORY);
    s->name = tk_intern_c(&run->names, name);
    for (uint32_t i = 0; i < (rest > 0 ? run->n_blocks : 1); i++) {
        s->blocks[i] = 2 * (i ? rest : first);
        s->hits[i] = 2;
        s->count += 2;
    }
    s->first = s->high = first;
    s->last = s->low = rest > 0 ? rest : first;
}

/* In the first of 16 blocks of four frames: errors, and bytes of tags, one of which has no others. */
static void make_warm(struct tk_baseline *b, uint64_t hash, double errors, double bytes)
{
    static const struct made_timer timer = {"Tick", 2};
    struct tk_base_run *run = made_run(hash, &timer, 1);
    struct tk_err err = {0};
    struct tk_series *log = tk_base_run_add(run, TK_SERIES_LOG);
    log->name = tk_intern_c(&run->names, "errors");
    log->count = (uint64_t)errors + 1;
    log->blocks[0] = errors;
    log->blocks[9] = 1;
    add_values(run, "Audio", bytes, 1e8);
    add_values(run, "Early", bytes, 0);
    tk_base_run_tidy(run);
    *b = (struct tk_baseline){0};
    ck_assert_int_eq(tk_baseline_take(b, run, &err), TK_OK);
}

static void compare_warm(struct tk_comparison *c, uint64_t warmup)
{
    struct tk_baseline base, candidate;
    const struct tk_compare_setup setup = {.warmup = warmup};
    struct tk_err err = {0};
    make_warm(&base, 1, 0, 1e8);
    make_warm(&candidate, 2, 50, 2e8);
    ck_assert_int_eq(tk_comparison_make(c, &base, &candidate, NULL, &setup, &err), TK_OK);
    made_release(&base);
    made_release(&candidate);
}

/* What is of the warm-up alone is found with it, and not without. */
START_TEST(the_warm_up_is_left_out_of_everything)
{
    struct tk_comparison c;
    compare_warm(&c, 0);
    ck_assert_uint_eq(find(&c, TK_CHANGE_LOG, "errors")->verdict, TK_REGRESSED);
    ck_assert(find(&c, TK_CHANGE_MEMORY, "Audio")->candidate == 2e8);
    ck_assert(find(&c, TK_CHANGE_MEMORY, "Early")->candidate == 2e8);
    tk_comparison_release(&c);
    compare_warm(&c, 4);
    const struct tk_change *errors = find(&c, TK_CHANGE_LOG, "errors");
    ck_assert(errors->verdict == TK_UNCHANGED && errors->baseline == 1 && errors->candidate == 1);
    ck_assert(find(&c, TK_CHANGE_MEMORY, "Early") == NULL);
    for (size_t i = 0; i < c.changes.n; i++)
        if (c.changes.v[i].kind == TK_CHANGE_MEMORY)
            ck_assert(c.changes.v[i].candidate == 1e8 && c.changes.v[i].verdict == TK_UNCHANGED);
    tk_comparison_release(&c);
}
END_TEST

/* The begin of a report as one line, until the next one is requested. */
static const char *report_of(const struct tk_comparison *c,
                             void (*kind)(struct tk_print *, const struct tk_comparison *,
                                          const struct tk_report_setup *))
{
    static char text[4096];
    const struct tk_report_setup setup = {0};
    struct tk_print out = {0};
    kind(&out, c, &setup);
    snprintf(text, sizeof text, "%.*s", (int)out.n, out.v);
    free(out.v);
    for (char *p = text; *p; p++)
        *p = *p == '\n' ? ' ' : *p;
    return text;
}

/* Blocks have four frames: what is requested is rounded up to them, and reports say so. */
START_TEST(frames_left_out_are_reported)
{
    struct tk_comparison c;
    compare_warm(&c, 5);
    ck_assert_uint_eq(c.left_out[0], 8);
    ck_assert_uint_eq(c.left_out[1], 8);
    ck_assert_ptr_nonnull(strstr(report_of(&c, tk_report_text),
                                 "; the first 8 frames of each run are left out: "
                                 "whole blocks that hold the 5 asked for"));
    ck_assert_ptr_nonnull(
        strstr(report_of(&c, tk_report_json), ",\"warmup\":{\"asked\":5,\"least\":8,\"most\":8},"));
    tk_comparison_release(&c);
    compare_warm(&c, 8);
    ck_assert_ptr_nonnull(
        strstr(report_of(&c, tk_report_text), "; the first 8 frames of each run are left out"));
    tk_comparison_release(&c);
    compare_warm(&c, 0);
    ck_assert_ptr_null(strstr(report_of(&c, tk_report_json), "warmup"));
    tk_comparison_release(&c);
}
END_TEST

START_TEST(what_cannot_be_compared_is_refused)
{
    struct tk_comparison c;
    struct tk_baseline a, b, none = {0};
    struct tk_compare_setup setup = {0}, all_warm = {.warmup = 1000};
    struct tk_err err = {0};
    const double first[N] = {1, 1}, last[N] = {0, 0, 1, 1};
    make_side(&a, 0, 2, first, 1);
    make_side(&b, 50, 2, last, 1);
    ck_assert_int_eq(tk_comparison_make(&c, &a, &none, NULL, &setup, &err), TK_EUNKNOWN);
    tk_comparison_release(&c);
    ck_assert_int_eq(tk_comparison_make(&c, &a, &b, NULL, &setup, &err), TK_EUNKNOWN);
    tk_comparison_release(&c);
    ck_assert_int_eq(tk_comparison_make(&c, &a, &a, NULL, &all_warm, &err), TK_EMATCH);
    tk_comparison_release(&c);
    ck_assert_int_eq(tk_comparison_make(&c, &a, &a, &b, &setup, &err), TK_EUSAGE);
    tk_comparison_release(&c);
    made_release(&a);
    made_release(&b);
}
END_TEST

START_TEST(classes_of_threads)
{
    static const struct {
        const char *name, *group, *wanted;
    } cases[] = {
        {"GameThread", NULL, "GameThread"},
        {"Worker 12", "Pool", "Worker"},
        {"Foreground Worker #3", NULL, "Foreground Worker"},
        {"Thread 0x7f12ab", NULL, "Thread"},
        {"12", "Pool", "Pool"},
        {"12", NULL, "12"},
        {"RHI (2)", NULL, "RHI"},
        {"IO_4", NULL, "IO"},
    };
    struct tk_intern strings = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tk_str *group = cases[i].group ? tk_intern_c(&strings, cases[i].group) : NULL;
        const struct tk_str *got = tk_thread_class(&strings, tk_intern_c(&strings, cases[i].name), group);
        ck_assert_msg(got == tk_intern_c(&strings, cases[i].wanted), "%s gave %.*s", cases[i].name,
                      (int)got->n, got->p);
    }
    tk_intern_release(&strings);
}
END_TEST

/* A call in each of 64 frames, in a half of which there is a region; `parts` are distinguished. */
static void make_half(struct tk_baseline *b, unsigned first, uint8_t parts)
{
    static const char *const half[] = {"Half"};
    const struct tk_segment_choice choice = {.regions = half, .n_regions = 1};
    struct tk_err err = {0};
    make_side(b, first, 2, same, 1);
    for (size_t r = 0; r < 2; r++) {
        struct tk_base_run *run = b->runs.v[r];
        struct tk_run_segment *s =
            tk_base_run_segment(run, TK_SEGMENT_REGION, tk_intern_c(&run->names, "Half"));
        for (uint32_t i = 0; i < run->n_blocks / 2; i++) {
            s->has[i] = 1;
            run->part[i] = parts - 1;
        }
        for (size_t i = 0; i < run->series.n; i++) {
            struct tk_run_part_sum *sums = run->series.v[i]->parts = calloc(TK_CALL_PATH_SUMS, sizeof *sums);
            sums[0].count = sums[parts - 1].count = MADE_FRAMES / parts;
        }
    }
    ck_assert_int_eq(tk_baseline_cut(b, &choice, &err), TK_OK);
}

/* A region that is no part of its own says nothing of calls. */
START_TEST(calls_of_a_region)
{
    for (uint8_t parts = 1; parts <= 2; parts++) {
        struct tk_baseline a, b;
        struct tk_comparison c;
        struct tk_compare_setup setup = {0};
        struct tk_err err = {0};
        make_half(&a, 0, parts);
        make_half(&b, 100, parts);
        ck_assert_int_eq(tk_comparison_make(&c, &a, &b, NULL, &setup, &err), TK_OK);
        const struct tk_change *change = find(&c, TK_CHANGE_TIMER, "A");
        ck_assert(c.torn[0] == (parts == 1) && c.torn[1] == c.torn[0]);
        ck_assert(c.torn[0] ? isnan(change->calls[0]) && isnan(change->per_call[0]) : change->calls[0] == 1);
        tk_comparison_release(&c);
        made_release(&a);
        made_release(&b);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {nothing_is_said_of_what_is_the_same,
                                  changes_are_found_with_their_size,
                                  what_is_the_same_for_all_is_the_machine,
                                  a_repair_is_no_machine,
                                  what_is_better_as_measured_is_no_regression,
                                  an_undecided_shift_is_not_taken_out,
                                  a_run_that_stands_out_is_left_out,
                                  a_machine_with_two_speeds,
                                  two_single_runs_have_no_interval,
                                  timers_come_go_and_change_their_names,
                                  timers_change_their_names_from_one_format_to_another,
                                  what_cannot_be_compared_is_refused,
                                  classes_of_threads,
                                  the_warm_up_is_left_out_of_everything,
                                  frames_left_out_are_reported,
                                  paths_growth_and_loading,
                                  calls_of_a_region};
    return RUN_TESTS("compare", tests);
}
