/*
 * Messages: every rule of events 0.7, and where the host's printf follows the same rule, its text.
 */
#include "format/utrace/lines.h"
#include "format/utrace/schema/printf_args.h"
#include "../../../../writer/values.h"

#include <locale.h>
#include <math.h>

static struct tk_arena arena;
static struct tk_uw_args args;
static struct tk_uw_bytes block;

static void clear_args(void)
{
    tk_uw_args_release(&args);
    args = (struct tk_uw_args){0};
}

/* The text of a format with the arguments collected so far, NUL-terminated. In memory of exactly its size. */
static const char *formatted_str(const struct tk_str *format)
{
    struct tk_str out;
    bool cut;
    tk_uw_bytes_clear(&block);
    tk_uw_args_put(&args, &block);
    uint8_t *copy = malloc(block.size + !block.size);
    memcpy(copy, block.data, block.size);
    ck_assert_int_eq(tk_ut_format(&arena, format, copy, block.size, &out, &cut), TK_OK);
    ck_assert(!cut);
    free(copy);
    char *text = tk_arena_bytes(&arena, out.n + 1);
    memcpy(text, out.p, out.n);
    text[out.n] = '\0';
    clear_args();
    return text;
}

static const char *formatted(const char *format)
{
    return formatted_str(&(struct tk_str){format, (uint32_t)strlen(format), TK_ENC_UTF8});
}

static const char *with_int(const char *format, unsigned size, uint64_t v)
{
    tk_uw_arg_int(&args, size, v);
    return formatted(format);
}

static const char *with_real(const char *format, double v)
{
    tk_uw_arg_double(&args, v);
    return formatted(format);
}

static const char *with_text(const char *format, const char *v)
{
    tk_uw_arg_ansi(&args, v);
    return formatted(format);
}

/* An argument of any descriptor and payload. */
static void put_arg(uint8_t descriptor, const void *p, size_t n)
{
    tk_uw_u8(&args.kinds, descriptor);
    tk_uw_raw(&args.values, p, n);
}

/* Rules 1 and 2. */
START_TEST(no_arguments)
{
    static const struct tk_str format = {"100 %d %s %", 11, TK_ENC_UTF8};
    struct tk_str out;
    bool cut;
    ck_assert_str_eq(formatted("100 %d %s %"), "100 %d %s %");
    ck_assert_int_eq(tk_ut_format(&arena, &format, NULL, 0, &out, &cut), TK_OK);
    ck_assert_uint_eq(out.n, 11);
    ck_assert_int_eq(memcmp(out.p, format.p, 11), 0);
    ck_assert_str_eq(formatted("50%% of %%d"), "50% of %d");
    ck_assert_str_eq(formatted(""), "");
    ck_assert_str_eq(with_int("50%% of %d%%", 4, 7), "50% of 7%");
}
END_TEST

/* Rule 3: unknown conversions are text and take no argument. */
START_TEST(unknown_conversions)
{
    ck_assert_str_eq(with_int("%y %d", 4, 7), "%y 7");
    ck_assert_str_eq(with_int("%I64d|%d", 4, 7), "%I64d|7");
    ck_assert_str_eq(with_int("%-08.3q|%d", 4, 7), "%-08.3q|7");
    ck_assert_str_eq(with_int("%*k|%d", 4, 7), "%*k|7");
    ck_assert_str_eq(with_int("%d%", 4, 7), "7%");
    ck_assert_str_eq(with_int("%d %5", 4, 7), "7 %5");
    ck_assert_str_eq(with_int("%d %-+ #0", 4, 7), "7 %-+ #0");
    ck_assert_str_eq(with_int("%5%d|%d", 4, 7), "%5%d|7");
}
END_TEST

START_TEST(nothing_printed)
{
    tk_uw_arg_int(&args, 4, 1);
    ck_assert_str_eq(formatted("a%nb%dc"), "ab1c");
}
END_TEST

