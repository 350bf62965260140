/*
 * Baseline files: written, read, and broken in every way.
 */
#include "compare/baseline/baseline_file.h"
#include "compare/baseline/block_walk.h"
#include "compare/baseline/call_walk.h"
#include "compare/baseline/segments.h"
#include "compare/made_runs.h"
#include "run.h"

#include <math.h>
#include <string.h>

static const struct made_timer timers[] = {{"Tick", 2}, {"Draw", 3.5}, {"Idle", 9}};

/* A region over the last quarter, a path of two timers, loading, and the calls of a timer by part. */
static void add_more(struct tk_base_run *run)
{
    struct tk_segment *s = tk_base_run_segment(run, TK_SEGMENT_REGION, tk_intern_c(&run->names, "Fight"));
    for (uint32_t b = 12; b < 16; b++) {
        s->has[b] = 1;
        run->part[b] = 1;
    }
    ck_assert(!tk_vec_push(&run->gaps, 2500));
    for (unsigned i = 1; i < MADE_FRAMES; i++)
        ck_assert(!tk_vec_push(&run->gaps, i == 10));
    const struct tk_series *draw = run->series.v[0], *tick = run->series.v[2];
    const struct tk_path paths[] = {{0, tick, 64, 1000, false, {0}},
                                    {1, draw, 32, -5, true, {[0] = 7, [1] = -12}}};
    ck_assert(!tk_vec_push(&run->paths, paths[0]) && !tk_vec_push(&run->paths, paths[1]));
    struct tk_series *loading = tk_base_run_add(run, TK_SERIES_LOADING);
    loading->name = tk_intern_c(&run->names, "loading");
    loading->count = 3;
    loading->own = 77;
    struct tk_series *parts = run->series.v[0];
    parts->parts = calloc(TK_CALL_PATH_SUMS, sizeof *parts->parts);
    parts->parts[0] = (struct tk_interval_sum){48, 48 * 3500};
    parts->parts[1] = (struct tk_interval_sum){16, 16 * 3500};
}

static void make(struct tk_baseline *b, struct tk_baseline_bytes *bytes, unsigned runs)
{
    struct tk_err err = {0};
    *b = (struct tk_baseline){0};
    *bytes = (struct tk_baseline_bytes){0};
    for (unsigned i = 0; i < runs; i++)
        ck_assert_int_eq(tk_baseline_take(b, made_run(i + 1, timers, 3), &err), TK_OK);
    struct tk_series *c = tk_base_run_add(b->runs.v[0], TK_SERIES_COUNTER);
    c->name = tk_intern_c(&b->runs.v[0]->names, "Actors");
    c->count = 2;
    c->first = 1.5;
    c->last = c->high = 2.5;
    c->low = -1;
    c->blocks[3] = 4;
    c->hits[3] = 2;
    add_more(b->runs.v[0]);
    tk_base_run_tidy(b->runs.v[0]);
    ck_assert_int_eq(tk_baseline_encode(b, bytes, &err), TK_OK);
}

