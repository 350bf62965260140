/* Frames and values over time, folded when there are more than a page keeps. */
#include "page/series.h"
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct tk_str str(const char *s)
{
    return (struct tk_str){.p = s, .n = (uint32_t)strlen(s)};
}

/* One frame of a million is long: it is still there when neighbours were put together, and begins where its
 * group does. */
START_TEST(test_frames)
{
    struct tk_frame_times f = {0};
    const int64_t n = 3 * (int64_t)TK_FRAMES_MOST + 5, at = 2 * (int64_t)TK_FRAMES_MOST + 3;
    for (int64_t i = 0; i < n; i++)
        must(tk_frame_times_add(&f, 0, str("game"), i * 100, i == at ? 90 : 50, NULL) == TK_OK);
    ck_assert_uint_eq(f.n, 1);
    const struct tk_frame_type *t = &f.types[0];
    ck_assert_uint_eq(t->frames, (uint64_t)n);
    ck_assert_uint_eq(t->group, 4); /* the third part does not fit groups of two */
    ck_assert_uint_eq(t->begin.n, (size_t)(n + 3) / 4);
    for (size_t i = 0; i < t->begin.n; i++) {
        must(t->begin.v[i] == (int64_t)i * 400);
        must(t->length.v[i] == ((int64_t)i == at / 4 ? 90 : 50));
    }
    tk_frame_times_release(&f);
}
END_TEST

START_TEST(test_types)
{
    struct tk_frame_times f = {0};
    for (uint64_t type = 9; type >= 4; type--)
        ck_assert_int_eq(tk_frame_times_add(&f, type, str("t"), 1, 2, NULL), TK_OK);
    ck_assert_uint_eq(f.n, TK_FRAME_TYPES); /* the others are left out */
    tk_frame_times_sort(&f);
    for (size_t i = 0; i < f.n; i++)
        ck_assert_uint_eq(f.types[i].type, 6 + i);
    tk_frame_times_release(&f);
}
END_TEST

/* Least, greatest and last of the points are those of all values, however they were put together. */
START_TEST(test_series)
{
    struct tk_series_set set = {0};
    const int n = 5 * 2 * TK_SERIES_POINTS + 1;
    for (int i = 0; i < n; i++)
        must(tk_series_add(&set, str("a"), false, i, i == 777 ? -5 : i == 778 ? 1e6 : i % 10, NULL) == TK_OK);
    ck_assert_int_eq(tk_series_add(&set, str("a"), false, n, (double)NAN, NULL), TK_OK); /* is nothing */
    ck_assert_uint_eq(set.series.n, 1);
    const struct tk_series *s = set.series.v[0];
    double least = INFINITY, greatest = -INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        least = fmin(least, s->points[i].least);
        greatest = fmax(greatest, s->points[i].greatest);
        must(s->points[i].from == (int64_t)(i * s->group));
    }
    ck_assert_uint_eq(s->values, (uint64_t)n);
    ck_assert(least == -5 && greatest == 1e6);
    ck_assert(s->points[s->n - 1].last == (n - 1) % 10);
    ck_assert(s->n * s->group >= (size_t)n && s->n <= 2 * TK_SERIES_POINTS);
    tk_series_release(&set);
}
END_TEST

START_TEST(test_many_series)
{
    struct tk_series_set set = {0};
    char name[16];
    for (int i = 0; i < TK_SERIES_MOST + 7; i++) {
        snprintf(name, sizeof name, "s%d", i);
        ck_assert_int_eq(tk_series_add(&set, str(name), true, 0, 1, NULL), TK_OK);
    }
    ck_assert_uint_eq(set.series.n, TK_SERIES_MOST);
    ck_assert_uint_eq(set.beyond, 7);
    tk_series_release(&set);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_frames, test_types, test_series, test_many_series};
    return RUN_TESTS("folded values", tests);
}
