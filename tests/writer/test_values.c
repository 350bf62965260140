/* What stands inside array fields: format arguments, CBOR, CPU batches. */
#include "cpu.h"
#include "test_fixture.h"
#include "values.h"

static void expect_bytes(const struct tk_uw_bytes *got, const void *bytes, size_t size)
{
    ck_assert_uint_eq(got->size, size);
    ck_assert_mem_eq(got->data, bytes, size);
}

/* Values */

START_TEST(test_format_args)
{
    static const uint8_t want[] = {4, 0x44, 0x88, 0xc1, 0xc2, 5, 0,   0, 0,   0, 0, 0, 0,
                                   0, 0,    0xf8, 0x3f, 'a',  0, 'b', 0, 'c', 0, 0, 0};
    struct tk_uw_args args = {0};
    struct tk_uw_bytes out = {0};

    tk_uw_arg_int(&args, 4, 5);
    tk_uw_arg_double(&args, 1.5);
    tk_uw_arg_ansi(&args, "a");
    tk_uw_arg_wide(&args, "bc");
    tk_uw_args_put(&args, &out);
    expect_bytes(&out, want, sizeof(want));
    tk_uw_args_release(&args);
    tk_uw_bytes_release(&out);
}
END_TEST

/* Examples of RFC 8949 appendix A. */
START_TEST(test_cbor)
{
    static const uint8_t want[] = {0x17, 0x18, 0x18, 0x19, 0x03, 0xe8, 0x38, 0x63, 0xfb, 0x3f, 0xf1,
                                   0x99, 0x99, 0x99, 0x99, 0x99, 0x9a, 0xf4, 0xf5, 0x64, 'I',  'E',
                                   'T',  'F',  0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    struct tk_uw_bytes out = {0};

    tk_uw_cbor_uint(&out, 23);
    tk_uw_cbor_uint(&out, 24);
    tk_uw_cbor_int(&out, 1000);
    tk_uw_cbor_int(&out, -100);
    tk_uw_cbor_double(&out, 1.1);
    tk_uw_cbor_bool(&out, false);
    tk_uw_cbor_bool(&out, true);
    tk_uw_cbor_text(&out, "IETF", false);
    tk_uw_cbor_uint(&out, UINT64_MAX);
    expect_bytes(&out, want, sizeof(want));
    tk_uw_bytes_release(&out);
}
END_TEST

START_TEST(test_channel_id)
{
    ck_assert_uint_eq(tk_uw_channel_id("CpuChannel"), 0xf94af989U);
    ck_assert_uint_eq(tk_uw_channel_id("cpu"), 0xf94af989U);
    ck_assert_uint_eq(tk_uw_channel_id("FrameChannel"), 0xd20a71a6U);
    ck_assert_uint_eq(tk_uw_channel_id("LogChannel"), 0x3f515151U);
    ck_assert_uint_eq(tk_uw_channel_id("Logs"), 0x3f515151U);
}
END_TEST

/* Batches */

struct batch_case {
    unsigned version;
    uint8_t bytes[8];
};

/*
 * Begin of timer 3 at cycle 100, end at 130, worked out by hand:
 *   V1  100 << 1 | 1 = 201, 3, 30 << 1 = 60        V2  100 << 2 | 1 = 401, 3, 30 << 2 = 120     V3  401, 3 <<
 * 1, 120
 */
static const struct batch_case batch_cases[] = {
    {1, {0xc9, 0x01, 0x03, 0x3c}},
    {2, {0x91, 0x03, 0x03, 0x78}},
    {3, {0x91, 0x03, 0x06, 0x78}},
};

START_TEST(test_batch)
{
    const struct batch_case *want = &batch_cases[_i];
    struct tk_uw_bytes file = {0};
    struct tk_uw uw;
    struct tk_uw_lane lane;
    struct tk_uw_cpu cpu;

    ck_assert_int_eq(tk_uw_open(&uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .memory = &file}), 0);
    tk_uw_thread(&uw, &lane, 2);
    tk_uw_cpu_init(&cpu, &uw, &lane, want->version);
    tk_uw_cpu_begin(&cpu, 100, 3);
    ck_assert_uint_eq(lane.pending.size, 0);
    tk_uw_cpu_end(&cpu, 130);
    /* uid 16, value of four bytes, end */
    ck_assert_uint_eq(lane.pending.size, 11);
    ck_assert_mem_eq(lane.pending.data, "\x21\x00\x02\x80\x00\x00", 6);
    ck_assert_mem_eq(lane.pending.data + 6, want->bytes, 4);
    ck_assert_uint_eq(lane.pending.data[10], 0x06);
    tk_uw_lane_release(&lane);
    ck_assert_int_eq(tk_uw_close(&uw), 0);
    tk_uw_bytes_release(&file);
}
END_TEST

