/*
 * The format `plot`, and the bins that its points are kept in. Pictures are drawn by hand here.
 */
#include "sink/write/plot_canvas.h"
#include "sink/written.h"

#include <math.h>

/* All that is in a series: bins lose places, no values. */
static void check_extent(const struct tk_plot_series *s, int64_t from, int64_t to, double least, double most)
{
    double low = INFINITY, high = -INFINITY;
    uint64_t count = 0;
    for (size_t i = 0; i < TK_PLOT_BINS; i++) {
        low = s->bins[i].count && s->bins[i].least < low ? s->bins[i].least : low;
        high = s->bins[i].count && s->bins[i].most > high ? s->bins[i].most : high;
        count += s->bins[i].count;
    }
    ck_assert_int_eq(s->from, from);
    ck_assert_int_eq(s->to, to);
    ck_assert_double_eq(low, least);
    ck_assert_double_eq(high, most);
    ck_assert_uint_eq(count, s->count);
}

START_TEST(series_of_any_extent)
{
    struct tk_plot_series s = {0};
    for (int64_t i = 0; i < 100000; i++)
        ck_assert_int_eq(tk_plot_series_add(&s, i * 977, (double)(i % 1000)), TK_OK);
    check_extent(&s, 0, 99999 * INT64_C(977), 0, 999);
    ck_assert_int_eq(tk_plot_series_add(&s, -5000000, -1), TK_OK);
    check_extent(&s, -5000000, 99999 * INT64_C(977), -1, 999);
    ck_assert_int_eq(tk_plot_series_add(&s, INT64_MIN, 7), TK_OK);
    ck_assert_int_eq(tk_plot_series_add(&s, INT64_MAX, 8), TK_OK);
    check_extent(&s, INT64_MIN, INT64_MAX, -1, 999);
    ck_assert_int_eq(tk_plot_series_add(&s, 3, (double)NAN), TK_OK);
    ck_assert_uint_eq(s.count, 100003);
    tk_plot_series_release(&s);
}
END_TEST

/* A peak stands where its point is, in whatever order points come. */
START_TEST(series_places)
{
    for (int back = 0; back < 2; back++) {
        struct tk_plot_series s = {0};
        for (int64_t i = 0; i < 8000; i++) {
            const int64_t x = back ? 7999 - i : i;
            ck_assert_int_eq(tk_plot_series_add(&s, x * 10, x == 6100 ? 50 : 1), TK_OK);
        }
        for (size_t at = 0; at < 8; at++)
            ck_assert_double_eq(tk_plot_series_part(&s, at, 8).most, at == 6 ? 50 : 1);
        tk_plot_series_release(&s);
    }
}
END_TEST

static const struct tk_column columns[] = {
    {"frame", TK_UINT, 0, NULL, NULL}, {"dur", TK_DURATION, 0, NULL, NULL}, {"type", TK_TEXT, 0, NULL, NULL}};
static const struct tk_table frames = {.name = "frames", .columns = columns, .n_columns = 3};

START_TEST(picture_in_ascii)
{
    const struct tk_cell cells[] = {natural(TK_UINT, 0), integer(TK_DURATION, 1000),  text("game"),
                                    natural(TK_UINT, 1), integer(TK_DURATION, 11000), text("game")};
    const struct tk_writer_options opt = {.size = sizeof opt, .width = 40, .plain_ascii = true};
    /* 29 columns alongside the labels: the first half is at 1 of 11, the other half at the top */
    ck_assert_str_eq(written("plot", &opt, &frames, cells, 2),
                     "frames\n"
                     "dur of game, least 1.000 us, greatest 11.00 us\n"
                     "11.00 us |               ***************\n"
                     "         |               *\n"
                     "         |               *\n"
                     "         |               *\n"
                     "         |               *\n"
                     "         |               *\n"
                     "         |               *\n"
                     "         |               *\n"
                     "         |               *\n"
                     "         |               *\n"
                     "         |****************\n"
                     "    0 ns |\n"
                     "          0                            1\n");
}
END_TEST