START_TEST(what_is_written_is_read)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes, again = {0};
    struct tk_err err = {0};
    make(&b, &bytes, 3);
    ck_assert_int_eq(tk_baseline_decode(&back, bytes.v, bytes.n, &err), TK_OK);
    ck_assert_uint_eq(back.runs.n, 3);
    const struct tk_base_run *run = back.runs.v[0];
    ck_assert_uint_eq(run->hash, 1);
    ck_assert_uint_eq(run->frequency, 1000000);
    ck_assert_uint_eq(run->frames.n, MADE_FRAMES);
    ck_assert_uint_eq(run->frames.v[63], 16000);
    ck_assert_uint_eq(run->series.n, 5);
    ck_assert_uint_eq(run->segments.n, 1);
    ck_assert(run->segments.v[0].has[12] && !run->segments.v[0].has[11] && run->part[15] == 1);
    ck_assert(run->gaps.n == 64 && run->gaps.v[0] == 2500 && run->gaps.v[10] == 1);
    ck_assert_uint_eq(run->paths.n, 2);
    ck_assert(run->paths.v[1].parent == 1 && run->paths.v[1].timer == run->series.v[0]);
    ck_assert(run->paths.v[1].told && run->paths.v[1].parts[1] == -12 && run->paths.v[1].own == -5);
    ck_assert(run->series.v[4]->count == 3 && run->series.v[4]->own == 77);
    ck_assert(run->series.v[0]->parts[1].count == 16);
    const struct tk_series *draw = run->series.v[0], *actors = run->series.v[3];
    ck_assert(draw->name->n == 4 && memcmp(draw->name->p, "Draw", 4) == 0);
    ck_assert_int_eq(draw->own, 3500 * 64);
    uint64_t room[TK_SERIES_EXACT];
    ck_assert(tk_series_is_exact(draw) && !draw->exact && tk_series_exact(draw, room) == room);
    ck_assert_uint_eq(room[63], 3500);
    ck_assert_uint_eq(tk_series_calls(draw), 64);
    ck_assert(tk_block_sum(draw, 15, 16) == 3500 * 4);
    ck_assert(actors->blocks[3] == 4 && actors->hits[3] == 2 && actors->low == -1 && actors->last == 2.5);
    ck_assert_int_eq(tk_baseline_encode(&back, &again, &err), TK_OK);
    ck_assert(again.n == bytes.n && memcmp(again.v, bytes.v, bytes.n) == 0);
    made_release(&b);
    made_release(&back);
    free(bytes.v);
    free(again.v);
}
END_TEST

static int decode(const void *p, size_t n)
{
    struct tk_baseline b = {0};
    struct tk_err err = {0};
    int rc = tk_baseline_decode(&b, p, n, &err);
    ck_assert(rc == TK_OK || err.n > 0);
    made_release(&b);
    return rc;
}

START_TEST(what_is_cut_off_or_changed_is_refused)
{
    struct tk_baseline b;
    struct tk_baseline_bytes bytes;
    make(&b, &bytes, 2);
    for (size_t n = 0; n < bytes.n; n++) {
        uint8_t *copy = malloc(n + 1); /* so that reading too far is seen */
        memcpy(copy, bytes.v, n);
        ck_assert_int_eq(decode(copy, n), TK_EFORMAT);
        free(copy);
    }
    for (size_t i = 0; i < bytes.n; i++) {
        bytes.v[i] ^= 0x41;
        ck_assert_int_eq(decode(bytes.v, bytes.n), TK_EFORMAT);
        bytes.v[i] ^= 0x41;
    }
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_OK);
    made_release(&b);
    free(bytes.v);
}
END_TEST

/* Of a file whose second run is damaged, or that holds a run twice, no run is used. */
START_TEST(damaged_files_give_nothing)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    make(&b, &bytes, 2);
    ck_assert_int_eq(tk_baseline_decode(&back, bytes.v, bytes.n - 30, &err), TK_EFORMAT);
    ck_assert_uint_eq(back.runs.n, 0);
    ck_assert_int_eq(tk_baseline_take(&back, made_run(2, timers, 3), &err), TK_OK);
    ck_assert_int_eq(tk_baseline_decode(&back, bytes.v, bytes.n, &err), TK_EUSAGE);
    ck_assert_uint_eq(back.runs.n, 1);
    made_release(&b);
    made_release(&back);
    free(bytes.v);
}
END_TEST

/* No frames, and paths each below the one before it, whose names together have n (n + 1) / 2 parts of 5
 * bytes. */
START_TEST(runs_that_cannot_be_are_refused)
{
    const uint32_t deep = 12000;
    struct tk_baseline_bytes bytes = {0};
    struct tk_err err = {0};
    struct tk_baseline b = {0};
    struct tk_base_run *run = made_run(1, timers, 3);
    for (uint32_t i = 0; i < deep; i++)
        ck_assert(!tk_vec_push(&run->paths, ((struct tk_path){.parent = i, .timer = run->series.v[0]})));
    ck_assert_int_eq(tk_baseline_take(&b, run, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_EFORMAT);
    run->paths.n = 2000;
    bytes.n = 0;
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_OK);
    run->paths.n = run->frames.n = run->n_blocks = 0;
    bytes.n = 0;
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_EFORMAT);
    made_release(&b);
    free(bytes.v);
}
END_TEST