/* V3: metadata instance 5 at cycle 1, coroutine 9 with one scope resumed at 2, suspended at 3, end at 4. */
START_TEST(test_batch_coroutine)
{
    static const uint8_t want[] = {1 << 2 | 1, 5 << 1 | 1, 1 << 2 | 3, 9, 1, 1 << 2 | 2, 1, 1 << 2};
    struct tk_uw_bytes file = {0};
    struct tk_uw uw;
    struct tk_uw_lane lane;
    struct tk_uw_cpu cpu;

    ck_assert_int_eq(tk_uw_open(&uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .memory = &file}), 0);
    tk_uw_thread(&uw, &lane, 2);
    tk_uw_cpu_init(&cpu, &uw, &lane, 3);
    tk_uw_cpu_begin_metadata(&cpu, 1, 5);
    tk_uw_cpu_resume(&cpu, 2, 9, 1);
    tk_uw_cpu_suspend(&cpu, 3, 1);
    tk_uw_cpu_end(&cpu, 4);
    ck_assert_uint_eq(lane.pending.size, 6 + sizeof(want) + 1);
    ck_assert_mem_eq(lane.pending.data + 6, want, sizeof(want));
    tk_uw_lane_release(&lane);
    ck_assert_int_eq(tk_uw_close(&uw), 0);
    tk_uw_bytes_release(&file);
}
END_TEST

/* A batch is sent when 240 bytes are used, and the next one starts with the clock's own value again. */
START_TEST(test_batch_full)
{
    struct tk_uw_bytes file = {0};
    struct tk_uw uw;
    struct tk_uw_lane lane;
    struct tk_uw_cpu cpu;

    ck_assert_int_eq(tk_uw_open(&uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .memory = &file}), 0);
    tk_uw_thread(&uw, &lane, 2);
    tk_uw_cpu_init(&cpu, &uw, &lane, 3);
    /* the first entry takes 3 bytes, 118 more take 2 each: 239 */
    for (unsigned i = 0; i < 119; i++)
        tk_uw_cpu_begin(&cpu, 100 + i, 1);
    ck_assert_uint_eq(lane.pending.size, 0);
    tk_uw_cpu_begin(&cpu, 219, 1);
    ck_assert_uint_eq(lane.pending.size, 6 + 241 + 1);
    tk_uw_cpu_end(&cpu, 220);
    tk_uw_cpu_flush(&cpu);
    /* 220 << 2 = 880 */
    ck_assert_mem_eq(lane.pending.data + 248 + 6, "\xf0\x06", 2);
    tk_uw_lane_release(&lane);
    ck_assert_int_eq(tk_uw_close(&uw), 0);
    tk_uw_bytes_release(&file);
}
END_TEST

TCase *value_tests(void)
{
    TCase *group = tcase_create("values");

    tcase_add_test(group, test_format_args);
    tcase_add_test(group, test_cbor);
    tcase_add_test(group, test_channel_id);
    tcase_add_test(group, test_batch_coroutine);
    tcase_add_test(group, test_batch_full);
    tcase_add_loop_test(group, test_batch, 0, sizeof(batch_cases) / sizeof(batch_cases[0]));
    return group;
}