/* Series have a picture each, and what cannot be drawn is said. */
START_TEST(series_apart)
{
    const struct tk_cell cells[] = {natural(TK_UINT, 0), integer(TK_DURATION, 10), text("a"),
                                    natural(TK_UINT, 0), integer(TK_DURATION, 20), text("b"),
                                    natural(TK_UINT, 1), integer(TK_DURATION, 30), text("a"),
                                    natural(TK_UINT, 1), integer(TK_DURATION, 40), text("b")};
    static const struct tk_table texts = {.name = "texts", .columns = columns + 2, .n_columns = 1};
    const struct tk_writer_options opt = {.size = sizeof opt, .width = 60};
    const char *text = written("plot", &opt, &frames, cells, 4);
    ck_assert_ptr_nonnull(strstr(text, "dur of a, least 10 ns, greatest 30 ns\n"));
    ck_assert_ptr_nonnull(strstr(text, "dur of b, least 20 ns, greatest 40 ns\n"));
    ck_assert_ptr_nonnull(strstr(written("plot", &opt, &texts, cells + 2, 1), "cannot be plotted"));
    ck_assert_ptr_nonnull(strstr(written("plot", &opt, &frames, NULL, 0), "nothing to plot"));
}
END_TEST

/* Three points in the first column, the last of them at the bottom: that one holds for all columns behind it.
 */
START_TEST(the_last_value_holds)
{
    const struct tk_cell cells[] = {natural(TK_UINT, 0),   integer(TK_DURATION, 0),   text("a"),
                                    natural(TK_UINT, 1),   integer(TK_DURATION, 100), text("a"),
                                    natural(TK_UINT, 2),   integer(TK_DURATION, 1),   text("a"),
                                    natural(TK_UINT, 999), integer(TK_DURATION, 1),   text("a")};
    const struct tk_writer_options opt = {.size = sizeof opt, .width = 40, .plain_ascii = true};
    const char *drawn = written("plot", &opt, &frames, cells, 4);
    ck_assert_ptr_nonnull(strstr(drawn, "\n100 ns |*\n"));
    ck_assert_ptr_nonnull(strstr(drawn, "\n  0 ns |********************************\n"));
}
END_TEST

/* What no sum of two numbers can hold, and what no whole number can. */
START_TEST(greatest_values)
{
    static const struct tk_column reals[] = {{"frame", TK_UINT, 0, NULL, NULL},
                                             {"value", TK_REAL, 0, NULL, NULL}};
    static const struct tk_table counters = {.name = "counters", .columns = reals, .n_columns = 2};
    const struct tk_cell cells[] = {natural(TK_UINT, 0),
                                    {.kind = TK_REAL, .v.r = -1.7e308},
                                    natural(TK_UINT, 1),
                                    {.kind = TK_REAL, .v.r = 1.7e308}};
    const struct tk_cell longest[] = {
        natural(TK_UINT, 0),          integer(TK_DURATION, INT64_MIN), text("a"),
        natural(TK_UINT, UINT64_MAX), integer(TK_DURATION, INT64_MAX), text("a")};
    const struct tk_writer_options opt = {.size = sizeof opt, .width = 40, .plain_ascii = true};
    ck_assert_ptr_nonnull(
        strstr(written("plot", &opt, &counters, cells, 2), "least -1.7e+308, greatest 1.7e+308"));
    ck_assert_ptr_nonnull(strstr(written("plot", &opt, &frames, longest, 2), "dur of a"));
}
END_TEST

START_TEST(braille)
{
    struct tk_plot_canvas c;
    struct tk_buffer b = {0};
    ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
    ck_assert_int_eq(tk_plot_canvas_open(&c, 2, 1, false), TK_OK);
    tk_plot_canvas_line(&c, 0, 0, 3); /* the left half of the first sign: U+2847 */
    tk_plot_canvas_line(&c, 3, 3, 3); /* top right of the second sign: U+2808 */
    tk_plot_canvas_put(&c, 0, &b);
    ck_assert_uint_eq(b.n, 6);
    ck_assert_mem_eq(b.p, "\xe2\xa1\x87\xe2\xa0\x88", 6);
    tk_plot_canvas_release(&c);
    tk_buffer_release(&b);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {series_of_any_extent, series_places,        picture_in_ascii, series_apart,
                                  greatest_values,      the_last_value_holds, braille};
    return RUN_TESTS("plot", tests);
}
