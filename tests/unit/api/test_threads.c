/* Table `threads`: what it says does not depend on which columns are requested. Expectations are worked out
 * by hand. */
#include "cpu.h"
#include "put.h"

/* Thread 2 has two scopes, which one batch says, and thread 3 an event that is no scope. Nobody
 * defines them. */
static struct captured *two_threads(void)
{
    struct captured *c = captured_new(7);
    struct put_type *other = put_new(c, "Game.Other", "Number:i", 0);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, 1, "Work", "A.cpp", 1);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    tk_uw_cpu_begin(&cpu, 1010, 1);
    tk_uw_cpu_begin(&cpu, 1020, 1);
    tk_uw_cpu_end(&cpu, 1030);
    tk_uw_cpu_end(&cpu, 1050);
    tk_uw_cpu_flush(&cpu);
    put(c, 1, other, Q(7));
    free(other);
    captured_close(c);
    return c;
}

START_TEST(columns_alone)
{
    struct captured *c = two_threads();
    ck_assert_str_eq(captured_table(c, "threads", "thread_id"), "2\n3\n");
    ck_assert_str_eq(captured_table(c, "threads", "thread_id,events"), "2|1\n3|1\n");
    ck_assert_str_eq(captured_table(c, "threads", "thread_id,packets"), "2|1\n3|1\n");
    ck_assert_str_eq(captured_table(c, "threads", "thread_id,packets,events,scopes,busy"), "2|1|1|2|40\n"
                                                                                           "3|1|1|0|0\n");
    captured_free(c);
}
END_TEST

/* Scopes that never end, from 10 and from 50 on. */
START_TEST(open_before_a_time)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, 1, "Work", "A.cpp", 1);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    tk_uw_cpu_begin(&cpu, 1010, 1);
    tk_uw_cpu_begin(&cpu, 1050, 1);
    tk_uw_cpu_flush(&cpu);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "threads", "thread_id,open"), "2|2\n");
    c->select = (struct tk_selection){.has_to = true, .to_ns = 30000000};
    ck_assert_str_eq(captured_table(c, "threads", "thread_id,open"), "2|1\n");
    captured_free(c);
}
END_TEST

/* Where a timer is in the code: also in a table of its own scopes, and nothing where the capture says
 * nothing. */
START_TEST(scopes_say_where_they_are)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, 1, "Work", "A.cpp", 17);
    tk_uw_cpu_spec(&c->uw, 2, "Anywhere", "", 0);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[0], 3);
    for (uint32_t i = 1; i <= 2; i++) {
        tk_uw_cpu_begin(&cpu, 1000 + 10 * i, i);
        tk_uw_cpu_end(&cpu, 1005 + 10 * i);
    }
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "scopes", "timer,file,line"), "Work|A.cpp|17\nAnywhere||\n");
    ck_assert_str_eq(captured_table(c, "scopes", "timer,line"), "Work|17\nAnywhere|\n");
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {columns_alone, open_before_a_time, scopes_say_where_they_are};
    return RUN_TESTS("threads", tests);
}
