/* Cycles to nanoseconds and back, against wider integers than the code has. */
#include "query/dict.h"
#include "run.h"

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 wide;

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static wide floor_of(wide a, wide d)
{
    wide q = a / d;
    return a % d != 0 && (a < 0) != (d < 0) ? q - 1 : q;
}

static int64_t held(wide v)
{
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (int64_t)v;
}

/* floor(c * 10^9 / f + 1/2), in steps that stay inside 128 bits. */
static int64_t plain_ns(int64_t cycles, uint64_t f)
{
    wide whole = floor_of(cycles, f), rest = cycles - whole * (wide)f;
    return held(whole * 1000000000 + floor_of(2 * rest * 1000000000 + f, 2 * (wide)f));
}

/* ceil(ns * f / 10^9) */
static int64_t plain_cycles(int64_t ns, uint64_t f)
{
    return held(-floor_of(-((wide)ns * f), 1000000000));
}

static const uint64_t frequencies[] = {
    1,
    2,
    3,
    7,
    1000,
    3579545,
    10000000,
    999999999,
    1000000000,
    1000000001,
    2399999999,
    3000000000,
    UINT64_C(18446744073),
    UINT64_C(18446744074),
    UINT64_C(1) << 62,
    UINT64_C(1) << 63,
    UINT64_MAX - 1,
    UINT64_MAX,
};

START_TEST(agrees_with_wide_integers)
{
    const int64_t edges[] = {0,
                             1,
                             -1,
                             49,
                             50,
                             51,
                             -49,
                             -50,
                             -51,
                             INT64_MAX,
                             INT64_MIN,
                             INT64_MIN + 1,
                             INT64_C(1) << 52,
                             (INT64_C(1) << 52) - 1,
                             -(INT64_C(1) << 52),
                             1 - (INT64_C(1) << 52)};
    for (size_t k = 0; k < sizeof frequencies / sizeof frequencies[0]; k++) {
        struct tk_fact_clock clock = {.start = 12345, .frequency = frequencies[k]};
        for (size_t i = 0; i < 20000; i++) {
            size_t n = sizeof edges / sizeof edges[0];
            int64_t v = i < n ? edges[i] : (int64_t)next() >> (next() & 63);
            ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_NS, v), plain_ns(v, frequencies[k]));
            ck_assert_int_eq(tk_clock_cycles(&clock, v), plain_cycles(v, frequencies[k]));
        }
    }
}
END_TEST
#endif

/* Clocks with several cycles a nanosecond, and with several nanoseconds a cycle. */
START_TEST(what_is_displayed_selects_itself)
{
    const uint64_t clocks[] = {1000,      10000000,   19200000,   300000000,
                               999999999, 1000000000, 2995200000, 7777777777};
    for (size_t k = 0; k < sizeof clocks / sizeof *clocks; k++) {
        const struct tk_fact_clock clock = {.frequency = clocks[k]};
        for (int64_t cycles = -300; cycles < 300; cycles++) {
            int64_t displayed = tk_clock_time(&clock, TK_UNIT_NS, cycles),
                    first = tk_clock_first(&clock, displayed);
            ck_assert_int_le(first, cycles);
            ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_NS, first), displayed);
            ck_assert_int_lt(tk_clock_time(&clock, TK_UNIT_NS, first - 1), displayed);
        }
    }
    ck_assert_int_eq(tk_clock_first(&(struct tk_fact_clock){.frequency = UINT64_MAX}, INT64_MAX), INT64_MAX);
    ck_assert_int_eq(tk_clock_first(&(struct tk_fact_clock){0}, 99), 99);
}
END_TEST

START_TEST(rounds_half_up)
{
    struct tk_fact_clock clock = {.start = 0, .frequency = 2000000000}; /* half a nanosecond */
    ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_NS, 1), 1);
    ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_NS, 3), 2);
    ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_NS, -1), 0);
    ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_NS, -2), -1);
    ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_NS, -3), -1);
}
END_TEST

START_TEST(units)
{
    struct tk_fact_clock clock = {.start = 7000, .frequency = 10000000};
    ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_CYCLES, -5), 6995);
    ck_assert_int_eq(tk_clock_span(&clock, TK_UNIT_CYCLES, 55), 55);
    ck_assert_int_eq(tk_clock_between(&clock, TK_UNIT_CYCLES, 5, 55), 50);
    ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_NS, 15), 1500);
    ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_MS, 15), 1500); /* the sink divides */
    ck_assert_int_eq(tk_clock_cycles(&clock, 1500), 15);
    ck_assert_int_eq(tk_clock_cycles(&clock, 1501), 16);
}
END_TEST

/* The ends are rounded, then subtracted: 1.5 and 3.0 become 2 and 3. */
START_TEST(lengths_are_differences_of_what_is_displayed)
{
    struct tk_fact_clock clock = {.start = 0, .frequency = 2000000000};
    ck_assert_int_eq(tk_clock_between(&clock, TK_UNIT_NS, 3, 6), 1);
    ck_assert_int_eq(tk_clock_span(&clock, TK_UNIT_NS, 3), 2);
}
END_TEST

START_TEST(without_a_clock_cycles_stay)
{
    struct tk_fact_clock clock = {0};
    ck_assert_int_eq(tk_clock_time(&clock, TK_UNIT_NS, -77), -77);
    ck_assert_int_eq(tk_clock_cycles(&clock, 99), 99);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
#if defined(__SIZEOF_INT128__)
        agrees_with_wide_integers,
#endif
        what_is_displayed_selects_itself,
        rounds_half_up,
        units,
        lengths_are_differences_of_what_is_displayed,
        without_a_clock_cycles_stay,
    };
    return RUN_TESTS("clock", tests);
}