/* Rule 4. */
START_TEST(stars)
{
    tk_uw_arg_int(&args, 4, 6);
    tk_uw_arg_int(&args, 4, 42);
    ck_assert_str_eq(formatted("[%*d]"), "[    42]");
    tk_uw_arg_int(&args, 4, (uint32_t)-6);
    tk_uw_arg_int(&args, 4, 42);
    ck_assert_str_eq(formatted("[%*d]"), "[42    ]");
    tk_uw_arg_int(&args, 4, 8);
    tk_uw_arg_int(&args, 4, 2);
    tk_uw_arg_double(&args, 3.14159);
    ck_assert_str_eq(formatted("[%*.*f]"), "[    3.14]");
    tk_uw_arg_int(&args, 4, (uint32_t)-1);
    tk_uw_arg_double(&args, 0.5);
    ck_assert_str_eq(formatted("[%.*f]"), "[0.500000]");
    tk_uw_arg_int(&args, 4, 2);
    tk_uw_arg_ansi(&args, "abcdef");
    ck_assert_str_eq(formatted("[%.*s]"), "[ab]");
}
END_TEST

/* Rule 6: another category gives 0, 0.0 or nothing, and the argument is used up; what is missing likewise. */
START_TEST(wrong_and_missing)
{
    tk_uw_arg_ansi(&args, "text");
    tk_uw_arg_int(&args, 4, 5);
    ck_assert_str_eq(formatted("%d %d"), "0 5");
    tk_uw_arg_int(&args, 4, 5);
    tk_uw_arg_double(&args, 1.5);
    tk_uw_arg_int(&args, 4, 6);
    ck_assert_str_eq(formatted("[%s] %d %f"), "[] 0 0.000000");
    tk_uw_arg_int(&args, 4, 5);
    ck_assert_str_eq(formatted("%d %d %f [%s] %c|%x"), "5 0 0.000000 [] |0");
    put_arg(0x04, "\1\0\0\0", 4); /* category 0 */
    tk_uw_arg_int(&args, 4, 9);
    ck_assert_str_eq(formatted("%d %d"), "0 9");
}
END_TEST

/* Rule 7, against the host: a 4-byte argument with no length, an 8-byte one with l, ll, j, z, t. */
#define SAME_INT(format, size, type, v)                                                                      \
    do {                                                                                                     \
        char expected[200];                                                                                  \
        snprintf(expected, sizeof expected, format, (type)(v));                                              \
        ck_assert_str_eq(with_int(format, size, (uint64_t)(v)), expected);                                   \
    } while (0)

#define SAME_INTS(flags)                                                                                     \
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {                                                \
        SAME_INT("%" flags "d", 4, int, ints[i]);                                                            \
        SAME_INT("%" flags "i", 4, int, ints[i]);                                                            \
        SAME_INT("%" flags "u", 4, unsigned, ints[i]);                                                       \
        SAME_INT("%" flags "o", 4, unsigned, ints[i]);                                                       \
        SAME_INT("%" flags "x", 4, unsigned, ints[i]);                                                       \
        SAME_INT("%" flags "X", 4, unsigned, ints[i]);                                                       \
        SAME_INT("%" flags "lld", 8, long long, ints[i]);                                                    \
        SAME_INT("%" flags "llu", 8, unsigned long long, ints[i]);                                           \
        SAME_INT("%" flags "llx", 8, unsigned long long, ints[i]);                                           \
        SAME_INT("%" flags "llo", 8, unsigned long long, ints[i]);                                           \
    }

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wformat"
#endif

static const int64_t ints[] = {0, 1, -1, 7, 42, -42, 255, 65536, INT32_MAX, INT32_MIN, 123456789};

START_TEST(integers_as_the_host){
    SAME_INTS("") SAME_INTS("12") SAME_INTS("-12") SAME_INTS("012") SAME_INTS("+") SAME_INTS(" ")
        SAME_INTS("+ 012") SAME_INTS("#") SAME_INTS("#12") SAME_INTS("#012") SAME_INTS("-#012")
            SAME_INTS(".5") SAME_INTS(".0") SAME_INTS(".") SAME_INTS("12.5") SAME_INTS("-12.5")
                SAME_INTS("012.5") SAME_INTS("#12.5") SAME_INTS("#.0") SAME_INTS("+.3")} END_TEST

    START_TEST(lengths)
{
    ck_assert_str_eq(with_int("%hd", 4, 0x12348001), "-32767");
    ck_assert_str_eq(with_int("%hu", 4, 0x12348001), "32769");
    ck_assert_str_eq(with_int("%hhd", 4, 0x123480FF), "-1");
    ck_assert_str_eq(with_int("%hhx", 4, 0x123480FE), "fe");
    ck_assert_str_eq(with_int("%ld", 8, (uint64_t)-5), "-5");
    ck_assert_str_eq(with_int("%jd", 8, (uint64_t)-5), "-5");
    ck_assert_str_eq(with_int("%zu", 8, UINT64_MAX), "18446744073709551615");
    ck_assert_str_eq(with_int("%td", 8, (uint64_t)INT64_MIN), "-9223372036854775808");
    ck_assert_str_eq(with_int("%d", 8, UINT64_C(0x1FFFFFFFF)), "-1"); /* the low 32 bits */
    ck_assert_str_eq(with_int("%u", 8, UINT64_C(0x100000005)), "5");
}
END_TEST

