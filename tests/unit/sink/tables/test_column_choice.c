/* What people see of a table on a terminal: percent, bars, heights, and long values in several lines. */
#include "sink/write/human.h"
#include "sink/write/plot_canvas.h"
#include "sink/written.h"

START_TEST(percent)
{
    static const struct {
        double v;
        const char *displayed;
    } cases[] = {{0, "0.00 %"},    {12.345, "12.35 %"},  {100, "100.00 %"},     {-13.5, "-13.50 %"},
                 {0.01, "0.01 %"}, {0.0042, "0.0042 %"}, {3607.25, "3607.25 %"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tk_buffer b;
        ck_assert_int_eq(tk_buffer_init(&b, NULL, NULL), TK_OK);
        tk_human_percent(&b, cases[i].v);
        tk_buffer_char(&b, '\0');
        ck_assert_str_eq(b.p, cases[i].displayed);
        tk_buffer_release(&b);
    }
}
END_TEST

/* Parts of a whole and percent are percent for people, and numbers for programs and with `exact`. */
START_TEST(parts_are_percent)
{
    static const struct tk_column columns[] = {{"share", TK_REAL, TK_COL_PART, NULL, NULL},
                                               {"change", TK_REAL, 0, "%", NULL},
                                               {"rate", TK_REAL, 0, "1/s", NULL}};
    static const struct tk_table table = {.name = "t", .columns = columns, .n_columns = 3};
    const struct tk_cell row[] = {real(TK_REAL, 0.25), real(TK_REAL, -50), real(TK_REAL, 60.5)};
    struct tk_writer_options exact = TK_INIT(struct tk_writer_options);
    exact.exact = true;
    ck_assert_str_eq(written("table", NULL, &table, row, 1),
                     "t\n  share    change  rate\n25.00 %  -50.00 %  60.5\n");
    ck_assert_str_eq(written("table", &exact, &table, row, 1),
                     "t\nshare  change  rate\n 0.25     -50  60.5\n");
    ck_assert_str_eq(written("csv", NULL, &table, row, 1), "share,change,rate\n0.25,-50,60.5\n");
}
END_TEST

START_TEST(bars_fit)
{
    static const struct tk_column columns[] = {{"bar", TK_TEXT, TK_COL_BAR, NULL, NULL}};
    static const struct tk_table table = {.name = "t", .columns = columns, .n_columns = 1};
    const struct tk_cell rows[] = {text("########################################"), text("##########"),
                                   text("#"), text("")};
    struct tk_writer_options narrow = TK_INIT(struct tk_writer_options);
    narrow.width = 20;
    ck_assert_str_eq(written("table", &narrow, &table, rows, 4),
                     "t\nbar\n████████████████████\n█████\n▌\n\n");
    narrow.plain_ascii = true;
    ck_assert_str_eq(written("table", &narrow, &table, rows, 4),
                     "t\nbar\n####################\n#####\n#\n\n");
    ck_assert_str_eq(written("csv", &narrow, &table, rows + 2, 1), "bar\n#\n");
}
END_TEST

START_TEST(long_values_are_broken)
{
    static const struct tk_column columns[] = {{"line", TK_TEXT, 0, NULL, NULL},
                                               {"n", TK_TEXT, 0, NULL, NULL}};
    static const struct tk_table table = {
        .name = "t", .columns = columns, .n_columns = 2, .flags = TK_TABLE_SINGLE};
    static const struct {
        const char *value, *displayed;
    } cases[] = {
        {"12345678901234567890123", "t\n  line  12345678901234567890123\n  n     x\n"}, /* 30 columns wide */
        {"Game -trace=cpu,log,frame -map=A",
         "t\n  line  Game -trace=cpu,log,\n        frame -map=A\n  n     x\n"},
        {"123456789012345678901234", "t\n  line  1234567890123456789012\n        34\n  n     x\n"},
        {"äää äää äää äää äää äää äää", "t\n  line  äää äää äää äää äää\n        äää äää\n  n     x\n"},
    };
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct tk_cell row[] = {text(cases[i].value), text("x")};
        opt.width = i == 0 ? 31 : 30;
        ck_assert_str_eq(written("table", &opt, &table, row, 1), cases[i].displayed);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {percent, parts_are_percent, bars_fit, long_values_are_broken};
    return RUN_TESTS("look", tests);
}
