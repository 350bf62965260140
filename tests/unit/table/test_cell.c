/* Tests of table/cell.h: elements of packed arrays, and the order of cells of any kind. */
#include "run.h"
#include "table/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct tk_cell array_of(uint8_t elem, uint8_t width, uint32_t n, const void *p)
{
    return (struct tk_cell){.kind = TK_ARRAY, .elem = elem, .width = width, .n = n, .v.p = p};
}

static struct tk_cell element(const struct tk_cell *array, uint32_t i)
{
    struct tk_cell out;
    tk_cell_element(array, i, &out);
    return out;
}

START_TEST(integers_of_every_width)
{
    static const uint8_t bytes[] = {0xFF, 0xFE, 0xFF, 0xFD, 0xFF, 0xFF, 0xFF, 0x80};
    struct tk_cell i8 = array_of(TK_INT, 1, 8, bytes), i16 = array_of(TK_INT, 2, 4, bytes);
    struct tk_cell u32 = array_of(TK_UINT, 4, 2, bytes), i64 = array_of(TK_INT, 8, 1, bytes);
    ck_assert_int_eq(element(&i8, 0).kind, TK_INT);
    ck_assert_int_eq(element(&i8, 0).v.i, -1);
    ck_assert_int_eq(element(&i8, 7).v.i, -128);
    ck_assert_int_eq(element(&i16, 1).v.i, -513);
    ck_assert_uint_eq(element(&u32, 0).v.u, 0xFDFFFEFF);
    ck_assert_int_eq(element(&i64, 0).v.i, (int64_t)UINT64_C(0x80FFFFFFFDFFFEFF));
    ck_assert_int_eq(element(&u32, 1).width, 4);
}
END_TEST

START_TEST(reals_hex_bools_and_undefined_numbers)
{
    static const uint8_t single[] = {0, 0, 0xC0, 0x3F}, wide[] = {0, 0, 0, 0, 0, 0, 0xF8, 0xBF},
                         two[] = {1, 0};
    struct tk_cell f = array_of(TK_REAL32, 4, 1, single), d = array_of(TK_REAL, 8, 1, wide);
    struct tk_cell b = array_of(TK_BOOL, 1, 2, two), h = array_of(TK_HEX, 2, 1, two);
    struct tk_cell raw = array_of(TK_BYTES, 2, 1, two), odd = array_of(TK_INT, 3, 1, single);
    struct tk_cell half = array_of(TK_REAL, 2, 1, two);
    ck_assert(element(&f, 0).kind == TK_REAL32 && element(&f, 0).v.r == 1.5);
    ck_assert(element(&d, 0).kind == TK_REAL && element(&d, 0).v.r == -1.5);
    ck_assert(element(&b, 0).kind == TK_BOOL && element(&b, 0).v.u == 1);
    ck_assert(element(&h, 0).kind == TK_HEX && element(&h, 0).v.u == 1);
    ck_assert(element(&raw, 0).kind == TK_UINT && element(&raw, 0).v.u == 1);
    ck_assert_int_eq(element(&odd, 0).kind, TK_NONE);
    ck_assert_int_eq(element(&half, 0).kind, TK_NONE);
}
END_TEST

START_TEST(elements_need_no_alignment)
{
    static const uint8_t bytes[] = {9, 1, 0, 0, 0, 2, 0, 0, 0};
    struct tk_cell a = array_of(TK_UINT, 4, 2, bytes + 1);
    ck_assert_uint_eq(element(&a, 0).v.u, 1);
    ck_assert_uint_eq(element(&a, 1).v.u, 2);
}
END_TEST

static struct tk_cell text(const char *s)
{
    return (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(s), .v.p = s};
}

static int sign(int v)
{
    return (v > 0) - (v < 0);
}

/* In ascending order. */
START_TEST(order_of_all_kinds)
{
    struct tk_cell list = {.kind = TK_LIST};
    const struct tk_cell ascending[] = {
        {.kind = TK_REAL, .v.r = -INFINITY},
        {.kind = TK_REAL, .v.r = -1e30},
        {.kind = TK_INT, .v.i = INT64_MIN},
        {.kind = TK_REAL, .v.r = -2.5},
        {.kind = TK_DURATION, .v.i = -2},
        {.kind = TK_INT, .v.i = -1},
        {.kind = TK_BOOL, .v.u = 0},
        {.kind = TK_REAL, .v.r = 0.5},
        {.kind = TK_BOOL, .v.u = 1},
        {.kind = TK_MEAN, .v.r = 1.25},
        {.kind = TK_UINT, .v.u = UINT64_C(1) << 53},
        {.kind = TK_UINT, .v.u = (UINT64_C(1) << 53) + 1},
        {.kind = TK_TIME, .v.i = INT64_MAX},
        {.kind = TK_REAL, .v.r = 0x1p63},
        {.kind = TK_HEX, .v.u = (UINT64_C(1) << 63) + 1},
        {.kind = TK_UINT, .v.u = UINT64_MAX},
        {.kind = TK_REAL, .v.r = 0x1p64},
        {.kind = TK_REAL, .v.r = INFINITY},
        text(""),
        text("A"),
        text("AB"),
        text("B"),
        text("a"),
        text("\xC3\xA4"),
        list,
    };
    const size_t n = sizeof ascending / sizeof *ascending;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            ck_assert_msg(sign(tk_cell_compare(&ascending[i], &ascending[k])) == (i > k) - (i < k),
                          "%zu and %zu", i, k);
}
END_TEST

START_TEST(equal_values_of_different_kinds)
{
    struct tk_cell i = {.kind = TK_INT, .v.i = 7}, u = {.kind = TK_UINT, .v.u = 7},
                   r = {.kind = TK_REAL, .v.r = 7};
    ck_assert_int_eq(tk_cell_compare(&i, &u), 0);
    ck_assert_int_eq(tk_cell_compare(&i, &r), 0);
    ck_assert_int_eq(tk_cell_compare(&r, &u), 0);
}
END_TEST

START_TEST(absence)
{
    struct tk_cell none = {.kind = TK_NONE}, nan = {.kind = TK_MEAN, .v.r = NAN}, zero = {.kind = TK_INT};
    ck_assert_uint_eq(tk_cell_absence(&none), 2);
    ck_assert_uint_eq(tk_cell_absence(&nan), 1);
    ck_assert_uint_eq(tk_cell_absence(&zero), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        integers_of_every_width, reals_hex_bools_and_undefined_numbers, elements_need_no_alignment,
        order_of_all_kinds,      equal_values_of_different_kinds,       absence,
    };
    return RUN_TESTS("cell", tests);
}