/* Payloads with wrong numbers but right checksums: every byte of every section, set to a few values. */
START_TEST(contradictions_do_no_harm)
{
    struct tk_baseline b;
    struct tk_baseline_bytes bytes;
    make(&b, &bytes, 1);
    for (size_t at = TK_BASELINE_HEAD, n; at < bytes.n; at += 20 + n) {
        n = 0;
        for (int i = 7; i >= 0; i--)
            n = n << 8 | bytes.v[at + 4 + (size_t)i];
        for (size_t i = 0; i < n; i++) {
            static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
            uint8_t *byte = &bytes.v[at + 20 + i], old = *byte;
            for (size_t v = 0; v < sizeof values; v++) {
                *byte = values[v];
                uint64_t sum = tk_baseline_checksum(bytes.v + at, bytes.v + at + 20, n);
                for (size_t k = 0; k < 8; k++)
                    bytes.v[at + 12 + k] = (uint8_t)(sum >> (8 * k));
                int rc = decode(bytes.v, bytes.n);
                ck_assert(rc == TK_OK || rc == TK_EFORMAT || rc == TK_ENOMEM);
            }
            *byte = old;
            uint64_t sum = tk_baseline_checksum(bytes.v + at, bytes.v + at + 20, n);
            for (size_t k = 0; k < 8; k++)
                bytes.v[at + 12 + k] = (uint8_t)(sum >> (8 * k));
        }
    }
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_OK);
    made_release(&b);
    free(bytes.v);
}
END_TEST

START_TEST(newer_versions_are_refused_and_unknown_sections_skipped)
{
    struct tk_baseline b;
    struct tk_baseline_bytes bytes;
    make(&b, &bytes, 1);
    bytes.v[8] = TK_BASELINE_VERSION + 1;
    ck_assert_int_eq(decode(bytes.v, bytes.n), TK_EFORMAT);
    bytes.v[8] = TK_BASELINE_VERSION;
    uint8_t *more = malloc(bytes.n + 23);
    uint64_t sum = tk_baseline_checksum("NEW!", "abc", 3);
    memcpy(more, bytes.v, TK_BASELINE_HEAD);
    memcpy(more + 12, "NEW!\3\0\0\0\0\0\0\0", 12);
    for (size_t k = 0; k < 8; k++)
        more[24 + k] = (uint8_t)(sum >> (8 * k));
    memcpy(more + 32, "abc", 3);
    memcpy(more + 35, bytes.v + 12, bytes.n - 12);
    ck_assert_int_eq(decode(more, bytes.n + 23), TK_OK);
    free(more);
    made_release(&b);
    free(bytes.v);
}
END_TEST