/* Integers are stored in 1, 2, 4 or 8 bytes; signs come from the stored size. */
START_TEST(stored_sizes)
{
    ck_assert_str_eq(with_int("%lld", 4, (uint32_t)-7), "-7");
    ck_assert_str_eq(with_int("%d", 1, 0xFF), "-1");
    ck_assert_str_eq(with_int("%d", 2, 0x8000), "-32768");
    ck_assert_str_eq(with_int("%u", 1, 0xFF), "255");
    ck_assert_str_eq(with_int("%llu", 4, (uint32_t)-1), "4294967295");
    ck_assert_str_eq(with_int("%llx", 2, 0xFFFF), "ffff");
}
END_TEST

#define SAME_REAL(format, v)                                                                                 \
    do {                                                                                                     \
        char expected[600];                                                                                  \
        snprintf(expected, sizeof expected, format, (double)(v));                                            \
        ck_assert_str_eq(with_real(format, v), expected);                                                    \
    } while (0)

START_TEST(reals_as_the_host)
{
    static const double reals[] = {0.0, -0.0, 1.0, -1.5, 3.14159265, 1e-7, 123456789.125, 1e300, -2.5e-300};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        SAME_REAL("%f", reals[i]);
        SAME_REAL("%F", reals[i]);
        SAME_REAL("%e", reals[i]);
        SAME_REAL("%E", reals[i]);
        SAME_REAL("%g", reals[i]);
        SAME_REAL("%G", reals[i]);
        SAME_REAL("%a", reals[i]);
        SAME_REAL("%A", reals[i]);
        SAME_REAL("%.0f", reals[i]);
        SAME_REAL("%.f", reals[i]);
        SAME_REAL("%.3f", reals[i]);
        SAME_REAL("%#.0f", reals[i]);
        SAME_REAL("%+12.2f", reals[i]);
        SAME_REAL("%-12.2e", reals[i]);
        SAME_REAL("% 012.2f", reals[i]);
        SAME_REAL("%012g", reals[i]);
        SAME_REAL("%400.100f", reals[i]);
        SAME_REAL("%lf", reals[i]);
    }
    ck_assert_str_eq(with_real("%f", HUGE_VAL), "inf");
    ck_assert_str_eq(with_real("%F", -HUGE_VAL), "-INF");
    ck_assert_str_eq(with_real("%lf %hf", 1.5), "1.500000 0.000000");
}
END_TEST

/* A float of four bytes is legal; other sizes are no number. */
START_TEST(real_sizes)
{
    put_arg(0x84, "\x00\x00\xC0\x3F", 4);
    ck_assert_str_eq(formatted("%.2f"), "1.50");
    put_arg(0x82, "\x00\x3C", 2);
    tk_uw_arg_int(&args, 4, 3);
    ck_assert_str_eq(formatted("%.1f %d"), "0.0 3");
}
END_TEST

/* The decimal sign does not come from the locale. */
START_TEST(other_locale)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_NUMERIC, names[i]))
            break;
    ck_assert_str_eq(with_real("%.2f", 2.5), "2.50");
    setlocale(LC_NUMERIC, "C");
}
END_TEST

START_TEST(texts)
{
    ck_assert_str_eq(with_text("[%s]", "abc"), "[abc]");
    ck_assert_str_eq(with_text("[%6s]", "abc"), "[   abc]");
    ck_assert_str_eq(with_text("[%-6s]", "abc"), "[abc   ]");
    ck_assert_str_eq(with_text("[%.2s]", "abc"), "[ab]");
    ck_assert_str_eq(with_text("[%5.2s]", "abc"), "[   ab]");
    ck_assert_str_eq(with_text("[%S]", "abc"), "[abc]");
    ck_assert_str_eq(with_text("[%ls]", "abc"), "[abc]");
    ck_assert_str_eq(with_text("[%hs]", ""), "[]");
    ck_assert_str_eq(with_text("[%.0s]", "abc"), "[]");
    ck_assert_str_eq(with_text("%s", "%d"), "%d");
}
END_TEST

