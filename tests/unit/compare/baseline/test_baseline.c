/*
 * Baseline files: what is written is read, in each form.
 */
#include "compare/baseline/baseline_file.h"
#include "compare/baseline/block_walk.h"
#include "compare/baseline/segments.h"
#include "compare/made_baseline.h"
#include "compare/made_runs.h"
#include "run.h"

#include <string.h>

START_TEST(what_is_written_is_read)
{
    struct tk_baseline b, back = {0};
    struct tk_baseline_bytes bytes, again = {0};
    struct tk_err err = {0};
    made_baseline(&b, &bytes, 3);
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
    ck_assert(run->paths.v[1].reported && run->paths.v[1].parts[1] == -12 && run->paths.v[1].own == -5);
    ck_assert(run->series.v[4]->count == 3 && run->series.v[4]->own == 77);
    ck_assert(run->series.v[0]->parts[1].count == 16);
    const struct tk_series *draw = run->series.v[0], *actors = run->series.v[3];
    ck_assert(draw->name->n == 4 && memcmp(draw->name->p, "Draw", 4) == 0);
    ck_assert_int_eq(draw->own, 3500 * 64);
    uint64_t capacity[TK_SERIES_EXACT];
    ck_assert(tk_series_is_exact(draw) && !draw->exact && tk_series_exact(draw, capacity) == capacity);
    ck_assert_uint_eq(capacity[63], 3500);
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
    struct tk_base_run *run = made_run(1, made_timers, 1);
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
    uint64_t capacity[TK_SERIES_EXACT];
    ck_assert(memcmp(tk_series_exact(&kept, capacity), exact.exact, 3 * sizeof *capacity) == 0);
    ck_assert(tk_series_exact(&exact, capacity) == exact.exact && tk_series_is_exact(&kept));
    ck_assert_uint_eq(tk_series_calls(&kept), 3);
    ck_assert_uint_eq(tk_series_call_ranked(&kept, 1), 100);
    ck_assert_uint_eq(tk_series_call_ranked(&kept, 3), 1003);
    ck_assert(tk_series_calls(&none) == 0 && tk_series_is_exact(&none) && tk_series_says_calls(&none));
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
    made_baseline(&b, &bytes, 1);
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

START_TEST(a_run_is_not_taken_twice)
{
    struct tk_baseline b = {0};
    struct tk_err err = {0};
    ck_assert_int_eq(tk_baseline_take(&b, made_run(5, made_timers, 3), &err), TK_OK);
    ck_assert_int_eq(tk_baseline_take(&b, made_run(5, made_timers, 3), &err), TK_EUSAGE);
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

/* 2^26 blocks, and one a series, are read: three series of a third of that are too much. */
START_TEST(more_blocks_than_are_read_are_not_written)
{
    struct tk_baseline b = {0};
    struct tk_baseline_bytes bytes = {0};
    struct tk_err err = {0};
    struct tk_base_run *run = made_run(5, made_timers, 3);
    ck_assert_int_eq(tk_baseline_take(&b, run, &err), TK_OK);
    const uint32_t blocks = run->n_blocks;
    run->n_blocks = (UINT32_C(1) << 26) / 3;
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_ELIMIT);
    ck_assert(strstr(err.text[0], "3 series in") && bytes.n == 0);
    run->n_blocks = blocks;
    ck_assert_int_eq(tk_baseline_encode(&b, &bytes, &err), TK_OK);
    free(bytes.v);
    made_release(&b);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_is_written_is_read,
                                  tags_of_one_name,
                                  calls_are_the_same_in_each_form,
                                  blocks_are_the_same_packed_or_not,
                                  a_run_is_not_taken_twice,
                                  lengths_of_blocks,
                                  more_blocks_than_are_read_are_not_written};
    return RUN_TESTS("baseline", tests);
}
