/* Unicode: checking, converting, columns. */
#include "base/text/copy.h"
#include "base/text/text.h"
#include "run.h"

#include <string.h>

static bool valid8(const char *s)
{
    return tk_utf8_valid(s, strlen(s));
}

START_TEST(utf8_borders)
{
    static const char *const good[] = {"",
                                       "ascii",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf",
                                       "12345678\xc3\xa9 12345678"};
    static const char *const bad[] = {"\x80",
                                      "\xbf",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc3",
                                      "\xc3(",
                                      "\xe0\x9f\xbf",
                                      "\xe2\x82",
                                      "\xed\xa0\x80",
                                      "\xed\xbf\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "12345678\3511234567",
                                      "1234567\xc3"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        ck_assert_msg(valid8(good[i]), "good %zu", i);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!valid8(bad[i]), "bad %zu", i);
    ck_assert(tk_utf8_valid("a\0b", 3));
}
END_TEST

/* Every code point: put, then next gives it back; surrogates become U+FFFD. */
START_TEST(utf8_round_trip)
{
    for (uint32_t cp = 0; cp <= 0x110000; cp++) {
        uint8_t b[4];
        size_t n = tk_utf8_put(b, cp), len;
        bool none = (cp >= 0xd800 && cp <= 0xdfff) || cp > 0x10ffff;
        uint32_t want = none ? 0xfffd : cp;
        size_t want_n = want < 0x80 ? 1 : want < 0x800 ? 2 : want < 0x10000 ? 3 : 4;
        if (n != want_n || tk_utf8_next(b, n, &len) != want || len != n || !tk_utf8_valid(b, n))
            ck_abort_msg("U+%X", cp);
        if (n > 1 && (tk_utf8_next(b, n - 1, &len) != 0xfffd || len != 1))
            ck_abort_msg("U+%X cut", cp);
    }
}
END_TEST

START_TEST(utf16_surrogates)
{
    ck_assert(tk_utf16_valid("", 0));
    ck_assert(tk_utf16_valid("A\0", 2));
    ck_assert(!tk_utf16_valid("A", 1));
    ck_assert(tk_utf16_valid("\x3d\xd8\x00\xde", 4));
    ck_assert(!tk_utf16_valid("\x00\xde\x3d\xd8", 4));
    ck_assert(!tk_utf16_valid("\x3d\xd8", 2));
    ck_assert(!tk_utf16_valid("\x3d\xd8\x3d\xd8\x00\xde", 6));
    ck_assert(!tk_utf16_valid("\x3d\xd8\101\0", 4));
    ck_assert(tk_utf16_valid("\xff\xdb\xff\xdf", 4));
}
END_TEST

static void check_utf16(const char *in, size_t n, const char *want)
{
    uint8_t out[64];
    size_t len = tk_utf16_to_utf8(out, in, n);
    ck_assert_uint_eq(len, strlen(want));
    ck_assert_mem_eq(out, want, len);
    ck_assert_uint_le(len, n / 2 * 3);
}

START_TEST(utf16_conversion)
{
    check_utf16("A\0\xe9\0\xac\x20\x3d\xd8\x00\xde", 10, "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    check_utf16("\xff\xdb\xff\xdf", 4, "\xf4\x8f\xbf\xbf");
    check_utf16("\x3d\xd8", 2, "\xef\xbf\xbd");
    check_utf16("\x00\xde", 2, "\xef\xbf\xbd");
    check_utf16("\x3d\xd8\x3d\xd8\x00\xde", 6, "\xef\xbf\xbd\xf0\x9f\x98\x80");
    check_utf16("A\0B", 3, "A");
    check_utf16("A", 1, "");
}
END_TEST

static size_t width(const char *s)
{
    return tk_utf8_width(s, strlen(s));
}

START_TEST(columns_of_texts)
{
    ck_assert_uint_eq(width(""), 0);
    ck_assert_uint_eq(width("plain"), 5);
    ck_assert_uint_eq(width("caf\xc3\xa9"), 4);
    ck_assert_uint_eq(width("cafe\xcc\x81"), 4);
    ck_assert_uint_eq(width("\xe6\x97\xa5\xe6\x9c\xac"), 4);
    ck_assert_uint_eq(width("\xed\x95\x9c"), 2);
    ck_assert_uint_eq(width("\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab"), 2);
    ck_assert_uint_eq(width("\xef\xbc\xa1"), 2);
    ck_assert_uint_eq(width("\xef\xbd\xb1"), 1);
    ck_assert_uint_eq(width("\xf0\x9f\x98\x80"), 2);
    ck_assert_uint_eq(width("\xf0\xa0\x80\x80"), 2);
    ck_assert_uint_eq(width("\xe2\x80\x8b"), 0);
    ck_assert_uint_eq(width("\xc2\xad"), 1);
    ck_assert_uint_eq(width("\xce\xb1"), 1);
    ck_assert_uint_eq(width("\xff"), 1);
}
END_TEST

/* Each text comes before all that stand behind it. */
START_TEST(order_of_texts)
{
    static const struct tk_str texts[] = {{"", 0, 0},   {"a\0", 1, 0}, {"a\0", 2, 0},
                                          {"ab", 2, 0}, {"b", 1, 0},   {"\xff", 1, 0}};
    enum { TEXTS = sizeof texts / sizeof *texts };
    for (int i = 0; i < TEXTS; i++) {
        ck_assert_int_lt(tk_str_order(NULL, &texts[i]), 0);
        ck_assert_int_gt(tk_str_order(&texts[i], NULL), 0);
        for (int j = 0; j < TEXTS; j++) {
            int order = tk_str_order(&texts[i], &texts[j]);
            ck_assert_int_eq((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
    ck_assert_int_eq(tk_str_order(NULL, NULL), 0);
}
END_TEST

START_TEST(byte_order_marks)
{
    ck_assert_uint_eq(tk_byte_order_mark("\xef\xbb\xbf", 3), 3);
    ck_assert_uint_eq(tk_byte_order_mark("\xef\xbb\xbf\xef\xbb\xbf", 6), 3);
    ck_assert_uint_eq(tk_byte_order_mark("\xef\xbb\xbf", 2), 0);
    ck_assert_uint_eq(tk_byte_order_mark("\xef\xbb\xbe", 3), 0);
    ck_assert_uint_eq(tk_byte_order_mark("a\xef\xbb\xbf", 4), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        utf8_borders,     utf8_round_trip, utf16_surrogates, utf16_conversion,
        columns_of_texts, order_of_texts,  byte_order_marks,
    };
    return RUN_TESTS("text", tests);
}
