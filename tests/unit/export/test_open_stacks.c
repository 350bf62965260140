/*
 * Stacks of scopes that never ended, worked out by hand.
 */
#include "api/open_scopes.h"

/* Of the 100 of Outer that are there, 30 are of Inner and 20 of the call in itself: 50 are its own. */
START_TEST(open_scopes_are_folded)
{
    struct captured *c = make_open();
    ck_assert_str_eq(captured_export(c, "folded"), "Outer;(open) 50000000\n"
                                                   "Outer;Outer 20000000\n"
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
