/*
 * Runs the tests of a program, one after another, with Check.
 */
#ifndef TK_TESTS_UNIT_RUN_H
#define TK_TESTS_UNIT_RUN_H

#include <check.h>
#include <stdlib.h>

/* An assertion that costs nothing when it holds: those of Check write to a file each time. */
#define must(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            ck_abort_msg("%s", #condition);                                                                  \
    } while (0)

/* What is called before and after each test; NULL: nothing. */
struct around {
    void (*begin)(void), (*end)(void);
};

/* Runs each test `times` times, with _i from 0 on. The exit status: EXIT_SUCCESS when all have passed. */
static inline int run_tests(const char *name, const TTest *const *tests, size_t n, int times,
                            struct around around)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, around.begin, around.end);
    for (size_t i = 0; i < n; i++)
        tcase_add_loop_test(tcase, tests[i], 0, times);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define RUN_TESTS_EACH(name, tests, times)                                                                   \
    run_tests((name), (tests), sizeof(tests) / sizeof(tests)[0], (times), (struct around){NULL, NULL})
#define RUN_TESTS(name, tests) RUN_TESTS_EACH(name, tests, 1)

/* With begin() before and end() after each test. */
#define RUN_TESTS_AROUND(name, tests, begin, end)                                                            \
    run_tests((name), (tests), sizeof(tests) / sizeof(tests)[0], 1, (struct around){(begin), (end)})

#endif
