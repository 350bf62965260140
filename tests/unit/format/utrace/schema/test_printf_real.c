/* Real numbers in messages. C libraries differ in hexadecimal digits and in what is no number: here they are
 * those of Linux, by hand everywhere, and by its own printf for many numbers where that is at hand. */
#include "format/utrace/schema/printf_args.h"
#include "run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct tk_ut_printf_text out;

static void put(const struct tk_ut_printf_spec *s, double v, const char *expected)
{
    tk_ut_printf_put_real(&out, s, v);
    ck_assert(!out.failed);
    ck_assert_msg(out.bytes.n == strlen(expected) && memcmp(out.bytes.v, expected, out.bytes.n) == 0,
                  "'%.*s' instead of '%s'", (int)out.bytes.n, (const char *)out.bytes.v, expected);
    tk_vec_release(&out.bytes);
    out = (struct tk_ut_printf_text){0};
}

#define PUT(v, expected, ...) put(&(struct tk_ut_printf_spec){__VA_ARGS__}, v, expected)

START_TEST(hexadecimal_digits)
{
    PUT(1.5, "0x1.8p+0", .kind = 'a');
    PUT(-0.5, "-0x1p-1", .kind = 'a');
    PUT(3.14159265358979311600, "0x1.921fb54442d18p+1", .kind = 'a');
    PUT(3.14159265358979311600, "0X1.921FB54442D18P+1", .kind = 'A');
    PUT(0.0, "0x0p+0", .kind = 'a');
    PUT(-0.0, "-0x0p+0", .kind = 'a');
    PUT(DBL_MAX, "0x1.fffffffffffffp+1023", .kind = 'a');
    PUT(DBL_MIN, "0x1p-1022", .kind = 'a');
    PUT(0x1p-1074, "0x0.0000000000001p-1022", .kind = 'a');
}
END_TEST

START_TEST(flags_and_width)
{
    PUT(1.5, "+0x1.8p+0", .kind = 'a', .plus = true);
    PUT(1.5, " 0x1.8p+0", .kind = 'a', .space = true);
    PUT(1.5, "    0x1.8p+0", .kind = 'a', .width = 12);
    PUT(1.5, "0x1.8p+0    ", .kind = 'a', .width = 12, .left = true, .zero = true);
    PUT(-1.5, "-0x0001.8p+0", .kind = 'a', .width = 12, .zero = true);
    PUT(1.0, "0x1.p+0", .kind = 'a', .alternate = true);
}
END_TEST

/* To the nearest, of two to the even one; the digit before the point takes what is carried. */
START_TEST(precision)
{
    PUT(1.5, "0x1.80p+0", .kind = 'a', .has_precision = true, .precision = 2);
    PUT(1.5, "0x1.800000000000000p+0", .kind = 'a', .has_precision = true, .precision = 15);
    PUT(0x1.4p+1, "0x1p+1", .kind = 'a', .has_precision = true);
    PUT(0x1.8p+1, "0x2p+1", .kind = 'a', .has_precision = true);
    PUT(0x1.28p+0, "0x1.2p+0", .kind = 'a', .has_precision = true, .precision = 1);
    PUT(0x1.38p+0, "0x1.4p+0", .kind = 'a', .has_precision = true, .precision = 1);
    PUT(0x1.2800000000001p+0, "0x1.3p+0", .kind = 'a', .has_precision = true, .precision = 1);
    PUT(0x1.ffp+0, "0x2.0p+0", .kind = 'a', .has_precision = true, .precision = 1);
}
END_TEST

START_TEST(what_is_no_number)
{
    PUT(HUGE_VAL, "inf", .kind = 'g');
    PUT(-HUGE_VAL, "  -INF", .kind = 'E', .width = 6, .zero = true);
    PUT(HUGE_VAL, "+inf  ", .kind = 'a', .width = 6, .plus = true, .left = true);
    PUT(copysign(NAN, 1), "nan", .kind = 'f', .has_precision = true, .precision = 2);
    PUT(copysign(NAN, -1), "-NAN", .kind = 'F');
}
END_TEST

#ifdef __GLIBC__
static uint64_t state = 7;

static uint64_t random_bits(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state ^ state >> 29;
}

/* Few exponents are of what is no number or near zero: half of all numbers are made so. */
static double random_real(void)
{
    static const uint64_t exponents[] = {0, 0x7ff, 1, 1023};
    uint64_t bits = random_bits() << 32 ^ random_bits();
    if (bits & 1)
        bits = (bits & ~(UINT64_C(0x7ff) << 52)) | exponents[bits >> 1 & 3] << 52;
    if (bits & 8)
        bits &= ~(UINT64_MAX >> (random_bits() % 40 + 16));
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

START_TEST(as_linux_writes_them)
{
    for (unsigned i = 0; i < 100000; i++) {
        const uint64_t r = random_bits() >> 20;
        const struct tk_ut_printf_spec s = {.left = r & 1,
                                            .plus = r & 2,
                                            .space = r & 4,
                                            .alternate = r & 8,
                                            .zero = r & 16,
                                            .has_precision = r & 32,
                                            .precision = r >> 6 & 15,
                                            .width = r >> 10 & 31,
                                            .kind = "aAaAfeGE"[r >> 15 & 7]};
        const double v = random_real();
        char format[16], expected[512];
        snprintf(format, sizeof format, "%%%s%s%s%s%s*.*%c", s.left ? "-" : "", s.plus ? "+" : "",
                 s.space ? " " : "", s.alternate ? "#" : "", s.zero ? "0" : "", s.kind);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(expected, sizeof expected, format, (int)s.width, s.has_precision ? (int)s.precision : -1, v);
#pragma GCC diagnostic pop
        put(&s, v, expected);
    }
}
END_TEST
#endif

int main(void)
{
    const TTest *const tests[] = {hexadecimal_digits, flags_and_width, precision, what_is_no_number,
#ifdef __GLIBC__
                                  as_linux_writes_them
#endif
    };
    return RUN_TESTS("reals in messages", tests);
}
