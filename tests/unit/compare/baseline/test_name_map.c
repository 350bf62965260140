/*
 * Maps of names on a run made by hand.
 */
#include "compare/baseline/baseline.h"
#include "compare/made_runs.h"
#include "run.h"

#include <string.h>

/* What applying a map to a run of the timers A and B, in lines 1 and 2 of one file, gives. */
static int apply(const char *text, struct tk_err *err)
{
    static const struct made_timer timers[] = {{"A", 1}, {"B", 2}};
    struct tk_base_run *run = made_run(1, timers, 2);
    struct tk_baseline runs = {0};
    struct tk_name_map map = {0};
    for (uint32_t i = 0; i < 2; i++) {
        run->series.v[i]->file = tk_intern_c(&run->names, "Game.cpp");
        run->series.v[i]->line = i + 1;
    }
    ck_assert_int_eq(tk_baseline_take(&runs, run, err), TK_OK);
    int rc = tk_name_map_parse(&map, text, strlen(text), err);
    if (rc == TK_OK)
        rc = tk_name_map_apply(&map, &runs, err);
    tk_name_map_release(&map);
    made_release(&runs);
    return rc;
}

/* Lines are no part of what a timer is in another run. */
START_TEST(one_of_two_timers)
{
    struct tk_err err = {0};
    ck_assert_int_eq(apply("{\"timers\": {\"A\": \"C\"}}\n", &err), TK_OK);
    ck_assert_int_eq(apply("{\"timers\": {\"A\": \"B\"}}", &err), TK_EUSAGE);
    ck_assert_ptr_nonnull(strstr(err.text[0], "two timers the same name: 'B'"));
}
END_TEST

START_TEST(one_value)
{
    struct tk_err err = {0};
    ck_assert_int_eq(apply("{\"timers\": {\"A\": \"C\"}} {\"timers\": {\"B\": \"D\"}}", &err), TK_EUSAGE);
    ck_assert_ptr_nonnull(strstr(err.text[0], "more than one JSON"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {one_of_two_timers, one_value};
    return RUN_TESTS("name map", tests);
}
