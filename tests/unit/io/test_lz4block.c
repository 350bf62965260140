/* Raw LZ4 blocks: whole ones against the library, cut ones by hand and against their content. */
#include "files.h"
#include "io/decompress.h"

#include <lz4.h>

enum { SIZE = 20000 };

static uint8_t bytes[SIZE], packed[2 * SIZE], out[SIZE + 1];

static size_t pack(const uint8_t *p, size_t n)
{
    int k = LZ4_compress_default((const char *)p, (char *)packed, (int)n, sizeof packed);
    ck_assert_int_gt(k, 0);
    return (size_t)k;
}

/* Runs, copies from near and far, and noise. */
static void fill(void)
{
    fill_bytes(bytes, SIZE);
    memset(bytes + 3000, 'x', 1500);
    memcpy(bytes + 9000, bytes + 100, 700);
    for (size_t i = 15000; i < 15300; i++)
        bytes[i] = bytes[i - 10];
}

START_TEST(whole_blocks)
{
    fill();
    size_t n = pack(bytes, SIZE);
    ck_assert(tk_lz4_block(out, SIZE, packed, n));
    ck_assert_mem_eq(out, bytes, SIZE);
    ck_assert(!tk_lz4_block(out, SIZE - 1, packed, n));
    ck_assert(!tk_lz4_block(out, SIZE + 1, packed, n));
    ck_assert(!tk_lz4_block(out, SIZE, packed, n - 1));
    ck_assert(!tk_lz4_block(out, SIZE, packed, 0));
    ck_assert(!tk_lz4_block(out, SIZE, packed, SIZE_MAX / 2 + 1));
    ck_assert(!tk_lz4_block(out, SIZE_MAX / 2 + 1, packed, n));
    const uint8_t empty[] = {0};
    ck_assert(tk_lz4_block(out, 0, empty, 1));
    ck_assert(!tk_lz4_block(out, 0, packed, n));
    ck_assert(!tk_lz4_block(out, 0, empty, 0));
}
END_TEST

START_TEST(cut_blocks_give_a_beginning)
{
    fill();
    size_t n = pack(bytes, SIZE), before = 0;
    for (size_t k = 0; k <= n; k++) {
        memset(out, 0xee, sizeof out);
        size_t got = tk_lz4_cut_block(out, SIZE, packed, k);
        ck_assert_uint_ge(got, before);
        ck_assert(memcmp(out, bytes, got) == 0);
        ck_assert_uint_eq(out[SIZE], 0xee);
        before = got;
    }
    ck_assert_uint_eq(before, SIZE);
}
END_TEST

START_TEST(space_is_kept)
{
    fill();
    size_t n = pack(bytes, SIZE);
    for (size_t capacity = 0; capacity < SIZE; capacity += 37) {
        memset(out, 0xee, sizeof out);
        ck_assert_uint_eq(tk_lz4_cut_block(out, capacity, packed, n), capacity);
        ck_assert(memcmp(out, bytes, capacity) == 0);
        ck_assert_uint_eq(out[capacity], 0xee);
    }
}
END_TEST

static void check_cut(const char *in, size_t n, const char *want)
{
    memset(out, 0xee, sizeof out);
    size_t got = tk_lz4_cut_block(out, 600, (const uint8_t *)in, n);
    ck_assert_uint_eq(got, strlen(want));
    ck_assert_mem_eq(out, want, got);
}

/* By hand from the layout. */
START_TEST(sequences)
{
    check_cut("", 0, "");
    check_cut("\x50", 1, "");
    check_cut("\x50hello", 6, "hello");
    check_cut("\x50hel", 4, "hel");
    /* "abc", then 4 + 2 bytes from 3 back. */
    check_cut("\x32"
              "abc\x03",
              5, "abc");
    check_cut("\x32"
              "abc\x03\0",
              6, "abcabcabc");
    check_cut("\x32"
              "abc\x03\0\x10z",
              8, "abcabcabcz");
    /* 15 + 3 literals; the length byte cut off. */
    check_cut("\xf0\x03"
              "0123456789abcdefgh",
              20, "0123456789abcdefgh");
    check_cut("\xf0", 1, "");
    /* A match of 4 + 15 + more: 19 bytes are certain without the length byte, 20 with a byte that says 1. */
    check_cut("\x1fz\x01\0", 4, "zzzzzzzzzzzzzzzzzzzz");
    check_cut("\x1fz\x01\0\x01", 5, "zzzzzzzzzzzzzzzzzzzzz");
    /* Copies from before the beginning, and from nowhere, end it. */
    check_cut("\x1fz\x02\0\x01\x10y", 7, "z");
    check_cut("\x1fz\0\0\x01\x10y", 7, "z");
}
END_TEST

/* Any bytes: no reading or writing outside (for the sanitizers), and never more than the space. */
START_TEST(noise_is_harmless)
{
    uint32_t state = 7;
    for (int i = 0; i < 20000; i++) {
        size_t n = state % 200, capacity = state / 256 % 5000;
        uint8_t *in = malloc(n + 1), *to = malloc(capacity + 1);
        ck_assert(in && to);
        for (size_t k = 0; k < n; k++) {
            state = state * 1664525 + 1013904223;
            in[k] = (uint8_t)(state >> 24);
        }
        ck_assert_uint_le(tk_lz4_cut_block(to, capacity, in, n), capacity);
        (void)tk_lz4_block(to, capacity, in, n);
        free(in);
        free(to);
        state = state * 1664525 + 1013904223;
    }
}
END_TEST

/* An offset of zero is outside the format: what the library makes of it must not depend on old bytes. */
START_TEST(zero_offset_is_the_same_each_time)
{
    uint8_t in[64] = {0x4f, 'a', 'b', 'c', 'd', 0, 0, 10, 0x80};
    static uint8_t first[200], second[200];
    for (size_t extra = 1; extra < 40; extra++) {
        in[7] = (uint8_t)extra;
        size_t size = 4 + 19 + extra + 8;
        memset(first, 0x11, sizeof first);
        memset(second, 0x77, sizeof second);
        bool a = tk_lz4_block(first, size, in, 17), b = tk_lz4_block(second, size, in, 17);
        ck_assert_int_eq(a, b);
        ck_assert(!a || memcmp(first, second, size) == 0);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        whole_blocks, cut_blocks_give_a_beginning, space_is_kept,
        sequences,    noise_is_harmless,           zero_offset_is_the_same_each_time,
    };
    return RUN_TESTS("lz4block", tests);
}
