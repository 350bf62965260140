/* Values of a history drawn by night. Pictures are drawn by hand here. */
#include "run.h"
#include "trend/report/report_in.h"

#include <math.h>

#define NIGHTS 5

static double floor_of_changes; /* of the trend that is drawn */

static const char *drawn(const double *values, bool picture, bool ascii)
{
    static char text[4096];
    struct tk_history_run runs[NIGHTS] = {{0}};
    struct tk_history history = {.runs = {.v = runs, .n = NIGHTS}, .nights = NIGHTS};
    struct tk_history_series series = {.values = {.v = (double *)(uintptr_t)values, .n = NIGHTS}};
    const struct tk_trend trend = {.history = &history, .setup = {.floor = floor_of_changes}};
    struct tk_print p = {0};
    for (uint32_t i = 0; i < NIGHTS; i++)
        runs[i].night = i;
    if (picture)
        tk_trend_plot(&p, &trend, &series, "> ", 60, ascii);
    else
        tk_trend_spark(&p, &trend, &series, 60, ascii);
    ck_assert(!p.failed && p.n < sizeof text);
    if (p.n)
        memcpy(text, p.v, p.n);
    text[p.n] = 0;
    free(p.v);
    return text;
}

/* 48 eighths in six rows: 8 fills all of them, 2 one; 4 is a third of the way up, 1 + 47 / 3 = 16.7, nearest
 * 17: two rows and an eighth. */
START_TEST(pictures)
{
    const double values[NIGHTS] = {2, 8, (double)NAN, 4, 2};
    ck_assert_str_eq(drawn(values, true, true), ">  #    8\n"
                                                ">  #   \n"
                                                ">  #   \n"
                                                ">  # # \n"
                                                ">  # # \n"
                                                "> ## ## 2\n");
    ck_assert_str_eq(drawn(values, true, false), ">  \u2588    8\n"
                                                 ">  \u2588   \n"
                                                 ">  \u2588   \n"
                                                 ">  \u2588 \u2581 \n"
                                                 ">  \u2588 \u2588 \n"
                                                 "> \u2581\u2588 \u2588\u2581 2\n");
    ck_assert_str_eq(drawn(values, false, false), "\u2581\u2588 \u2583\u2581");
}
END_TEST

/* 0.8 % between the least and the greatest are below a floor of 1 %. */
START_TEST(what_does_not_move_is_flat)
{
    const double values[NIGHTS] = {1000, 1004, 1008, 1001, 1000},
                 more[NIGHTS] = {1000, 1004, 1020, 1001, 1000};
    floor_of_changes = 0.01;
    ck_assert_str_eq(drawn(values, false, true), ".....");
    ck_assert_str_eq(drawn(more, false, true), ".:@..");
    floor_of_changes = 0;
}
END_TEST

START_TEST(no_values)
{
    const double values[NIGHTS] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    ck_assert_str_eq(drawn(values, true, true), "");
    ck_assert_str_eq(drawn(values, false, true), "     ");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {pictures, what_does_not_move_is_flat, no_values};
    return RUN_TESTS("trend plot", tests);
}