/* The first quarter of the run is dropped in one test, all but the last in the other: sums by hand. */
START_TEST(runs_are_cut_to_regions)
{
    static const char *const fight[] = {"Fi*"}, *const none[] = {"Peace"};
    const struct tk_segment_choice choice = {.regions = fight, .n_regions = 1};
    const struct tk_segment_choice wrong = {.regions = none, .n_regions = 1}, warm = {.no_warmup = true};
    struct tk_baseline b, copy;
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    make(&b, &bytes, 1);
    ck_assert_int_eq(tk_baseline_copy(&copy, &b, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_cut(&copy, &wrong, &err), TK_EMATCH);
    ck_assert_int_eq(tk_baseline_cut(&copy, &warm, &err), TK_EMATCH);
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

/* A pattern may be about regions that there was no room for, a name that is found is not. */
START_TEST(patterns_tell_of_regions_that_were_lost)
{
    static const char *const fight[] = {"Fight"}, *const pattern[] = {"F*"};
    const struct tk_segment_choice exact = {.regions = fight, .n_regions = 1};
    const struct tk_segment_choice glob = {.regions = pattern, .n_regions = 1};
    struct tk_baseline b;
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    make(&b, &bytes, 1);
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
    make(&b, &bytes, 1);
    ck_assert_uint_eq(bytes.v[8], 2);
    free(bytes.v);
    bytes = (struct tk_baseline_bytes){0};
    ck_assert_int_eq(tk_baseline_cut(&b, &choice, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    ck_assert_uint_eq(bytes.v[8], 3);
    ck_assert_int_eq(tk_baseline_copy(&copy, &b, &err), TK_OK);
    const struct tk_series *draw = copy.runs.v[0]->series.v[0];
    ck_assert_uint_eq(draw->count, 16);
    ck_assert_int_eq(draw->own, 16 * 3500);
    ck_assert(draw->exact == NULL && !tk_series_tells_calls(draw));
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
        make(&b, &bytes, 1);
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

/* 2^26 blocks, and one a series, are read: three series of a third of that are too much. */
START_TEST(more_blocks_than_are_read_are_not_written)
{
    struct tk_baseline b = {0};
    struct tk_baseline_bytes bytes = {0};
    struct tk_err err = {0};
    struct tk_base_run *run = made_run(5, timers, 3);
    ck_assert_int_eq(tk_baseline_take(&b, run, &err), TK_OK);
    const uint32_t blocks = run->n_blocks;
    run->n_blocks = (UINT32_C(1) << 26) / 3;
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_ELIMIT);
    ck_assert(strstr(err.text[0], "3 timers") && bytes.n == 0);
    run->n_blocks = blocks;
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    free(bytes.v);
    made_release(&b);
}
END_TEST

START_TEST(a_run_is_not_taken_twice)
{
    struct tk_baseline b = {0};
    struct tk_err err = {0};
    ck_assert_int_eq(tk_baseline_take(&b, made_run(5, timers, 3), &err), TK_OK);
    ck_assert_int_eq(tk_baseline_take(&b, made_run(5, timers, 3), &err), TK_EUSAGE);
    ck_assert_uint_eq(b.runs.n, 1);
    made_release(&b);
}
END_TEST

/* 64 blocks of a run of usual length, blocks of 64 frames where there are enough, never more than 160 blocks.
 */
START_TEST(lengths_of_blocks)
{
    static const uint64_t wanted[][2] = {{1, 4},      {300, 4},     {600, 8},      {4096, 64},
                                         {10000, 64}, {10304, 128}, {100000, 1024}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ck_assert_uint_eq(tk_block_frames(wanted[i][0]), wanted[i][1]);
}
END_TEST

/* A series of bytes of a tag: `values` times `bytes` in the first block. */
static struct tk_series *put_tag(struct tk_base_run *run, double bytes, uint32_t values)
{
    struct tk_series *s = tk_base_run_add(run, TK_SERIES_MEMORY);
    s->name = tk_intern_c(&run->names, "X");
    s->first = s->last = s->low = s->high = bytes;
    s->count = s->hits[0] = values;
    s->blocks[0] = bytes * values;
    return s;
}

/* Means of 10 and 20 bytes are 30 together, by the more values; three of no block are added to the rest. */
START_TEST(tags_of_one_name)
{
    struct tk_base_run *run = made_run(1, NULL, 0);
    put_tag(run, 10, 4);
    put_tag(run, 20, 2);
    put_tag(run, 3, 0);
    tk_base_run_tidy(run);
    ck_assert_uint_eq(run->series.n, 1);
    const struct tk_series *s = run->series.v[0];
    ck_assert(s->hits[0] == 4 && s->blocks[0] == 30 * 4 && s->count == 4);
    ck_assert(s->first == 33 && s->last == 33 && s->low == 33 && s->high == 33);
    ck_assert(!tk_series_of_allocations(s, run->n_blocks));
    tk_base_run_free(run);
}
END_TEST

/* 60 calls of 100, 30 of 1000 and 10 of 70000: buckets of 1, 8 (from 1000 on) and 1024 (from 69632 on). */
static void check_calls(const struct tk_series *s)
{
    static const uint64_t values[] = {100, 1003, 70143}, counts[] = {60, 30, 10};
    struct tk_call_walk w = tk_call_walk_of(s);
    uint32_t bucket;
    uint64_t n;
    for (int i = 0; i < 3; i++) {
        ck_assert(tk_call_walk_next(&w, &bucket, &n));
        ck_assert_uint_eq(tk_sketch_value(TK_SKETCH_CALLS, bucket), values[i]);
        ck_assert_uint_eq(n, counts[i]);
    }
    ck_assert(!tk_call_walk_next(&w, &bucket, &n));
    ck_assert_uint_eq(tk_series_calls(s), 100);
    ck_assert_uint_eq(tk_series_call_ranked(s, 60), 100);
    ck_assert_uint_eq(tk_series_call_ranked(s, 61), 1003);
    ck_assert_uint_eq(tk_series_call_ranked(s, 91), 70143);
    ck_assert_uint_eq(tk_series_call_ranked(s, 101), 0);
}

START_TEST(calls_are_the_same_in_each_form)
{
    struct tk_baseline b = {0}, back = {0};
    struct tk_baseline_bytes bytes = {0}, again = {0};
    struct tk_err err = {0};
    struct tk_base_run *run = made_run(1, timers, 1);
    struct tk_series *s = run->series.v[0];
    tk_series_forget_calls(s);
    s->count = 100;
    s->min = 100;
    s->max = 70000;
    for (unsigned i = 0; i < 100; i++)
        ck_assert_int_eq(tk_sketch_add(&s->sketch, TK_SKETCH_CALLS, i < 60 ? 100 : i < 90 ? 1000 : 70000), 0);
    check_calls(s);
    ck_assert_int_eq(tk_baseline_take(&b, run, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_decode(&back, bytes.v, bytes.n, &err), TK_OK);
    ck_assert(back.runs.v[0]->series.v[0]->packed);
    check_calls(back.runs.v[0]->series.v[0]);
    ck_assert_int_eq(tk_baseline_encode(&back, &again, &err), TK_OK);
    ck_assert(again.n == bytes.n && memcmp(again.v, bytes.v, bytes.n) == 0);
    struct tk_series exact = {.count = 3, .exact = (uint64_t[]){100, 1000, 1007}};
    ck_assert_uint_eq(tk_series_calls(&exact), 3);
    ck_assert_uint_eq(tk_series_call_ranked(&exact, 2), 1003);
    ck_assert_uint_eq(tk_series_call_ranked(&exact, 3), 1003);
    static const uint8_t lengths[] = {100, 0x84, 0x07, 7}; /* 100, 900 more, 7 more */
    struct tk_series kept = {.count = 3, .packed = lengths, .packed_size = sizeof lengths},
                     none = {.packed = lengths};
    uint64_t room[TK_SERIES_EXACT];
    ck_assert(memcmp(tk_series_exact(&kept, room), exact.exact, 3 * sizeof *room) == 0);
    ck_assert(tk_series_exact(&exact, room) == exact.exact && tk_series_is_exact(&kept));
    ck_assert_uint_eq(tk_series_calls(&kept), 3);
    ck_assert_uint_eq(tk_series_call_ranked(&kept, 1), 100);
    ck_assert_uint_eq(tk_series_call_ranked(&kept, 3), 1003);
    ck_assert(tk_series_calls(&none) == 0 && tk_series_is_exact(&none) && tk_series_tells_calls(&none));
    free(bytes.v);
    free(again.v);
    made_release(&b);
    made_release(&back);
}
END_TEST

/* Signs, zeros in a row and at the end, and numbers of one to eight bytes: sums by hand. Blocks that nobody
 * has looked at are written as they were read, and cut as others are. */
START_TEST(blocks_are_the_same_packed_or_not)
{
    static const double blocks[16] = {-5, 0, 0, 0x1p40, 7, -64, 63, 0, 0x1p50, -0x1p50, 0, 0, 0, 1, 0, 0};
    static const char *const fight[] = {"Fight"};
    const struct tk_segment_choice choice = {.regions = fight, .n_regions = 1};
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes, again = {0};
    struct tk_err err = {0};
    make(&b, &bytes, 1);
    memcpy(b.runs.v[0]->series.v[0]->blocks, blocks, sizeof blocks);
    memset(b.runs.v[0]->series.v[1]->blocks, 0, sizeof blocks);
    bytes.n = 0;
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    uint8_t *own = malloc(bytes.n);
    memcpy(own, bytes.v, bytes.n);
    ck_assert_int_eq(tk_baseline_decode_own(&back, own, bytes.n, &err), TK_OK);
    struct tk_base_run *run = back.runs.v[0];
    struct tk_series *s = run->series.v[0];
    ck_assert(s->packed_blocks && !s->blocks && run->file == own);
    ck_assert(tk_block_sum(s, 0, 16) == 0x1p40 + 2 && tk_block_sum(s, 9, 16) == 1 - 0x1p50);
    ck_assert(tk_block_sum(run->series.v[1], 0, 16) == 0 && tk_block_sum(run->series.v[1], 3, 16) == 0);
    double sums[17] = {[3] = 1, [15] = 2};
    tk_block_add(s, 16, sums);
    struct tk_block_walk walk = tk_block_walk_of(s);
    for (unsigned i = 0; i < 16; i++) {
        ck_assert(tk_block_walk_next(&walk) == blocks[i]);
        ck_assert(sums[i] == blocks[i] + (i == 3 ? 1 : i == 15 ? 2 : 0));
    }
    ck_assert_int_eq(tk_baseline_encode(&back, &again, &err), TK_OK);
    ck_assert(again.n == bytes.n && memcmp(again.v, bytes.v, bytes.n) == 0);
    ck_assert_int_eq(tk_base_run_unpack(run, s), 0);
    ck_assert(memcmp(s->blocks, blocks, sizeof blocks) == 0);
    ck_assert(tk_block_sum(s, 0, 16) == 0x1p40 + 2 && tk_block_sum(s, 9, 16) == 1 - 0x1p50);
    ck_assert_int_eq(tk_baseline_cut(&back, &choice, &err), TK_OK); /* to the last four */
    ck_assert(run->n_blocks == 4 && run->series.v[0]->own == 1 && run->series.v[0]->blocks[1] == 1);
    free(bytes.v);
    free(again.v);
    made_release(&b);
    made_release(&back);
}
END_TEST

/* Nothing is read there, so that no run keeps the bytes; nor where a file has several. */
START_TEST(a_run_behind_the_end_keeps_nothing)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes = {0};
    struct tk_err err = {0};
    b = (struct tk_baseline){0};
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    uint8_t *own = calloc(bytes.n + 20, 1); /* and a section without bytes */
    memcpy(own, bytes.v, bytes.n);
    memcpy(own + bytes.n, "SERI", 4);
    ck_assert_int_eq(tk_baseline_take(&back, made_run(7, timers, 3), &err), TK_OK);
    ck_assert_int_eq(tk_baseline_decode_own(&back, own, bytes.n + 20, &err), TK_OK);
    ck_assert(back.runs.n == 1 && !back.runs.v[0]->file);
    free(bytes.v);
    make(&b, &bytes, 2);
    own = malloc(bytes.n);
    memcpy(own, bytes.v, bytes.n);
    ck_assert_int_eq(tk_baseline_decode_own(&back, own, bytes.n, &err), TK_OK);
    ck_assert(back.runs.n == 3 && !back.runs.v[1]->file && !back.runs.v[2]->file);
    ck_assert_int_eq(tk_baseline_encode(&back, &bytes, &err), TK_OK);
    free(bytes.v);
    made_release(&b);
    made_release(&back);
}
END_TEST

static int read_source(void *ctx, uint64_t at, void *to, size_t n, struct tk_err *err)
{
    const struct tk_baseline_bytes *bytes = ctx;
    (void)err;
    ck_assert(at <= bytes->n && n <= bytes->n - at);
    memcpy(to, bytes->v + at, n);
    return TK_OK;
}

static int read_brief(struct tk_baseline *b, struct tk_baseline_bytes *bytes)
{
    const struct tk_baseline_source from = {bytes->n, read_source, bytes};
    struct tk_err err = {0};
    int rc = tk_baseline_decode_values(b, &from, &err);
    ck_assert(rc >= 0 || err.n > 0);
    return rc;
}

static bool is_called(const struct tk_str *s, const char *name)
{
    return s->n == strlen(name) && memcmp(s->p, name, s->n) == 0;
}

static const struct tk_run_value *value_called(const struct tk_run_values *v, const char *name)
{
    for (size_t i = 0; i < v->n; i++)
        if (is_called(v->v[i].name, name))
            return &v->v[i];
    return NULL;
}

/* Timers of 64 calls in 64 frames; what is added up and greatest by hand. Errors of the log have no value. */
static void check_values(const struct tk_run_values *v)
{
    ck_assert_uint_eq(v->n, 6);
    ck_assert(value_called(v, "Draw")->value == 3500 * 64 &&
              is_called(value_called(v, "Draw")->parent, "Tick"));
    ck_assert(value_called(v, "Tick")->value == 2000 * 64 && !value_called(v, "Tick")->parent);
    ck_assert(value_called(v, "Idle")->value == -9000 && value_called(v, "Idle")->kind == TK_SERIES_TIMER);
    ck_assert(is_called(value_called(v, "Idle")->group, "Main"));
    ck_assert(value_called(v, "Actors")->value == 2 && value_called(v, "Actors")->kind == TK_SERIES_COUNTER);
    ck_assert(value_called(v, "loading")->value == 55 &&
              value_called(v, "loading")->kind == TK_SERIES_LOADING);
    ck_assert(value_called(v, "Textures")->value == 1e6);
}

static void make_valued(struct tk_baseline *b, struct tk_baseline_bytes *bytes)
{
    struct tk_err err = {0};
    make(b, bytes, 2);
    struct tk_base_run *run = b->runs.v[0];
    ck_assert(is_called(run->series.v[4]->name, "loading") && is_called(run->series.v[1]->name, "Idle"));
    run->series.v[4]->incl = 55;
    run->series.v[1]->own = -9000;
    struct tk_series *memory = tk_base_run_add(run, TK_SERIES_MEMORY),
                     *log = tk_base_run_add(run, TK_SERIES_LOG);
    memory->name = tk_intern_c(&run->names, "Textures");
    memory->high = 1e6;
    log->name = tk_intern_c(&run->names, "errors");
    log->count = 3;
    const struct tk_path other = {.parent = 1, .timer = run->paths.v[1].timer, .count = 32};
    const struct tk_path rare = {.parent = 2, .timer = run->paths.v[1].timer, .count = 31};
    ck_assert(!tk_vec_push(&run->paths, other) && !tk_vec_push(&run->paths, rare));
    tk_base_run_tidy(run);
    bytes->n = 0;
    ck_assert_int_eq(tk_baseline_encode(b, bytes, &err), TK_OK);
}

START_TEST(values_are_read_without_the_rest)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    struct tk_err err = {0};
    struct tk_run_values values = {0};
    make_valued(&b, &bytes);
    ck_assert_int_eq(tk_base_run_values(b.runs.v[0], &values), 0);
    check_values(&values);
    ck_assert_int_eq(read_brief(&back, &bytes), 1);
    ck_assert_uint_eq(back.runs.n, 2);
    const struct tk_base_run *run = back.runs.v[0];
    ck_assert(run->brief && run->series.n == 0 && run->hash == 1 && run->frequency == 1000000);
    ck_assert(run->frames.n == MADE_FRAMES && run->frames.v[63] == 16000);
    check_values(&run->values);
    ck_assert(value_called(&back.runs.v[1]->values, "Idle")->value == 9000 * 64);
    bytes.n = 0;
    ck_assert_int_eq(tk_baseline_encode(&back, &bytes, &err), TK_EUSAGE);
    ck_assert_uint_eq(bytes.n, 0);
    tk_vec_release(&values);
    made_release(&b);
    made_release(&back);
    free(bytes.v);
}
END_TEST

/* Cut at any byte it is refused. A change is found in what is read, and does no harm in what is not; the same
 * run twice is refused. */
START_TEST(damaged_files_give_no_values)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    size_t passed = 0;
    make_valued(&b, &bytes);
    for (size_t n = 0; n < bytes.n; n++) {
        struct tk_baseline_bytes copy = {malloc(n + 1), n, n}; /* so that reading too far is seen */
        memcpy(copy.v, bytes.v, n);
        ck_assert_int_eq(read_brief(&back, &copy), TK_EFORMAT);
        free(copy.v);
    }
    for (size_t i = 0; i < bytes.n; i++) {
        bytes.v[i] ^= 0x41;
        int rc = read_brief(&back, &bytes);
        ck_assert(rc == TK_EFORMAT || rc == 0 || (rc == 1 && back.runs.n == 2));
        passed += rc == 1;
        made_release(&back);
        bytes.v[i] ^= 0x41;
    }
    ck_assert(passed > bytes.n / 3 && passed < bytes.n);
    ck_assert_int_eq(read_brief(&back, &bytes), 1);
    ck_assert_int_eq(read_brief(&back, &bytes), TK_EUSAGE);
    ck_assert_uint_eq(back.runs.n, 2);
    made_release(&b);
    made_release(&back);
    free(bytes.v);
}
END_TEST

static size_t place_of(const struct tk_baseline_bytes *bytes, const char *tag)
{
    size_t at = TK_BASELINE_HEAD;
    while (memcmp(bytes->v + at, tag, 4) != 0)
        at += 20 + (size_t)tk_load64(bytes->v + at + 4);
    return at;
}

/* As older programs wrote it; and with a section in the place of another. */
START_TEST(files_without_values_have_none)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes;
    make_valued(&b, &bytes);
    memcpy(bytes.v + place_of(&bytes, "VALU"), "OLD ", 4);
    ck_assert_int_eq(read_brief(&back, &bytes), 0);
    ck_assert_uint_eq(back.runs.n, 0);
    memcpy(bytes.v + place_of(&bytes, "OLD "), "SERI", 4); /* before that of the run */
    ck_assert_int_eq(read_brief(&back, &bytes), 0);
    memcpy(bytes.v + place_of(&bytes, "SERI"), "VALU", 4);
    bytes.v[8] = 1;
    ck_assert_int_eq(read_brief(&back, &bytes), 0);
    bytes.v[8] = TK_BASELINE_VERSION + 1;
    ck_assert_int_eq(read_brief(&back, &bytes), TK_EFORMAT);
    bytes.v[8] = 2;
    memcpy(bytes.v + place_of(&bytes, "NAME"), "SERI", 4);
    ck_assert_int_eq(read_brief(&back, &bytes), TK_EFORMAT);
    ck_assert_uint_eq(back.runs.n, 0);
    made_release(&b);
    free(bytes.v);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_is_written_is_read,
                                  what_is_cut_off_or_changed_is_refused,
                                  contradictions_do_no_harm,
                                  newer_versions_are_refused_and_unknown_sections_skipped,
                                  a_run_is_not_taken_twice,
                                  lengths_of_blocks,
                                  runs_are_cut_to_regions,
                                  sums_of_cuts_are_bounded,
                                  cut_runs_are_copied,
                                  damaged_files_give_nothing,
                                  runs_that_cannot_be_are_refused,
                                  tags_of_one_name,
                                  calls_are_the_same_in_each_form,
                                  blocks_are_the_same_packed_or_not,
                                  a_run_behind_the_end_keeps_nothing,
                                  values_are_read_without_the_rest,
                                  damaged_files_give_no_values,
                                  files_without_values_have_none,
                                  more_blocks_than_are_read_are_not_written,
                                  patterns_tell_of_regions_that_were_lost};
    return RUN_TESTS("baseline", tests);
}
