/*
 * Stacks of scopes that never ended, worked out by hand.
 */
#include "api/captured.h"
#include "cpu.h"

enum { OUTER = 1, INNER, OTHER };

/* On thread 2 Outer begins at 2000 and never ends, Inner in it takes 30; on thread 3 Other goes from 2000 to
 * 2100, the last time. So of the 100 of Outer 70 are its own. */
START_TEST(open_scopes_are_folded)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu[2];
    tk_uw_cpu_spec(&c->uw, OUTER, "Outer", "A.cpp", 1);
    tk_uw_cpu_spec(&c->uw, INNER, "Inner", "A.cpp", 2);
    tk_uw_cpu_spec(&c->uw, OTHER, "Other", "A.cpp", 3);
    for (unsigned i = 0; i < 2; i++)
        tk_uw_cpu_init(&cpu[i], &c->uw, &c->lanes[i], 3);
    tk_uw_cpu_begin(&cpu[0], 2000, OUTER);
    tk_uw_cpu_begin(&cpu[0], 2010, INNER);
    tk_uw_cpu_end(&cpu[0], 2040);
    tk_uw_cpu_flush(&cpu[0]);
    tk_uw_cpu_begin(&cpu[1], 2000, OTHER);
    tk_uw_cpu_end(&cpu[1], 2100);
    tk_uw_cpu_flush(&cpu[1]);
    captured_close(c);
    ck_assert_str_eq(captured_export(c, "folded"), "Outer;(open) 70000000\n"
                                                   "Outer;Inner 30000000\n"
                                                   "Other 100000000\n");
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {open_scopes_are_folded};
    return RUN_TESTS("open stacks", tests);
}