/* Characters of 1, 2 and 4 bytes; of other sizes as of one. */
START_TEST(text_widths)
{
    tk_uw_arg_wide(&args, "wide");
    tk_uw_arg_ansi(&args, "narrow");
    ck_assert_str_eq(formatted("%s %s"), "wide narrow");
    put_arg(0xC2, "\xE9\x00\x3D\xD8\x00\xDE\x00\x00", 8);
    ck_assert_str_eq(formatted("[%4s]"), "[  \xC3\xA9\xF0\x9F\x98\x80]");
    put_arg(0xC4, "H\0\0\0\x00\xF6\x01\x00\0\0\0\0", 12);
    tk_uw_arg_int(&args, 4, 5);
    ck_assert_str_eq(formatted("%s %d"), "H\xF0\x9F\x98\x80 5");
    put_arg(0xC1, "H\xC3\xA9\0", 4);
    ck_assert_str_eq(formatted("[%.2s|%3s]"), "[H\xC3\xA9|   ]");
}
END_TEST

/* Bytes that are no text come out as U+FFFD. */
START_TEST(invalid_texts)
{
    ck_assert_str_eq(with_text("%s", "a\xFFz"), "a\xEF\xBF\xBDz");
    ck_assert_str_eq(with_int("\xFF%d", 4, 1), "\xEF\xBF\xBD"
                                               "1");
    ck_assert_str_eq(formatted("\xC3"), "\xEF\xBF\xBD");
}
END_TEST

START_TEST(characters)
{
    ck_assert_str_eq(with_int("[%c]", 4, 'A'), "[A]");
    ck_assert_str_eq(with_int("[%3c]", 4, 'A'), "[  A]");
    ck_assert_str_eq(with_int("[%-3c]", 4, 'A'), "[A  ]");
    ck_assert_str_eq(with_int("[%c]", 4, 0xE9), "[\xC3\xA9]");
    ck_assert_str_eq(with_int("[%lc]", 4, 0x20AC), "[\xE2\x82\xAC]");
}
END_TEST

/* As on Linux, whatever the size. */
START_TEST(pointers)
{
    ck_assert_str_eq(with_int("%p", 8, UINT64_C(0x7FFF12345678)), "0x7fff12345678");
    ck_assert_str_eq(with_int("%p", 4, 0xDEADBEEF), "0xdeadbeef");
    ck_assert_str_eq(with_int("[%20p]", 8, 0x10), "[                0x10]");
    ck_assert_str_eq(with_int("[%-8p]", 8, 0x10), "[0x10    ]");
}
END_TEST

/* A size of characters that there is not: bytes, up to the first 0. */
START_TEST(text_of_odd_width)
{
    static const uint8_t odd[] = {0xC0, 0xC3, 0xC5, 0xFF};
    for (size_t i = 0; i < sizeof odd; i++) {
        put_arg(odd[i], "abc", 4);
        ck_assert_str_eq(formatted("[%s]"), "[abc]");
    }
}
END_TEST

static void is_utf16(const struct tk_str *out, const char *bytes, size_t n)
{
    ck_assert_int_eq(out->enc, TK_ENC_UTF16);
    ck_assert_uint_eq(out->n, n);
    ck_assert_int_eq(memcmp(out->p, bytes, n), 0);
}

static struct tk_str formatted_any(const struct tk_str *format)
{
    struct tk_str out;
    bool cut;
    tk_uw_bytes_clear(&block);
    tk_uw_args_put(&args, &block);
    ck_assert_int_eq(tk_ut_format(&arena, format, block.data, block.size, &out, &cut), TK_OK);
    clear_args();
    return out;
}

