/* Numbers as digits: shortest, exact, the same in every locale. */
#include "base/text/text.h"
#include "run.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *real(double v)
{
    static char text[40];
    text[tk_put_real(text, v)] = '\0';
    return text;
}

static const char *real32(float v)
{
    static char text[40];
    text[tk_put_real32(text, v)] = '\0';
    return text;
}

START_TEST(integers)
{
    char text[32];
    static const uint64_t values[] = {0, 9, 10, 99, 100, 12345678901234567890u, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        char want[32];
        int n = snprintf(want, sizeof want, "%llu", (unsigned long long)values[i]);
        ck_assert_uint_eq(tk_put_u64(text, values[i]), (size_t)n);
        ck_assert_mem_eq(text, want, (size_t)n);
    }
    for (uint64_t power = 1, last = 0; power > last; last = power, power *= 10)
        for (uint64_t v = power - 1; v <= power + 1; v++) {
            char want[32];
            int n = snprintf(want, sizeof want, "%llu", (unsigned long long)(v * 7));
            ck_assert_uint_eq(tk_put_u64(text, v * 7), (size_t)n);
            ck_assert_mem_eq(text, want, (size_t)n);
            n = snprintf(want, sizeof want, "%llu", (unsigned long long)v);
            ck_assert_uint_eq(tk_put_u64(text, v), (size_t)n);
            ck_assert_mem_eq(text, want, (size_t)n);
        }
    for (uint64_t v = 0; v < 100000; v++) {
        char want[32];
        int n = snprintf(want, sizeof want, "%llu", (unsigned long long)(v * 1000 + v / 100));
        must(tk_put_u64(text, v * 1000 + v / 100) == (size_t)n && memcmp(text, want, (size_t)n) == 0);
    }
    ck_assert_uint_eq(tk_put_i64(text, INT64_MIN), 20);
    ck_assert_mem_eq(text, "-9223372036854775808", 20);
    ck_assert_uint_eq(tk_put_i64(text, INT64_MAX), 19);
    ck_assert_mem_eq(text, "9223372036854775807", 19);
    ck_assert_uint_eq(tk_put_i64(text, -1), 2);
    ck_assert_mem_eq(text, "-1", 2);
}
END_TEST

