/* Conversions that the C library cannot be requested: characters beyond a byte, texts of wider characters,
 * pointers, and what is more than a message may hold. By hand; UTF-8 and UTF-16 of the Unicode standard. */
#include "format/utrace/schema/printf_args.h"
#include "run.h"

#include <string.h>

static struct tk_ut_printf_text out;

static void empty(void)
{
    tk_vec_release(&out.bytes);
    out = (struct tk_ut_printf_text){0};
}

static void is(const char *expected)
{
    ck_assert(!out.failed);
    ck_assert_msg(out.bytes.n == strlen(expected) &&
                      (!out.bytes.n || memcmp(out.bytes.v, expected, out.bytes.n) == 0),
                  "'%.*s' instead of '%s'", (int)out.bytes.n, (const char *)out.bytes.v, expected);
    empty();
}

static void put_special(char kind, uint32_t width, bool left, uint64_t v, const char *expected)
{
    tk_ut_printf_put_special(&out, &(struct tk_ut_printf_spec){.kind = kind, .width = width, .left = left},
                             v);
    is(expected);
}

/* They fill up to a number of characters, not of bytes. */
START_TEST(characters)
{
    put_special('c', 0, false, 'x', "x");
    put_special('c', 3, false, 'x', "  x");
    put_special('c', 3, true, 'x', "x  ");
    put_special('c', 3, false, 0xe9, "  \xc3\xa9");
    put_special('c', 2, true, 0x20ac, "\xe2\x82\xac ");
    put_special('c', 2, false, 0x1f600, " \xf0\x9f\x98\x80");
    put_special('c', 0, false, 0x10ffff, "\xf4\x8f\xbf\xbf");
    put_special('c', 2, false, 0x110000, "  "); /* is none */
}
END_TEST

/* As the C library of Linux writes them. */
START_TEST(pointers)
{
    put_special('p', 0, false, 0x7ffe12ab, "0x7ffe12ab");
    put_special('p', 12, false, 0x7ffe12ab, "  0x7ffe12ab");
    put_special('p', 12, true, UINT64_MAX, "0xffffffffffffffff");
    put_special('p', 7, false, 0, "  (nil)");
}
END_TEST

/* Texts of characters of two bytes, little-endian. */
static void put_wide(int precision, uint32_t width, const char *bytes, size_t n, const char *expected)
{
    const struct tk_ut_printf_spec s = {.kind = 's',
                                        .has_precision = precision >= 0,
                                        .precision = precision < 0 ? 0 : (uint32_t)precision,
                                        .width = width};
    const struct tk_ut_printf_arg arg = {.text = (const uint8_t *)bytes, .n_text = n, .size = 2};
    tk_ut_printf_put_text(&out, &s, &arg);
    is(expected);
}

START_TEST(wide_texts)
{
    put_wide(-1, 0, "a\0\xac\x20", 4, "a\xe2\x82\xac");
    put_wide(-1, 4, "a\0\xac\x20", 4, "  a\xe2\x82\xac");
    put_wide(1, 4, "a\0\xac\x20", 4, "   a");
    put_wide(0, 2, "a\0", 2, "  ");
    put_wide(-1, 0, "\x3d\xd8\x00\xde!\0", 6, "\xf0\x9f\x98\x80!"); /* U+1F600 */
    put_wide(1, 3, "\x3d\xd8\x00\xde!\0", 6, "  \xf0\x9f\x98\x80");
}
END_TEST

START_TEST(numbers_of_some_bits)
{
    ck_assert_int_eq(tk_ut_printf_signed(0x7f, 8), 127);
    ck_assert_int_eq(tk_ut_printf_signed(0x80, 8), -128);
    ck_assert_int_eq(tk_ut_printf_signed(0x1ff, 8), -1); /* what is above does not count */
    ck_assert_int_eq(tk_ut_printf_signed(0x80000000, 32), INT32_MIN);
    ck_assert_int_eq(tk_ut_printf_signed(0x80000000, 64), 0x80000000LL);
    ck_assert_int_eq(tk_ut_printf_signed(UINT64_MAX, 64), -1);
    ck_assert_int_eq(tk_ut_printf_signed(UINT64_MAX, 0), -1);
}
END_TEST

/* A message holds so many bytes; the rest is dropped. */
START_TEST(as_much_as_there_is_space_for)
{
    const struct tk_ut_printf_spec wide = {.kind = 'd', .width = TK_UT_PRINTF_LIMIT - 2, .bits = 32};
    tk_ut_printf_put_integer(&out, &wide, (struct tk_ut_printf_arg){.integer = 7, .size = 4});
    ck_assert_uint_eq(out.bytes.n, TK_UT_PRINTF_LIMIT - 2);
    ck_assert_int_eq(out.bytes.v[TK_UT_PRINTF_LIMIT - 3], '7');
    tk_ut_printf_put(&out, "abc", 3);
    tk_ut_printf_put(&out, "def", 3);
    ck_assert_uint_eq(out.bytes.n, TK_UT_PRINTF_LIMIT);
    ck_assert_mem_eq(out.bytes.v + TK_UT_PRINTF_LIMIT - 3, "7ab", 3);
    ck_assert(!out.failed);
    empty();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {characters, pointers, wide_texts, numbers_of_some_bits,
                                  as_much_as_there_is_space_for};
    return RUN_TESTS("format_convert", tests);
}
