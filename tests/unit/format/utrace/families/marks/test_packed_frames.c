/*
 * Byte codes of callstacks: the example of changes-since 2.4, computed by two programs, and what its text
 * names for tests; then bytes that are cut off or have no such form.
 */
#include "format/utrace/families/marks/marks_in.h"
#include "run.h"

#include <string.h>

#define LENGTH(v) (sizeof(v) / sizeof *(v))

static tk_ut_frame_code *const codes[] = {tk_ut_frame_xor, tk_ut_frame_7bit, tk_ut_frame_varint};

static struct tk_ut_frames out;

static void unpack(unsigned code, const uint8_t *p, size_t n)
{
    /* in memory of its own, so that reading behind the end is seen */
    uint8_t *copy = malloc(n ? n : 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, p, n);
    tk_ut_frames_unpack(&out, (struct tk_bytes){copy, n}, codes[code]);
    free(copy);
}

static const uint64_t stack[] = {0x7FF6A1B2C3D4, 0x7FF6A1B2C410, 0x7FF6A1A00000,
                                 0x7FFB12345678, 0x7FFB12345678, 1};

static const struct {
    uint8_t p[28];
    size_t n;
    size_t ends[6]; /* of the bytes of each address */
} packed[] = {
    {{0x11, 0xD4, 0xC3, 0xB2, 0xA1, 0xF6, 0x7F, 0x35, 0xC4, 0x07, 0x2B, 0x10, 0xC4, 0x12,
      0x1C, 0x78, 0x56, 0x94, 0xB3, 0x0D, 0x40, 0x11, 0x79, 0x56, 0x34, 0x12, 0xFB, 0x7F},
     28,
     {7, 10, 14, 20, 21, 28}},
    {{0xA8, 0x8F, 0x96, 0x9B, 0xD4, 0xFD, 0x3F, 0x78, 0x9F, 0x90, 0x96, 0x01, 0xF0,
      0xD9, 0xA2, 0x89, 0x8E, 0x01, 0x00, 0xED, 0xD9, 0xA2, 0xA3, 0xE2, 0xFE, 0x3F},
     26,
     {7, 8, 12, 18, 19, 26}},
    {{0xFC, 0xFF, 0xED, 0x43, 0x65, 0x87, 0xA8, 0x78, 0xE0, 0x25, 0x88, 0x1F, 0xF8,
      0x08, 0xE1, 0x28, 0xAC, 0xF0, 0x00, 0xFC, 0xFF, 0xF6, 0x24, 0x68, 0xAC, 0xED},
     26,
     {7, 8, 12, 18, 19, 26}},
};

START_TEST(the_example)
{
    for (unsigned code = 0; code < 3; code++) {
        unpack(code, packed[code].p, packed[code].n);
        ck_assert_uint_eq(out.n, 6);
        ck_assert(!out.damaged && !out.cut);
        ck_assert(memcmp(out.v, stack, sizeof stack) == 0);
    }
}
END_TEST

/* Cut anywhere: the addresses before are there; only at the end of one it is sound. */
START_TEST(cut_anywhere)
{
    for (unsigned code = 0; code < 3; code++)
        for (size_t n = 0; n < packed[code].n; n++) {
            uint32_t whole = 0;
            while (packed[code].ends[whole] <= n)
                whole++;
            unpack(code, packed[code].p, n);
            ck_assert_uint_eq(out.n, whole);
            ck_assert_int_eq(out.damaged, n != (whole ? packed[code].ends[whole - 1] : 0));
            ck_assert(memcmp(out.v, stack, whole * sizeof *stack) == 0);
        }
}
END_TEST

static const struct {
    unsigned code;
    uint8_t p[12];
    size_t n;
    uint64_t address;
} ends_of_numbers[] = {
    {0, {0x40}, 1, 0}, /* 64 leading zeros: as before */
    {1, {0x00}, 1, 0},
    {2, {0x00}, 1, 0},
    {0, {0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 9, UINT64_MAX},
    {1, {0x01}, 1, UINT64_MAX},
    {2, {0x01}, 1, UINT64_MAX},
    {0, {0x00, 0, 0, 0, 0, 0, 0, 0, 0x80}, 9, UINT64_C(1) << 63},
    {1, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 10, UINT64_C(1) << 63},
    {2, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 9, UINT64_C(1) << 63},
    /* longer than needed: 2 as four bytes, and as eight behind the first */
    {1, {0x84, 0x80, 0x80, 0x00}, 4, 2},
    {2, {0xe0, 0x00, 0x00, 0x04}, 4, 2},
    {2, {0xff, 0, 0, 0, 0, 0, 0, 0, 0x04}, 9, 2},
    {2, {0xfe, 0, 0, 0, 0, 0, 0, 0x04}, 8, 2},
};

START_TEST(numbers_at_their_ends)
{
    for (size_t i = 0; i < LENGTH(ends_of_numbers); i++) {
        unpack(ends_of_numbers[i].code, ends_of_numbers[i].p, ends_of_numbers[i].n);
        ck_assert_msg(out.n == 1 && !out.damaged && out.v[0] == ends_of_numbers[i].address, "%zu", i);
    }
}
END_TEST

START_TEST(no_such_form)
{
    static const uint8_t zeros[] = {65, 1, 2},
                         large[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2},
                         endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1};
    unpack(0, zeros, sizeof zeros);
    ck_assert(out.damaged && out.n == 0);
    unpack(1, large, sizeof large); /* more than 64 bits */
    ck_assert(out.damaged && out.n == 0);
    unpack(1, endless, sizeof endless);
    ck_assert(out.damaged && out.n == 0);
}
END_TEST

START_TEST(more_frames_than_there_are)
{
    static const uint8_t twos[300] = {2}; /* the first is 1, the others as before */
    for (size_t n = 254; n <= 300; n++) {
        unpack(2, twos, n);
        ck_assert_uint_eq(out.n, n < 255 ? n : 255);
        ck_assert_int_eq(out.cut, n > 255);
        ck_assert(!out.damaged && out.v[0] == 1 && out.v[out.n - 1] == 1);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_example, cut_anywhere, numbers_at_their_ends, no_such_form,
                                  more_frames_than_there_are};
    return RUN_TESTS("packed frames", tests);
}
