/*
 * Runs that are cut to regions of the game, and what a copy of them keeps.
 */
#include "compare/baseline/baseline_file.h"
#include "compare/baseline/block_walk.h"
#include "compare/baseline/segments.h"
#include "compare/made_baseline.h"
#include "compare/made_runs.h"
#include "run.h"

#include <math.h>
#include <string.h>

/* The first quarter of the run is dropped in one test, all but the last in the other: sums by hand. */
START_TEST(runs_are_cut_to_regions)
{
    static const char *const fight[] = {"Fi*"}, *const none[] = {"Peace"};
    const struct tk_segment_choice choice = {.regions = fight, .n_regions = 1};
    const struct tk_segment_choice wrong = {.regions = none, .n_regions = 1}, warm = {.no_warmup = true};
    struct tk_baseline b, copy;
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    made_baseline(&b, &bytes, 1);
    ck_assert_int_eq(tk_baseline_copy(&copy, &b, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_cut(&copy, &wrong, &err), TK_EMATCH);
    ck_assert_int_eq(tk_baseline_cut(&copy, &warm, &err), TK_EUNKNOWN);
    ck_assert_int_eq(tk_baseline_cut(&copy, &choice, &err), TK_OK);
    const struct tk_base_run *run = copy.runs.v[0];
    ck_assert_uint_eq(run->frames.n, 16);
    ck_assert_uint_eq(run->n_blocks, 4);
    ck_assert(run->numbers[0] == 48 && fabs(run->begins[0] - (2.501 + 48 * 16)) < 1e-9);
    const struct tk_series *draw = run->series.v[0];
    ck_assert_uint_eq(draw->count, 16);
    ck_assert_uint_eq(draw->total, 16 * 3500);
    ck_assert_int_eq(draw->own, 16 * 3500);
    ck_assert_int_eq(run->paths.v[1].own, -12);
    for (size_t i = 0; i < run->series.n; i++)
        ck_assert_uint_ne(run->series.v[i]->kind, TK_SERIES_LOADING);
    made_release(&b);
    made_release(&copy);
    free(bytes.v);
}
END_TEST

/* A pattern may be about regions that there was no space for, a name that is found is not. */
START_TEST(patterns_tell_of_regions_that_were_lost)
{
    static const char *const fight[] = {"Fight"}, *const pattern[] = {"F*"};
    const struct tk_segment_choice exact = {.regions = fight, .n_regions = 1};
    const struct tk_segment_choice glob = {.regions = pattern, .n_regions = 1};
    struct tk_baseline b;
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    made_baseline(&b, &bytes, 1);
    ck_assert_int_eq(tk_baseline_cut(&b, &glob, &err), TK_OK);
    ck_assert_uint_eq(b.lost_regions, 0);
    b.runs.v[0]->lost_regions = 80;
    ck_assert_int_eq(tk_baseline_cut(&b, &exact, &err), TK_OK);
    ck_assert_uint_eq(b.lost_regions, 0);
    ck_assert_int_eq(tk_baseline_cut(&b, &glob, &err), TK_OK);
    ck_assert_uint_eq(b.lost_regions, 80);
    made_release(&b);
    free(bytes.v);
}
END_TEST

/* What was cut is written and read as it is: the times of single calls are gone. */
START_TEST(cut_runs_are_copied)
{
    static const char *const fight[] = {"Fight"};
    const struct tk_segment_choice choice = {.regions = fight, .n_regions = 1};
    struct tk_baseline b, copy;
    struct tk_baseline_bytes bytes, again = {0};
    struct tk_err err = {0};
    made_baseline(&b, &bytes, 1);
    ck_assert_uint_eq(bytes.v[8], TK_BASELINE_VERSION);
    free(bytes.v);
    bytes = (struct tk_baseline_bytes){0};
    ck_assert_int_eq(tk_baseline_cut(&b, &choice, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    ck_assert_uint_eq(bytes.v[8], TK_BASELINE_VERSION);
    ck_assert_int_eq(tk_baseline_copy(&copy, &b, &err), TK_OK);
    const struct tk_series *draw = copy.runs.v[0]->series.v[0];
    ck_assert_uint_eq(draw->count, 16);
    ck_assert_int_eq(draw->own, 16 * 3500);
    ck_assert(draw->exact == NULL && !tk_series_says_calls(draw));
    ck_assert_uint_eq(copy.runs.v[0]->numbers[0], 48);
    ck_assert(fabs(copy.runs.v[0]->begins[0] - (2.501 + 48 * 16)) < 1e-9);
    ck_assert_int_eq(tk_baseline_encode(&copy, &again, &err), TK_OK);
    ck_assert(again.n == bytes.n && memcmp(again.v, bytes.v, bytes.n) == 0);
    bytes.v[8] = 2; /* says of no version 2 that calls are missing */
    made_release(&copy);
    ck_assert_int_eq(tk_baseline_decode(&copy, bytes.v, bytes.n, &err), TK_EFORMAT);
    made_release(&b);
    made_release(&copy);
    free(bytes.v);
    free(again.v);
}
END_TEST

/* Quartiles of 3500 cycles, of which a frame may have half as much again. */
START_TEST(greatest_frames_are_kept_and_cut)
{
    static const char *const fight[] = {"Fight"};
    const struct tk_segment_choice choice = {.regions = fight, .n_regions = 1};
    struct tk_baseline b, copy;
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    made_baseline(&b, &bytes, 1);
    ck_assert_int_eq(tk_baseline_copy(&copy, &b, &err), TK_OK);
    const struct tk_series *draw = copy.runs.v[0]->series.v[0];
    ck_assert(draw->greatest && draw->greatest->n == 3 && draw->greatest->limit == 5250);
    ck_assert(draw->greatest->v[1].frame == 50 && draw->greatest->v[1].own == 20000);
    ck_assert_double_eq_tol(tk_series_beyond(draw, 0, 64), 84750 + 14750 + 2750, 1e-9);
    ck_assert_double_eq_tol(tk_series_beyond(draw, 6, 60), 14750, 1e-9);
    ck_assert_int_eq(tk_baseline_cut(&copy, &choice, &err), TK_OK);
    ck_assert(draw->greatest->n == 2 && draw->greatest->v[0].frame == 2 && draw->greatest->v[1].frame == 12);
    ck_assert_double_eq_tol(tk_series_beyond(draw, 0, 16), 14750 + 2750, 1e-9);
    made_release(&copy);
    made_release(&b);
    free(bytes.v);
}
END_TEST

/* Of 64 frames eight are kept: where more are beyond the limit it is the ninth. */
START_TEST(few_greatest_frames_are_kept)
{
    struct tk_baseline b;
    struct tk_baseline_bytes bytes;
    struct tk_rate space[MADE_FRAMES];
    int64_t own[MADE_FRAMES];
    made_baseline(&b, &bytes, 1);
    struct tk_series *draw = b.runs.v[0]->series.v[0];
    for (unsigned i = 0; i < MADE_FRAMES; i++)
        own[i] = i < 12 ? 10001 + (int64_t)i : 3500;
    ck_assert(!tk_series_find_greatest(b.runs.v[0], draw, own, space));
    ck_assert(draw->greatest->n == 8 && draw->greatest->limit == 10004 && draw->greatest->v[0].frame == 4);
    ck_assert_double_eq_tol(tk_series_beyond(draw, 0, 64), 8 * 9 / 2.0, 1e-9);
    made_release(&b);
    free(bytes.v);
}
END_TEST

/* Sums of a saved run that was changed: what 64 bits do not hold becomes the nearest number. */
START_TEST(sums_of_cuts_are_bounded)
{
    static const char *const fight[] = {"Fight"};
    const struct tk_segment_choice choice = {.regions = fight, .n_regions = 1};
    static const struct {
        double block;
        int64_t own;
    } cases[] = {{0x1p62, INT64_MAX}, {-0x1p62, INT64_MIN}, {(double)INFINITY, INT64_MAX}, {(double)NAN, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_baseline b;
        struct tk_baseline_bytes bytes;
        struct tk_err err = {0};
        made_baseline(&b, &bytes, 1);
        struct tk_base_run *run = b.runs.v[0];
        for (uint32_t k = 0; k < run->n_blocks; k++)
            run->series.v[0]->blocks[k] = cases[i].block;
        ck_assert_int_eq(tk_baseline_cut(&b, &choice, &err), TK_OK);
        ck_assert_int_eq(b.runs.v[0]->series.v[0]->own, cases[i].own);
        made_release(&b);
        free(bytes.v);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {runs_are_cut_to_regions, patterns_tell_of_regions_that_were_lost,
                                  cut_runs_are_copied, sums_of_cuts_are_bounded,
                                  greatest_frames_are_kept_and_cut, few_greatest_frames_are_kept};
    return RUN_TESTS("baseline_cut", tests);
}
