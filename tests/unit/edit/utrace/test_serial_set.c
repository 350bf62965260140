/*
 * New serial numbers of events that stay.
 */
#include "edit/utrace/edit_utrace.h"
#include "run.h"

enum { MASK = 0xffffff };

#define FIRST (UINT64_C(1) << 40)

/* Numbers behind a hole move up; those before it stay. */
START_TEST(holes)
{
    static const uint64_t kept[] = {0, 1, 2, 5, 6, 70000, 70001};
    struct tk_edit_serials s = {0};
    const size_t n = sizeof kept / sizeof *kept;
    for (size_t i = n; i-- > 0;)
        ck_assert_uint_eq(tk_edit_serials_add(&s, FIRST + kept[i]), FIRST + kept[i]);
    tk_edit_serials_close(&s, true, FIRST, MASK);
    ck_assert_uint_eq(s.shifted, FIRST + 3);
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_eq(tk_edit_serials_new(&s, FIRST + kept[i]), FIRST + i);
    tk_edit_serials_release(&s);
}
END_TEST

/* Where the first event is gone, all are numbered from 0; where nothing is, none. */
START_TEST(beginnings)
{
    for (int renumbered = 0; renumbered < 2; renumbered++) {
        struct tk_edit_serials s = {0};
        for (uint64_t i = 0; i < 3; i++)
            ck_assert_uint_eq(tk_edit_serials_add(&s, FIRST + 77 + i), FIRST + 77 + i);
        tk_edit_serials_close(&s, renumbered, 0, MASK);
        ck_assert_uint_eq(s.shifted, renumbered ? FIRST + 77 : UINT64_MAX);
        ck_assert_uint_eq(tk_edit_serials_new(&s, FIRST + 79), 2);
        tk_edit_serials_release(&s);
    }
}
END_TEST

/* A number that comes twice counts behind all others, in both walks. */
START_TEST(twice)
{
    struct tk_edit_serials s = {0};
    ck_assert_uint_eq(tk_edit_serials_add(&s, FIRST), FIRST);
    ck_assert_uint_eq(tk_edit_serials_add(&s, FIRST + 1), FIRST + 1);
    ck_assert_uint_eq(tk_edit_serials_add(&s, FIRST), FIRST + 2);
    ck_assert_uint_eq(tk_edit_serials_add(&s, FIRST + 9), FIRST + 9);
    tk_edit_serials_close(&s, true, FIRST, MASK);
    ck_assert_uint_eq(tk_edit_serials_find(&s, FIRST), FIRST);
    ck_assert_uint_eq(tk_edit_serials_find(&s, FIRST + 1), FIRST + 1);
    ck_assert_uint_eq(tk_edit_serials_find(&s, FIRST), FIRST + 2);
    ck_assert_uint_eq(tk_edit_serials_find(&s, FIRST + 9), FIRST + 9);
    ck_assert_uint_eq(tk_edit_serials_new(&s, FIRST + 9), FIRST + 3);
    tk_edit_serials_release(&s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {holes, beginnings, twice};
    return run_tests("serial_set", tests, sizeof tests / sizeof *tests, 1, (struct around){0});
}
