/*
 * Scope model: every kernel against the slow way on random ops, with two jobs.
 */
#include "query/scope_rig.h"

START_TEST(random_ops)
{
    for (unsigned i = 0; i < 50; i++)
        random_case(2);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_ops};
    return RUN_TESTS("scope, two jobs", tests);
}
