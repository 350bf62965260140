/* What people see of a table on a terminal: percent, bars, heights, and long values in several lines. */
#include "run.h"
#include "sink/tables/tables_in.h"
#include "sink/write/human.h"
#include "sink/write/plot_canvas.h"
#include "sink/written.h"

#include <string.h>

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

enum { TIME, THREAD_ID, THREAD, CATEGORY, FILE_NAME, LINE, TEXT, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TIME] = {"time", TK_INT, 0, NULL, "when"},         [THREAD_ID] = {"thread_id", TK_INT, 0, NULL, "id"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "name"},    [CATEGORY] = {"category", TK_TEXT, 0, NULL, "name"},
    [FILE_NAME] = {"file", TK_TEXT, 0, NULL, "source"}, [LINE] = {"line", TK_INT, 0, NULL, "in it"},
    [TEXT] = {"text", TK_TEXT, 0, NULL, "the message"},
};

static const struct tk_table logs = {
    .name = "logs", .help = "messages", .columns = columns, .n_columns = COLUMNS};

/* Cells as wide as that, and columns for `width`. */
static void lay_out(struct tk_layout *layout, size_t width)
{
    static const size_t wide[COLUMNS] = {10, 9, 12, 10, 30, 6, 90};
    struct tk_cell row[COLUMNS];
    struct tk_result *rows;
    struct tk_column_choice look;
    ck_assert_int_eq(tk_result_new(&rows, NULL), TK_OK);
    const struct tk_sink sink = tk_result_sink(rows);
    for (unsigned i = 0; i < COLUMNS; i++)
        row[i] = columns[i].kind == TK_TEXT ? (struct tk_cell){.kind = TK_TEXT, .n = 1, .v.p = "x"}
                                            : (struct tk_cell){.kind = TK_INT, .v.i = 1};
    sink.begin(sink.self, &logs, NULL);
    sink.rows(sink.self, &logs, &(struct tk_rows){.n = 1, .cells = row}, NULL);
    if (sink.end)
        sink.end(sink.self, &logs, NULL);
    ck_assert_int_eq(tk_layout_reset(layout, COLUMNS), TK_OK);
    for (unsigned i = 0; i < COLUMNS; i++) {
        layout->columns.v[i].width = layout->columns.v[i].widest = wide[i];
        layout->columns.v[i].shrink = columns[i].kind == TK_TEXT;
    }
    tk_column_choice_measure(&look, layout, &logs, rows);
    tk_layout_choose(layout, width);
    tk_layout_fit(layout, width);
    tk_result_free(rows);
}

START_TEST(numbers_of_things_go_first)
{
    struct tk_layout layout = {0};
    const struct tk_layout_column *c;
    for (size_t width = 200; width >= 70; width--) {
        lay_out(&layout, width);
        c = layout.columns.v;
        ck_assert_msg(!c[TEXT].hidden && c[TEXT].width >= 40, "%zu columns", width);
        ck_assert_msg(!(c[FILE_NAME].hidden || c[TIME].hidden) || (c[THREAD_ID].hidden && c[LINE].hidden),
                      "%zu columns", width);
    }
    lay_out(&layout, 200);
    for (unsigned i = 0; i < COLUMNS; i++)
        ck_assert(!layout.columns.v[i].hidden);
    lay_out(&layout, 80); /* 10 + 12 + 10 + 40 and the gaps are 78 */
    c = layout.columns.v;
    ck_assert(c[THREAD_ID].hidden && c[LINE].hidden && c[FILE_NAME].hidden && !c[TIME].hidden);
    tk_layout_release(&layout);
}
END_TEST

/* A name 45 wide and eight numbers 8 wide, the second and third of them optional, in lines of `width`. */
static void lay_out_named(struct tk_layout *layout, size_t width)
{
    ck_assert_int_eq(tk_layout_reset(layout, 9), TK_OK);
    for (unsigned i = 0; i < 9; i++) {
        struct tk_layout_column *c = &layout->columns.v[i];
        c->width = c->widest = i ? 8 : 45;
        c->shrink = i == 0;
        c->keep = i == 0 ? TK_LAYOUT_KEEP : i == 2 || i == 3 ? TK_LAYOUT_SPARE + 1 : TK_LAYOUT_SPARE + 2;
    }
    tk_layout_choose(layout, width);
    tk_layout_fit(layout, width);
}

/* Optional columns go first, then the last ones; a third of the line stays for the name. */
START_TEST(names_are_cut_last)
{
    struct tk_layout layout = {0};
    const struct tk_layout_column *c;
    lay_out_named(&layout, 120); /* 40 + 8 times 8 and the gaps are 120 */
    c = layout.columns.v;
    for (unsigned i = 0; i < 9; i++)
        ck_assert(!c[i].hidden);
    ck_assert_uint_eq(c[0].width, 40);
    lay_out_named(&layout, 80); /* 26 + 5 times 8 and the gaps are 76 */
    c = layout.columns.v;
    ck_assert(c[2].hidden && c[3].hidden && c[8].hidden);
    ck_assert(!c[1].hidden && !c[4].hidden && !c[7].hidden);
    ck_assert_uint_eq(c[0].width, 30);
    tk_layout_release(&layout);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        percent,           parts_are_percent, bars_fit, long_values_are_broken, numbers_of_things_go_first,
        names_are_cut_last};
    return RUN_TESTS("look", tests);
}
