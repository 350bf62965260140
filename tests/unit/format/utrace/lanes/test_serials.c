/*
 * Serial numbers that came: holes, and numbers that are nowhere near. Each case is worked out by hand.
 */
#include "format/utrace/lanes/lane.h"
#include "run.h"
#include "tracekit.h"

#define MASK_24 0xffffffu

static struct tk_ut_serials s;

static void open_serials(void)
{
    ck_assert_int_eq(tk_ut_serials_open(&s, 24), TK_OK);
}

static void close_serials(void)
{
    tk_ut_serials_release(&s);
}

static void saw_run(uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        tk_ut_serials_saw(&s, (first + i) & MASK_24);
}

static void check_hole(size_t i, uint32_t first, uint32_t last)
{
    ck_assert_uint_lt(i, s.holes.n);
    ck_assert_uint_eq(s.holes.v[i].first & MASK_24, first);
    ck_assert_uint_eq(s.holes.v[i].last & MASK_24, last);
}

/* Two holes, one across the wrap; what comes late fills one. */
START_TEST(holes)
{
    saw_run(0xffff00, 0x80);
    saw_run(0xffff90, 0x60);
    saw_run(0x000010, 0x100);
    saw_run(0x000200, 0x10);
    saw_run(0x000110, 0xf0);
    tk_ut_serials_finish(&s);
    ck_assert_uint_eq(s.lost, 0x10 + 0x20);
    ck_assert_uint_eq(s.holes.n, 2);
    check_hole(0, 0xffff80, 0xffff8f);
    check_hole(1, 0xfffff0, 0x00000f);
}
END_TEST

/* More are lost than are remembered: 64 numbers in a row tell. One alone is taken for damage. */
START_TEST(leap)
{
    saw_run(1000, 1000);
    tk_ut_serials_saw(&s, 5000000);
    saw_run(2000, 10);
    saw_run(3002000, 200);
    tk_ut_serials_finish(&s);
    ck_assert_uint_eq(s.lost, 3002000 - 2010);
    ck_assert_uint_eq(s.holes.n, 1);
    check_hole(0, 2010, 3001999);
}
END_TEST

/* A thread that was silent while 10 millions were counted is not behind itself. */
START_TEST(numbers_do_not_go_back)
{
    uint64_t before = tk_ut_serials_saw(&s, 16000000);
    saw_run(16000001, 10000000);
    uint64_t after = tk_ut_serials_saw(&s, (16000001u + 10000000u) & MASK_24);
    ck_assert_uint_eq(after - before, 10000001);
    tk_ut_serials_finish(&s);
    ck_assert_uint_eq(s.lost, 0);
}
END_TEST

/* Protocol 1 has 16 bits: of 48000 numbers one thread has the even ones, and the other's come behind them. */
START_TEST(three_quarters_of_16_bits)
{
    close_serials();
    ck_assert_int_eq(tk_ut_serials_open(&s, 16), TK_OK);
    for (uint32_t odd = 0; odd < 2; odd++)
        for (uint32_t i = odd; i < 48000; i += 2)
            ck_assert_uint_ne(tk_ut_serials_saw(&s, (60000 + i) & 0xffff), 0);
    tk_ut_serials_finish(&s);
    ck_assert_uint_eq(s.lost, 0);
}
END_TEST

/* Of 200000 numbers of 16 bits one thread's lag by 48000, and three never come. */
START_TEST(lag_of_16_bits)
{
    close_serials();
    ck_assert_int_eq(tk_ut_serials_open(&s, 16), TK_OK);
    for (uint32_t i = 0; i < 248000; i += 2) {
        if (i < 200000 && i != 70000 && i != 100000)
            tk_ut_serials_saw(&s, i & 0xffff);
        if (i >= 48000 && i != 48000 + 90000)
            tk_ut_serials_saw(&s, (i - 48000 + 1) & 0xffff);
    }
    tk_ut_serials_finish(&s);
    ck_assert_uint_eq(s.lost, 3);
    check_hole(0, 70000, 70000);
    check_hole(1, 90001, 90001);
    check_hole(2, 100000, 100000);
}
END_TEST

/* 11 and 26 to 30 are missing below numbers that came before the last rounds; 21 to 24 below 25, which came
 * in them: so may they. 41 is beyond all that had come. */
