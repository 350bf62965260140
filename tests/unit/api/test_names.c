/* Nearest names, and the limits as they are described. */
#include "base/health/limits.h"
#include "run.h"
#include "tracekit.h"

#include <string.h>

START_TEST(nearest_names)
{
    static const char *const names[] = {"timers", "threads", "frames", "counters", "memory"};
    ck_assert_str_eq(tk_nearest("timer", names, 5), "timers");
    ck_assert_str_eq(tk_nearest("tiemrs", names, 5), "timers");
    ck_assert_str_eq(tk_nearest("FRAME", names, 5), "frames");
    ck_assert_str_eq(tk_nearest("conters", names, 5), "counters");
    ck_assert_ptr_null(tk_nearest("bookmarks", names, 5));
    ck_assert_ptr_null(tk_nearest("x", names, 5));
    ck_assert_ptr_null(tk_nearest("timers", names, 0));
}
END_TEST

/* Setting each limit by its name changes just one field, and the default is the one reported. */
START_TEST(limits_are_described)
{
    const struct tk_limits defaults = tk_limits_default();
    ck_assert_uint_eq(tk_limit_count() * sizeof(uint64_t), sizeof defaults);
    for (size_t i = 0; i < tk_limit_count(); i++) {
        const char *name, *help;
        uint64_t value, was;
        tk_limit_describe(i, &name, &value, &help);
        memcpy(&was, (const char *)&defaults + i * sizeof was, sizeof was);
        ck_assert_uint_eq(value, was);
        ck_assert_uint_gt(strlen(help), 5);
        struct tk_limits changed = defaults, back;
        ck_assert_int_eq(tk_limits_set(&changed, name, strlen(name), value + 1), TK_OK);
        ck_assert_mem_ne(&changed, &defaults, sizeof changed);
        back = changed;
        ck_assert_int_eq(tk_limits_set(&back, name, strlen(name), value), TK_OK);
        ck_assert_mem_eq(&back, &defaults, sizeof back);
    }
}
END_TEST

START_TEST(limits_are_checked)
{
    static const char *const good[] = {"types=5", "memory=18446744073709551615"}, *const bad[] = {"typos=5"},
                             *const wrong[] = {"types=5", "types=x"};
    struct tk_err err = {0};
    ck_assert_int_eq(tk_limit_check(NULL, 0, &err), TK_OK);
    ck_assert_int_eq(tk_limit_check(good, 2, &err), TK_OK);
    ck_assert_int_eq(tk_limit_check(bad, 1, &err), TK_EUSAGE);
    ck_assert_ptr_nonnull(strstr(err.text[0], "typos"));
    err = (struct tk_err){0};
    ck_assert_int_eq(tk_limit_check(wrong, 2, &err), TK_EUSAGE);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {nearest_names, limits_are_described, limits_are_checked};
    return RUN_TESTS("names", tests);
}
