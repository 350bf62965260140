/*
 * Stacks: what is pushed comes back innermost first, and what is not there is NULL.
 */
#include "base/arena.h"
#include "run.h"

enum { MANY = 1000 };

struct numbers {
    TK_STACK(int) open;
};

static struct numbers filled(int n)
{
    struct numbers s = {0};
    for (int i = 0; i < n; i++)
        ck_assert_int_eq(tk_stack_push(&s.open, i), 0);
    return s;
}

START_TEST(innermost_first)
{
    struct numbers s = filled(MANY);
    for (int i = MANY; i-- > 0;) {
        ck_assert_int_eq(*tk_stack_top(&s.open), i);
        ck_assert_int_eq(*tk_stack_pop(&s.open), i);
    }
    tk_stack_release(&s.open);
}
END_TEST

START_TEST(nothing_is_open)
{
    struct numbers s = {0};
    ck_assert_ptr_null(tk_stack_top(&s.open));
    ck_assert_ptr_null(tk_stack_pop(&s.open));
    ck_assert_int_eq(tk_stack_push(&s.open, 7), 0);
    ck_assert_int_eq(*tk_stack_pop(&s.open), 7);
    ck_assert_ptr_null(tk_stack_pop(&s.open));
    ck_assert_uint_eq(s.open.n, 0);
    tk_stack_release(&s.open);
}
END_TEST

/* What was popped stays where it is until something is pushed. */
START_TEST(popped_can_be_read)
{
    struct numbers s = filled(2);
    const int *inner = tk_stack_pop(&s.open), *outer = tk_stack_top(&s.open);
    ck_assert_int_eq(*inner, 1);
    ck_assert_int_eq(*outer, 0);
    tk_stack_release(&s.open);
}
END_TEST

/* Any place of stacks of 1 to 4: the others are left, in their order. */
START_TEST(removed_from_any_place)
{
    for (int n = 1; n <= 4; n++)
        for (int at = 0; at < n; at++) {
            struct numbers s = filled(n);
            tk_stack_remove(&s.open, (size_t)at);
            ck_assert_uint_eq(s.open.n, (size_t)n - 1);
            for (int i = 0; i < n - 1; i++)
                ck_assert_int_eq(s.open.v[i], i < at ? i : i + 1);
            tk_stack_release(&s.open);
        }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {innermost_first, nothing_is_open, popped_can_be_read,
                                  removed_from_any_place};
    return RUN_TESTS("stack", tests);
}
