/* Cells of times and lengths at the ends of 64 bits, worked out by hand. */
#include "query/context_cells.h"
#include "run.h"

#define HALF (UINT64_C(1) << 63)

/* A context of a clock and a unit. */
struct made {
    struct tk_context ctx;
    struct tk_dict dict;
    struct tk_query query;
    struct tk_query_context view;
};

static const struct tk_query_context *made(struct made *m, uint64_t start, uint64_t frequency,
                                           enum tk_unit unit)
{
    *m = (struct made){.dict = {.clock = {.start = start, .frequency = frequency}}, .query = {.unit = unit}};
    m->view = (struct tk_query_context){.ctx = &m->ctx, .dict = &m->dict, .query = &m->query};
    return &m->view;
}

static void is_uint(struct tk_cell cell, uint64_t want)
{
    ck_assert_int_eq(cell.kind, TK_UINT);
    ck_assert_uint_eq(cell.v.u, want);
}

static void is_int(struct tk_cell cell, enum tk_kind kind, int64_t want)
{
    ck_assert_int_eq(cell.kind, kind);
    ck_assert_int_eq(cell.v.i, want);
}

START_TEST(cycles_from_two_to_the_63_on)
{
    struct made m;
    const struct tk_query_context *view = made(&m, HALF - 50, 1000, TK_UNIT_CYCLES);
    is_int(tk_query_context_time(view, 49), TK_TIME, INT64_MAX);
    is_uint(tk_query_context_time(view, 50), HALF);
    is_uint(tk_query_context_time(view, INT64_MAX), HALF - 50 + INT64_MAX);
    is_int(tk_query_context_time(view, -(INT64_MAX - 49)), TK_TIME, 0);
    is_int(tk_query_context_time(view, -(INT64_MAX - 50)), TK_TIME, 1);
    is_int(tk_query_context_time(view, INT64_MIN), TK_TIME, -50);
    is_int(tk_query_context_time(made(&m, 1000, 1000, TK_UNIT_CYCLES), -1001), TK_TIME, -1);
}
END_TEST

START_TEST(lengths_do_not_wrap)
{
    struct made m;
    const int64_t quarter = INT64_C(1) << 62;
    const struct tk_query_context *view = made(&m, 1000, 1000000000, TK_UNIT_CYCLES);
    is_uint(tk_query_context_between(view, -quarter, quarter), HALF);
    is_uint(tk_query_context_between(view, INT64_MIN, INT64_MAX), UINT64_MAX);
    is_int(tk_query_context_between(view, -quarter, quarter - 1), TK_DURATION, INT64_MAX);
    is_int(tk_query_context_between(view, 5, 3), TK_DURATION, -2);
    ck_assert_uint_eq(m.ctx.health.counts[TK_HEALTH_TIME_BEYOND], 0);
    view = made(&m, 1000, 1000000000, TK_UNIT_NS); /* a cycle is a nanosecond */
    is_int(tk_query_context_between(view, -quarter, quarter - 2), TK_DURATION, INT64_MAX - 1);
    ck_assert_uint_eq(m.ctx.health.counts[TK_HEALTH_TIME_BEYOND], 0);
    is_int(tk_query_context_between(view, -quarter, quarter + 7), TK_DURATION, INT64_MAX);
    ck_assert_uint_eq(m.ctx.health.counts[TK_HEALTH_TIME_BEYOND], 1);
    tk_health_release(&m.ctx.health);
    view = made(&m, 0, 1000, TK_UNIT_NS); /* 2^62 ms are more than 2^63 ns */
    is_int(tk_query_context_time(view, quarter), TK_TIME, INT64_MAX);
    ck_assert_uint_eq(m.ctx.health.counts[TK_HEALTH_TIME_BEYOND], 1);
    tk_health_release(&m.ctx.health);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {cycles_from_two_to_the_63_on, lengths_do_not_wrap};
    return RUN_TESTS("cells of times", tests);
}
