/* Sums by part and timer come out of packed runs as they went in, stretch by stretch. */
#include "model/sums/timer_sums.h"
#include "run.h"

enum { PARTS = 5000, TIMERS = 3 };

/* Figures that take one byte and ten, also of what is taken off something that was packed before. */
static struct tk_interval_sum sum_of(uint32_t part, uint32_t timer)
{
    uint64_t much = UINT64_C(1) << part % 64;
    return (struct tk_interval_sum){part, timer, part % 3, much - timer, much, timer ? much / 2 : 0 - much};
}

static void put(struct tk_interval_sums *sums, uint32_t part, uint32_t timer)
{
    struct tk_interval_sum *sum = tk_interval_sums_of(sums, part, timer);
    ck_assert(sum);
    *sum = sum_of(part, timer);
}

/* Two runs that go through each other, their sums out of order. */
static void fill(struct tk_packed_sums *runs)
{
    for (uint32_t odd = 0; odd < 2; odd++) {
        struct tk_interval_sums sums = {0};
        for (uint32_t part = PARTS; part-- > 0;)
            for (uint32_t timer = 0; timer < TIMERS; timer++)
                if ((part + timer) % 2 == odd)
                    put(&sums, part, timer);
        ck_assert_int_eq(tk_packed_sums_pack(runs, &sums), 0);
        ck_assert_uint_eq(sums.v.n, 0);
        tk_interval_sums_release(&sums);
    }
}

static void check_stretch(struct tk_packed_sums *runs, uint32_t first, uint32_t end)
{
    struct tk_interval_sum got;
    uint32_t n = 0;
    for (size_t i = 0; i < runs->v.n; i++) {
        while (tk_packed_sum_next(&runs->v.v[i], end, &got)) {
            struct tk_interval_sum wanted = sum_of(got.part, got.timer);
            ck_assert_uint_ge(got.part, first);
            ck_assert_uint_eq(got.count, wanted.count);
            ck_assert_uint_eq(got.incl, wanted.incl);
            ck_assert_uint_eq(got.total, wanted.total);
            ck_assert_uint_eq(got.excl, wanted.excl);
            n++;
        }
    }
    ck_assert_uint_eq(n, ((end < PARTS ? end : PARTS) - first) * TIMERS);
}

START_TEST(stretches)
{
    struct tk_packed_sums runs = {.v = {0}};
    fill(&runs);
    for (uint32_t step = 1; step <= 2 * PARTS; step *= 7) {
        tk_packed_sums_rewind(&runs);
        for (uint32_t first = 0; first < PARTS; first += step)
            check_stretch(&runs, first, first + step);
    }
    tk_packed_sums_release(&runs);
}
END_TEST

START_TEST(nothing)
{
    struct tk_packed_sums runs = {.v = {0}};
    struct tk_interval_sums sums = {0};
    struct tk_interval_sum got;
    ck_assert_int_eq(tk_packed_sums_pack(&runs, &sums), 0);
    tk_packed_sums_rewind(&runs);
    ck_assert(!tk_packed_sum_next(&runs.v.v[0], UINT32_MAX, &got));
    tk_packed_sums_release(&runs);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {stretches, nothing};
    return RUN_TESTS("part_runs", tests);
}