START_TEST(what_is_below_a_late_one_may_come)
{
    saw_run(1, 10);
    saw_run(12, 9);
    saw_run(31, 10);
    tk_ut_serials_stop(&s);
    saw_run(25, 1);
    saw_run(42, 100);
    tk_ut_serials_finish(&s);
    ck_assert_uint_eq(s.lost, 1 + 5);
    ck_assert_uint_eq(s.holes.n, 2);
    check_hole(0, 11, 11);
    check_hole(1, 26, 30);
}
END_TEST

/* Numbers of several threads, some of which are behind, over a wrap: each is known before it came, but the
 * first one and one that is nowhere near. */
START_TEST(what_comes_next)
{
    ck_assert_uint_eq(tk_ut_serials_peek(&s, 7), 0);
    const uint64_t first = tk_ut_serials_saw(&s, 0xffff00);
    for (uint64_t i = 1; i < 300000; i++) {
        const uint64_t number = first + i - (i % 3 ? 0 : i < 500 ? i : 500);
        must(tk_ut_serials_peek(&s, number & MASK_24) == number);
        must(tk_ut_serials_saw(&s, number & MASK_24) == number);
    }
    ck_assert_uint_eq(tk_ut_serials_peek(&s, (first + (1 << 22)) & MASK_24), 0);
}
END_TEST

/* Numbers at random, some of which came after the last rounds began: what is lost and what is excused, number
 * by number. */
enum { NUMBERS = 4000, UNSEEN = 0, SOONER = 1, LATER = 2 };

static uint32_t random_below(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}

/* Stretches of numbers that came, came late or are missing; the first came, so did that behind the last one.
 */
static void fill_at_random(unsigned char came[NUMBERS + 1], uint64_t *state)
{
    for (uint32_t at = 0; at < NUMBERS;) {
        const unsigned char how = (unsigned char)(random_below(state, 8) % 3);
        const uint32_t longest = random_below(state, 3) ? 5 : 300;
        for (uint32_t n = 1 + random_below(state, longest); n && at < NUMBERS; n--)
            came[at++] = how;
    }
    came[0] = SOONER;
    came[NUMBERS] = LATER;
}

static bool is_in(const struct tk_ut_hole *runs, size_t n, uint64_t number)
{
    for (size_t i = 0; i < n; i++)
        if (number >= runs[i].first && number <= runs[i].last)
            return true;
    return false;
}

START_TEST(at_random)
{
    uint64_t state = (uint64_t)_i + 1, lost = 0, first = 0;
    unsigned char came[NUMBERS + 1], next = LATER;
    uint32_t stop = 0;
    fill_at_random(came, &state);
    for (uint32_t at = 0; at <= NUMBERS; at++)
        if (came[at] == SOONER) {
            const uint64_t number = tk_ut_serials_saw(&s, (0xfffc00 + at) & MASK_24);
            first = at ? first : number;
            stop = at;
        }
    tk_ut_serials_stop(&s);
    for (uint32_t at = 0; at <= NUMBERS; at++)
        if (came[at] == LATER)
            tk_ut_serials_saw(&s, (0xfffc00 + at) & MASK_24);
    tk_ut_serials_finish(&s);
    must(!s.failed);
    for (uint32_t at = NUMBERS;
         at-- > 0;) { /* `next`: of the lowest number above it that came, up to the last round */
        if (at == stop)
            next = SOONER;
        const bool is_missing = came[at] == UNSEEN, excused = at > stop || next == LATER;
        must(is_in(s.holes.v, s.holes.n, first + at) == (is_missing && !excused));
        must(is_in(s.excused.v, s.excused.n, first + at) == (is_missing && excused));
        lost += is_missing && !excused;
        next = is_missing ? next : came[at];
    }
    must(s.lost == lost);
}
END_TEST

int main(void)
{
    const TTest *const random_tests[] = {at_random};
    const TTest *const tests[] = {what_comes_next,
                                  holes,
                                  leap,
                                  numbers_do_not_go_back,
                                  three_quarters_of_16_bits,
                                  lag_of_16_bits,
                                  what_is_below_a_late_one_may_come};
    const struct around around = {open_serials, close_serials};
    const int failed = RUN_TESTS_AROUND("utrace serials", tests, open_serials, close_serials);
    return failed | run_tests("utrace serials at random", random_tests, 1, 300, around);
}
