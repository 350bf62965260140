/*
 * Context switches, packed: they come back in order, whatever order they came in, and so do the times that
 * threads ran.
 */
#include "base/sort.h"
#include "model/threads/switch_list.h"
#include "run.h"

#include <stdlib.h>

enum { MANY = 3 * TK_SWITCHES_BEFORE + 100, THREADS = 5 };

static struct tk_context context;
static struct tk_dict dict;
static struct tk_switch_list list;
static struct tk_switch wanted[MANY];
static uint64_t seed;

static uint64_t below(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

static void feed(const struct tk_switch *s)
{
    struct tk_fact fact = {.kind = TK_FACT_SWITCH, .time = s->begin, .thread = 10 + s->thread};
    fact.u.context.system_id = 100 + s->thread;
    fact.u.context.end = s->end;
    fact.u.context.core = s->core;
    fact.u.context.end_state = s->end_state;
    fact.u.context.woken = s->wake != TK_NOT_WOKEN;
    fact.u.context.wake = s->wake;
    fact.u.context.waker_core = s->waker_core;
    ck_assert_int_eq(tk_switch_list_feed(&list, &fact), 0);
}

static int by_time(const void *a, const void *b)
{
    const struct tk_switch *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* n switches, each up to `late` cycles before the place of its turn, of which some are equal; `long_one`
 * cycles of one of them. */
static void make(size_t n, uint64_t late, int64_t long_one)
{
    tk_switch_list_init(&list, &context);
    for (uint32_t thread = 0; thread < THREADS; thread++) /* in the order in which they are numbered */
        (void)tk_system_thread_of(&list.threads, 100 + thread);
    for (size_t i = 0; i < n; i++) {
        const bool woken = below(2);
        struct tk_switch s = {.begin = (int64_t)(i * 3) - (int64_t)below(late + 1) - 1000,
                              .thread = (uint32_t)below(THREADS),
                              .core = (uint32_t)below(300),
                              .waker_core = UINT32_MAX,
                              .wake = TK_NOT_WOKEN,
                              .end_state = (uint8_t)below(3)};
        s.end = s.begin + (i == n / 2 ? long_one : (int64_t)below(9));
        if (woken) {
            s.wake = s.begin - (int64_t)below(500);
            s.waker_core = below(2) ? (uint32_t)below(300) : UINT32_MAX;
        }
        wanted[i] = s;
        feed(&s);
    }
    ck_assert_int_eq(tk_sort(wanted, n, sizeof *wanted, by_time), 0);
    ck_assert_int_eq(tk_switch_list_finish(&list, &dict), 0);
}

static bool is_same(const struct tk_switch *a, const struct tk_switch *b)
{
    return a->begin == b->begin && a->end == b->end && a->wake == b->wake && a->thread == b->thread &&
           a->core == b->core && a->waker_core == b->waker_core && a->end_state == b->end_state;
}

static void check_order(size_t n, uint64_t late)
{
    make(n, late, 5);
    struct tk_switch_reading r = tk_switches_from_first(&list);
    for (size_t i = 0; i < n; i++) {
        const struct tk_switch *s = tk_switches_next(&r);
        ck_assert(s && is_same(s, &wanted[i]));
    }
    ck_assert(!tk_switches_next(&r));
    ck_assert_uint_eq(list.n, n);
    ck_assert(n == 0 || list.from == wanted[0].begin);
    tk_switch_list_release(&list);
}

START_TEST(come_back_in_order)
{
    static const size_t counts[] = {0, 1, TK_SWITCHES_BEFORE, TK_SWITCHES_BEFORE + 1, MANY};
    static const uint64_t lates[] = {0, 50, 3 * MANY};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof lates / sizeof *lates; k++)
            check_order(counts[i], lates[k]);
}
END_TEST

START_TEST(around_a_time)
{
    make(MANY, 50, 5);
    for (size_t at = 0; at < MANY; at += 997) {
        struct tk_switch_reading r = tk_switches_around(&list, wanted[at].begin);
        const struct tk_switch *s = tk_switches_next(&r);
        size_t first = 0;
        while (!is_same(s, &wanted[first]))
            first++;
        while (at > 0 && wanted[at - 1].begin == wanted[at].begin)
            at--;
        ck_assert(first == 0 || first + TK_SWITCHES_BEFORE <= at);
    }
    tk_switch_list_release(&list);
}
END_TEST

/* Cycles of a thread between two times, by going through each of them that it ran. */
static uint64_t count_cycles(size_t n, uint32_t thread, int64_t begin, int64_t end)
{
    uint64_t ran = 0;
    int64_t until = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        const struct tk_switch *s = &wanted[i];
        if (s->thread != thread || s->end <= until)
            continue;
        int64_t from = s->begin > until ? s->begin : until, to = s->end;
        until = s->end;
        from = from > begin ? from : begin;
        to = to < end ? to : end;
        ran += to > from ? (uint64_t)(to - from) : 0;
    }
    return ran;
}

static void check_times(int64_t long_one)
{
    const struct tk_select select = {.all_time = true};
    struct tk_core_times times = {0};
    make(3000, 50, long_one);
    ck_assert_int_eq(tk_core_times_build(&times, &list, &select), 0);
    for (unsigned i = 0; i < 300; i++) {
        const uint32_t thread = (uint32_t)below(THREADS);
        const int64_t begin = (int64_t)below(9000) - 1000,
                      end = begin + (int64_t)below(i % 9 ? 100 : 20000000000);
        ck_assert_uint_eq(tk_core_times_between(&times, 10 + thread, begin, end),
                          count_cycles(3000, thread, begin, end));
    }
    tk_core_times_release(&times);
    tk_switch_list_release(&list);
}

START_TEST(times_that_threads_ran)
{
    check_times(5);
    check_times(INT64_C(12000000000)); /* of more than 32 bits */
    check_times(INT64_C(1) << 60);     /* as a hostile capture says */
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {come_back_in_order, around_a_time, times_that_threads_ran};
    context.limits.switches = UINT64_MAX;
    return RUN_TESTS("switch list", tests);
}