/* Half a surrogate pair in the format or in an argument: the text is UTF-16, byte by byte as it was. */
START_TEST(half_pairs)
{
    static const struct tk_str plain = {"a\0\x3d\xd8"
                                        "b\0",
                                        6, TK_ENC_UTF16},
                               with = {"<%s>", 4, TK_ENC_UTF8}, two = {"%s%s", 4, TK_ENC_UTF8};
    struct tk_str out = formatted_any(&plain);
    is_utf16(&out,
             "a\0\x3d\xd8"
             "b\0",
             6);
    put_arg(0xc2, "\x01\xdc\xe9\0\0\0", 6); /* a low half, then U+00E9 */
    out = formatted_any(&with);
    is_utf16(&out, "<\0\x01\xdc\xe9\0>\0", 8);
    put_arg(0xc2, "\x3d\xd8\0\0", 4); /* both halves of U+1F600 */
    put_arg(0xc2, "\x00\xde\0\0", 4);
    out = formatted_any(&two);
    ck_assert_int_eq(out.enc, TK_ENC_UTF8);
    ck_assert(out.n == 4 && memcmp(out.p, "\xf0\x9f\x98\x80", 4) == 0);
}
END_TEST

/* Blocks that end early: nothing behind the end is read, what is missing is 0. */
START_TEST(cut_blocks)
{
    static const char format[] = "%d|%s|%f|%llx|%s";
    tk_uw_arg_int(&args, 4, 5);
    tk_uw_arg_ansi(&args, "abc");
    tk_uw_arg_double(&args, 1.5);
    tk_uw_arg_int(&args, 8, UINT64_MAX);
    tk_uw_arg_wide(&args, "xy");
    tk_uw_args_put(&args, &block);
    clear_args();
    for (size_t n = 0; n <= block.size; n++) {
        struct tk_str s = {format, sizeof format - 1, TK_ENC_UTF8};
        struct tk_str out;
        bool cut;
        uint8_t *copy = malloc(n + !n);
        memcpy(copy, block.data, n);
        ck_assert_int_eq(tk_ut_format(&arena, &s, copy, n, &out, &cut), TK_OK);
        ck_assert_int_eq(cut, n > 0 && n < block.size);
        free(copy);
        if (n == block.size) {
            ck_assert_uint_eq(out.n, strlen("5|abc|1.500000|ffffffffffffffff|xy"));
            ck_assert_int_eq(memcmp(out.p, "5|abc|1.500000|ffffffffffffffff|xy", out.n), 0);
        } else if (n >= 6 + 4 + 4 && n < 6 + 4 + 4 + 8) {
            ck_assert_uint_eq(out.n, strlen("5|abc|0.000000|0|"));
            ck_assert_int_eq(memcmp(out.p, "5|abc|0.000000|0|", out.n), 0);
        } else if (n > 0 && n < 6 + 4) {
            ck_assert_int_eq(memcmp(out.p, "0|", 2), 0);
        }
    }
    tk_uw_bytes_clear(&block);
}
END_TEST

/* Rule 9, and numbers in the format that nobody can mean. */
START_TEST(long_texts)
{
    static char text[70000];
    memset(text, 'x', sizeof text - 1);
    ck_assert_uint_eq(strlen(with_text("%s", text)), 65536);
    ck_assert_uint_eq(strlen(with_text("ab%s", text)), 65536);
    ck_assert_uint_eq(strlen(with_int("%99999999999d", 4, 1)), 65536);
    ck_assert_uint_eq(strlen(with_int("%.99999999999d", 4, 1)), 65536);
    ck_assert_uint_le(strlen(with_real("%99999999999.99999999999f", 1)), 65536);
    tk_uw_arg_int(&args, 4, (uint32_t)INT32_MIN);
    tk_uw_arg_int(&args, 4, 1);
    ck_assert_uint_eq(strlen(formatted("%*d")), 65536);
}
END_TEST

/* 255 arguments. */
START_TEST(many)
{
    struct lines format = {0}, expected = {0};
    for (unsigned i = 0; i < 255; i++) {
        tk_uw_arg_int(&args, 4, i);
        add_line(&format, "%%d ");
        add_line(&expected, "%u ", i);
    }
    ck_assert_str_eq(formatted(format.text), expected.text);
    release_lines(&format);
    release_lines(&expected);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {no_arguments, unknown_conversions, nothing_printed,
                                  stars,        wrong_and_missing,   integers_as_the_host,
                                  lengths,      stored_sizes,        reals_as_the_host,
                                  real_sizes,   other_locale,        texts,
                                  text_widths,  invalid_texts,       characters,
                                  pointers,     text_of_odd_width,   half_pairs,
                                  cut_blocks,   long_texts,          many};
    return RUN_TESTS("utrace format_args", tests);
}
