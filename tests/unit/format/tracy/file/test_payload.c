/*
 * The reader of the unpacked stream: the same values whatever the pieces, and faults that stick.
 */
#include "format/tracy/file/payload.h"
#include "run.h"

/* Bytes that come in pieces of `piece`. */
struct pieces {
    const uint8_t *p;
    size_t n, piece;
    unsigned requested_after_end;
    int failure; /* instead of the end */
};

static int more(void *ctx, struct tk_bytes *out, struct tk_err *err)
{
    struct pieces *s = ctx;
    size_t n = s->n < s->piece ? s->n : s->piece;
    if (!n)
        s->requested_after_end++;
    if (!n && s->failure)
        return tk_err_set(err, s->failure, "no more");
    *out = (struct tk_bytes){s->p, n};
    s->p += n;
    s->n -= n;
    return n ? TK_ITEM : TK_OK;
}

static const uint8_t bytes[] = {
    0x01,                                           /* u8 */
    0x02, 0x01,                                     /* u16 */
    0x03, 0x02, 0x81,                               /* u24 */
    0x04, 0x03, 0x02, 0x81,                         /* u32 */
    0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x81, /* u64 */
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff,             /* i48: -1 */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x80,             /* i48: the least */
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x3f, /* f64: 1.5 */
    0x00, 0x00, 0x20, 0xc0,                         /* f32: -2.5 */
    0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, /* time: 5 */
    0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, /* time: 2 before */
    'a',  'b',  'c',  'd',  'e',                    /* text */
    0xaa, 0xbb, 0xcc,                               /* skipped */
    0x77,                                           /* u8 */
};

START_TEST(values_across_pieces)
{
    struct pieces s = {.p = bytes, .n = sizeof bytes, .piece = (size_t)_i + 1};
    struct tk_tracy_payload in;
    char text[5];
    int64_t time = 0;
    tk_tracy_payload_init(&in, more, &s);
    ck_assert_uint_eq(tk_tracy_u8(&in, "x"), 1);
    ck_assert_uint_eq(tk_tracy_u16(&in, "x"), 0x0102);
    ck_assert_uint_eq(tk_tracy_u24(&in, "x"), 0x810203);
    ck_assert_uint_eq(tk_tracy_u32(&in, "x"), 0x81020304);
    ck_assert_uint_eq(tk_tracy_u64(&in, "x"), UINT64_C(0x8102030405060708));
    ck_assert_int_eq(tk_tracy_i48(&in, "x"), -1);
    ck_assert_int_eq(tk_tracy_i48(&in, "x"), -(INT64_C(1) << 47));
    ck_assert(tk_tracy_f64(&in, "x") == 1.5);
    ck_assert(tk_tracy_f32(&in, "x") == -2.5f);
    ck_assert_int_eq(tk_tracy_time(&in, &time, "x"), 5);
    ck_assert_int_eq(tk_tracy_time(&in, &time, "x"), 3);
    tk_tracy_copy(&in, text, sizeof text, "x");
    ck_assert_mem_eq(text, "abcde", 5);
    tk_tracy_skip(&in, 3, "x");
    ck_assert_uint_eq(tk_tracy_at(&in), sizeof bytes - 1);
    ck_assert(!tk_tracy_at_end(&in));
    ck_assert_uint_eq(tk_tracy_u8(&in, "x"), 0x77);
    ck_assert(tk_tracy_at_end(&in));
    ck_assert(tk_tracy_ok(&in));
    ck_assert_uint_eq(tk_tracy_at(&in), sizeof bytes);
}
END_TEST

START_TEST(faults_stick)
{
    struct pieces s = {.p = bytes, .n = 10, .piece = (size_t)_i + 1};
    struct tk_tracy_payload in;
    tk_tracy_payload_init(&in, more, &s);
    tk_tracy_skip(&in, 4, "first");
    ck_assert_uint_eq(tk_tracy_u64(&in, "second"), 0);
    ck_assert_uint_eq(tk_tracy_u8(&in, "third"), 0);
    tk_tracy_skip(&in, UINT64_MAX, "fourth");
    ck_assert(!tk_tracy_ok(&in));
    ck_assert_str_eq(in.fault, "second");
    ck_assert_uint_eq(in.fault_at, 4);
    ck_assert(!in.content);
    ck_assert(!tk_tracy_at_end(&in));
    ck_assert_int_eq(in.rc, TK_OK);
    ck_assert_uint_eq(s.requested_after_end, 1);
}
END_TEST

START_TEST(skips_far)
{
    struct pieces s = {.p = bytes, .n = sizeof bytes, .piece = (size_t)_i + 1};
    struct tk_tracy_payload in;
    tk_tracy_payload_init(&in, more, &s);
    tk_tracy_skip(&in, sizeof bytes, "all");
    ck_assert(tk_tracy_ok(&in));
    tk_tracy_skip(&in, 1, "beyond");
    ck_assert_str_eq(in.fault, "beyond");
    ck_assert_uint_eq(in.fault_at, sizeof bytes);
}
END_TEST

START_TEST(content_faults)
{
    struct pieces s = {.p = bytes, .n = sizeof bytes, .piece = (size_t)_i + 1};
    struct tk_tracy_payload in;
    tk_tracy_payload_init(&in, more, &s);
    tk_tracy_u32(&in, "x");
    tk_tracy_fail(&in, 2, "nonsense");
    tk_tracy_fail(&in, 3, "more nonsense");
    ck_assert_str_eq(in.fault, "nonsense");
    ck_assert_uint_eq(in.fault_at, 2);
    ck_assert(in.content);
    ck_assert_uint_eq(tk_tracy_u8(&in, "y"), 0);
    ck_assert_uint_eq(tk_tracy_at(&in), 4);
}
END_TEST

START_TEST(failures_are_kept)
{
    struct pieces s = {.p = bytes, .n = 3, .piece = (size_t)_i + 1, .failure = TK_EIO};
    struct tk_tracy_payload in;
    tk_tracy_payload_init(&in, more, &s);
    tk_tracy_u32(&in, "x");
    tk_tracy_u32(&in, "y");
    ck_assert_int_eq(in.rc, TK_EIO);
    ck_assert_str_eq(in.err.text[0], "no more");
    ck_assert_uint_eq(s.requested_after_end, 1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {values_across_pieces, faults_stick, skips_far, content_faults,
                                  failures_are_kept};
    return RUN_TESTS_EACH("tracy payload", tests, sizeof bytes + 1);
}