/* As Python's format(v, '.9g') and the like round, in the form of the shortest ones. */
START_TEST(rounded)
{
    static const struct {
        double v;
        unsigned digits;
        const char *text;
    } cases[] = {
        {2.938059790000005e-09, 9, "2.93805979e-09"},
        {123456789012, 9, "123456789000"},
        {-1234.5678, 6, "-1234.57"},
        {0.1 + 0.2, 9, "0.3"},
        {9.9999e22, 3, "1e+23"},
        {0, 4, "0"},
        {2.5, 1, "2"},
        {3.5, 1, "4"},
        {1e-320, 3, "1e-320"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[40];
        text[tk_put_rounded(text, cases[i].v, cases[i].digits)] = '\0';
        ck_assert_str_eq(text, cases[i].text);
    }
}
END_TEST

/* The shortest forms are those that Python's repr() gives, without its ".0". */
START_TEST(reals)
{
    static const struct {
        double v;
        const char *text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.30000000000000004, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {2.0 / 3, "0.6666666666666666"},
        {16.666666666666668, "16.666666666666668"},
        {16777216.0, "16777216"},
        {123456789012345.0, "123456789012345"},
        {9007199254740993.0, "9007199254740992"},
        {9999999999999998.0, "9999999999999998"},
        {1e15, "1000000000000000"},
        {1e16, "1e+16"},
        {1.5e16, "1.5e+16"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {1e300, "1e+300"},
        {0.0001, "0.0001"},
        {0.00012345, "0.00012345"},
        {0.00001, "1e-05"},
        {1.5e-10, "1.5e-10"},
        {5e-324, "5e-324"},
        {1.5e-323, "1.5e-323"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_EPSILON, "2.220446049250313e-16"},
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p-1074 * 3, "1.5e-323"},
        {9007199254740991.0 / 8, "1125899906842623.9"},
        {123456.789, "123456.789"},
        {NAN, "nan"},
        {-NAN, "nan"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_str_eq(real(cases[i].v), cases[i].text);
}
END_TEST

START_TEST(floats)
{
    static const struct {
        float v;
        const char *text;
    } cases[] = {
        {0.0f, "0"},
        {0.1f, "0.1"},
        {0.3f, "0.3"},
        {1.0f / 3, "0.33333334"},
        {16777216.0f, "16777216"},
        {3.4028235e38f, "3.4028235e+38"},
        {1e-45f, "1e-45"},
        {FLT_MIN, "1.1754944e-38"},
        {1e10f, "10000000000"},
        {-2.5f, "-2.5"},
        {INFINITY, "inf"},
        {33.3f, "33.3"},
        {0x1p-24f, "5.9604645e-08"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_str_eq(real32(cases[i].v), cases[i].text);
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 29;
}

/* Its digits from the first to the last that is no zero, ended by NUL; how many there are to the end of the
 * text. */
static size_t digits_of(char out[40], const char *text)
{
    size_t n = 0, last = 0;
    for (const char *p = text; *p && *p != 'e'; p++) {
        if (*p < '0' || *p > '9' || (n == 0 && *p == '0'))
            continue;
        out[n++] = *p;
        last = *p == '0' ? last : n;
    }
    out[last] = '\0';
    return n;
}

/* Reads back, no %g with one digit less does, and as many digits of printf, which rounds exactly, are the
 * same; but for powers of two, above which values are farther apart than below. */
static void check_shortest(double v)
{
    const char *text = real(v);
    char own[40], exact[40], exact_digits[40];
    int exponent;
    if (strtod(text, NULL) != v)
        ck_abort_msg("%a written as %s", v, text);
    const size_t digits = digits_of(own, text);
    snprintf(exact, sizeof exact, "%.*e", own[0] ? (int)strlen(own) - 1 : 0, v);
    digits_of(exact_digits, exact);
    if (fabs(frexp(v, &exponent)) != 0.5 && strcmp(own, exact_digits) != 0)
        ck_abort_msg("%s instead of %s", text, exact);
    if (!strchr(text, '.') && !strchr(text, 'e'))
        return; /* zeros at the end of an integer are no digits of it */
    char shorter[40];
    snprintf(shorter, sizeof shorter, "%.*e", digits > 2 ? (int)digits - 2 : 0, v);
    if (digits > 1 && strtod(shorter, NULL) == v)
        ck_abort_msg("%s is longer than %s", text, shorter);
    if (strlen(text) > 32)
        ck_abort_msg("%s is too long", text);
}

START_TEST(random_reals_read_back)
{
    uint64_t state = 1;
    for (int i = 0; i < 40000; i++) {
        uint64_t bits = next_random(&state);
        double v;
        memcpy(&v, &bits, sizeof v);
        if (isfinite(v))
            check_shortest(v);
        check_shortest((double)(int64_t)(bits >> 20) / 1000);
        check_shortest((double)(bits >> 44) * 1e-7);
        check_shortest(ldexp((double)(bits >> 11), (int)(bits % 97) - 92));
        check_shortest(ldexp((double)(bits >> 50), -(int)(bits % 40)));
        check_shortest(ldexp(1, (int)(bits % 2000) - 1050));
        float f;
        uint32_t low = (uint32_t)bits;
        memcpy(&f, &low, sizeof f);
        if (isfinite(f))
            ck_assert(strtof(real32(f), NULL) == f);
    }
}
END_TEST

START_TEST(locale_does_not_matter)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!setlocale(LC_ALL, names[i]))
            continue;
        ck_assert_str_eq(real(1.5), "1.5");
        ck_assert_str_eq(real(1.0 / 3), "0.3333333333333333");
        ck_assert_str_eq(real(1.7976931348623157e308), "1.7976931348623157e+308");
        ck_assert_str_eq(real32(0.1f), "0.1");
    }
    setlocale(LC_ALL, "C");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        integers, reals, rounded, floats, random_reals_read_back, locale_does_not_matter,
    };
    return RUN_TESTS("number", tests);
}
