/*
 * Reals with so many digits: as C prints them, also where the locale has a comma.
 */
#include "base/text/text.h"
#include "run.h"

#include <locale.h>
#include <math.h>
#include <string.h>

static const struct {
    double v;
    unsigned digits;
    const char *fixed, *general;
} cases[] = {
    {0, 6, "0.000000", "0"},
    {1.5, 9, "1.500000000", "1.5"},
    {-0.25, 3, "-0.250", "-0.25"},
    {1234.56789012345, 9, "1234.567890123", "1234.56789"},
    {0.00001234, 9, "0.000012340", "1.234e-05"},
    {123456789012.0, 9, "123456789012.000000000", "1.23456789e+11"},
    {999999999.96, 9, "999999999.960000038", "1e+09"},
    {2.5, 1, "2.5", "2"},
};

START_TEST(prints_digits)
{
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    char text[TK_PUT_FIXED];
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        if (!setlocale(LC_ALL, locales[i]))
            continue;
        size_t n = tk_put_fixed(text, cases[_i].v, cases[_i].digits);
        ck_assert_uint_eq(n, strlen(cases[_i].fixed));
        ck_assert_mem_eq(text, cases[_i].fixed, n);
        n = tk_put_general(text, cases[_i].v, cases[_i].digits);
        ck_assert_uint_eq(n, strlen(cases[_i].general));
        ck_assert_mem_eq(text, cases[_i].general, n);
    }
}
END_TEST

START_TEST(prints_infinity)
{
    char text[TK_PUT_FIXED];
    ck_assert_uint_eq(tk_put_fixed(text, HUGE_VAL, 9), 3);
    ck_assert_mem_eq(text, "inf", 3);
    ck_assert_uint_eq(tk_put_general(text, -HUGE_VAL, 9), 4);
    ck_assert_mem_eq(text, "-inf", 4);
}
END_TEST

int main(void)
{
    const TTest *const digits[] = {prints_digits};
    const TTest *const others[] = {prints_infinity};
    int failed = RUN_TESTS_EACH("real", digits, sizeof cases / sizeof cases[0]);
    return RUN_TESTS("infinity", others) || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
