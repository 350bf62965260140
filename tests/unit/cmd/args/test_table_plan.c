/* Tests of which tables, columns and order a query gets from the options. */
#include "args/table_plan.h"
#include "pages/out.h"
#include "run.h"

#include <string.h>

static char message[TK_OPT_MESSAGE];

static struct tk_opt_list list_of(const char *words)
{
    struct tk_opt_list list = {0};
    while (*words) {
        size_t n = strcspn(words, ",");
        ck_assert(tk_opt_list_add(&list, words, n));
        words += n + (words[n] == ',');
    }
    return list;
}

struct planned {
    struct tk_plan_args args;
    struct tk_plan plan;
    struct tk_query query;
    bool good;
};

static struct planned *plan(const char *tables, const char *columns, const char *sort, uint64_t top,
                            bool people)
{
    static struct planned p;
    p = (struct planned){.args = {list_of(tables), list_of(columns), sort, top}};
    p.query = TK_INIT(struct tk_query);
    p.good = tk_plan_init(&p.plan, &p.args, people, &p.query, message);
    return &p;
}

static void release(struct planned *p)
{
    tk_plan_release(&p->plan);
    tk_opt_list_release(&p->args.tables);
    tk_opt_list_release(&p->args.columns);
}

START_TEST(tables)
{
    struct planned *p = plan("", "", NULL, 0, true);
    ck_assert(p->good && tk_plan_keeps(&p->plan, &p->query));
    ck_assert_uint_eq(p->query.n_tables, 1);
    ck_assert_str_eq(p->query.tables[0], "timers");
    release(p);
    p = plan("", "", NULL, 0, false);
    ck_assert(p->good && !tk_plan_keeps(&p->plan, &p->query));
    ck_assert_uint_eq(p->query.n_tables, 1);
    ck_assert_str_eq(p->query.tables[0], "timers");
    release(p);
    p = plan("frames,regions", "", NULL, 0, false);
    ck_assert(p->good);
    ck_assert_uint_eq(p->query.n_tables, 2);
    ck_assert_uint_eq(p->query.n_columns, 0);
    release(p);
}
END_TEST

START_TEST(columns)
{
    struct planned *p = plan("frames", "end,start", NULL, 0, false);
    ck_assert(p->good && !p->plan.hidden);
    ck_assert_uint_eq(p->query.n_columns, 2);
    ck_assert_str_eq(p->query.columns[0], "end");
    ck_assert_str_eq(p->query.columns[1], "start");
    release(p);
}
END_TEST

START_TEST(a_column_to_sort_by_is_requested)
{
    struct planned *p = plan("frames", "start", "dur:asc", 0, false);
    ck_assert(p->good && p->plan.ascending && tk_plan_keeps(&p->plan, &p->query));
    ck_assert_uint_eq(p->query.n_columns, 2);
    ck_assert_str_eq(p->query.columns[0], "start");
    ck_assert_str_eq(p->query.columns[1], "dur");
    ck_assert_str_eq(p->plan.hidden, "dur");
    release(p);
    p = plan("frames", "start,dur", "dur", 0, false);
    ck_assert(p->good && !p->plan.ascending && !p->plan.hidden);
    ck_assert_uint_eq(p->query.n_columns, 2);
    release(p);
    p = plan("frames", "", "dur:desc", 0, false);
    ck_assert(p->good && !p->plan.ascending && !p->plan.hidden);
    ck_assert_uint_eq(p->query.n_columns, 0);
    release(p);
}
END_TEST

static void check_wrong(const char *names, const char *column, const char *sort, const char *wanted)
{
    struct planned *p = plan(names, column, sort, 0, true);
    ck_assert(!p->good);
    ck_assert_str_eq(message, wanted);
    release(p);
}

START_TEST(wrong_names)
{
    check_wrong("zones", "", NULL, "there is no table 'zones'; its rows are in 'timers'");
    check_wrong(
        "cells", "", NULL,
        "the table 'cells' is made by '--by cell=SIZE', for example '--by cell=5000'; leave '--table' out");
    check_wrong("framse", "", NULL, "there is no table 'framse'; did you mean 'frames'?");
    check_wrong("frames", "strat", NULL,
                "table 'frames' has no column 'strat'; did you mean 'start'? it has "
                "type_id, frame, start, end, dur, type, lost");
    check_wrong("frames,regions", "start", NULL, "option '--columns' is for a single table");
    check_wrong("frames", "", "xyzzyx",
                "table 'frames' has no column 'xyzzyx'; it has type_id, frame, start, end, dur, type, lost");
    check_wrong("frames", "", "start:up",
                "option '--sort' takes COLUMN, COLUMN:asc or COLUMN:desc, not 'start:up'");
}
END_TEST

/* Rows of the table `frames` as far as sorting looks at them. */
START_TEST(sorting_and_cutting)
{
    static const struct tk_column shape[] = {{"index", TK_UINT, 0, NULL, NULL},
                                             {"dur", TK_DURATION, 0, NULL, NULL}};
    static const struct tk_table table = {.name = "frames", .columns = shape, .n_columns = 2};
    struct tk_cell cells[8] = {{0}};
    const int64_t durations[] = {5, 9, 1, 7};
    for (unsigned i = 0; i < 4; i++) {
        cells[2 * i] = (struct tk_cell){.kind = TK_UINT, .v.u = i};
        cells[2 * i + 1] = (struct tk_cell){.kind = TK_DURATION, .v.i = durations[i]};
    }
    struct tk_rows rows = {4, cells};
    struct tk_result *result;
    ck_assert_int_eq(tk_result_new(&result, NULL), TK_OK);
    struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_eq(sink.begin(sink.self, &table, NULL), TK_OK);
    ck_assert_int_eq(sink.rows(sink.self, &table, &rows, NULL), TK_OK);
    struct planned *p = plan("frames", "", "dur", 3, false);
    ck_assert_int_eq(tk_plan_apply(&p->plan, result, NULL), TK_OK);
    size_t n;
    tk_result_table(result, 0, &n);
    ck_assert_uint_eq(n, 3);
    ck_assert_uint_eq(tk_result_row(result, 0, 0)[0].v.u, 1);
    ck_assert_uint_eq(tk_result_row(result, 0, 1)[0].v.u, 3);
    ck_assert_uint_eq(tk_result_row(result, 0, 2)[0].v.u, 0);
    release(p);
    tk_result_free(result);
}
END_TEST

START_TEST(words_of_output_options)
{
    enum tk_unit unit = TK_UNIT_MS;
    struct tk_out_args args = {0};
    ck_assert(tk_out_check(&args, &unit, message));
    ck_assert_int_eq(unit, TK_UNIT_NS);
    args.unit = "cycles";
    args.colour = "never";
    ck_assert(tk_out_check(&args, &unit, message));
    ck_assert_int_eq(unit, TK_UNIT_CYCLES);
    args.unit = "fortnight";
    ck_assert(!tk_out_check(&args, &unit, message));
    ck_assert_str_eq(message, "there is no unit 'fortnight'; there are ns, cycles, us, ms and s");
    args.unit = "cycle";
    ck_assert(!tk_out_check(&args, &unit, message));
    ck_assert_str_eq(message, "there is no unit 'cycle'; did you mean 'cycles'?");
    args.unit = "s";
    args.colour = "sometimes";
    ck_assert(!tk_out_check(&args, &unit, message));
    ck_assert_str_eq(message, "option '--color' does not take 'sometimes'; there are auto, always and never");
    ck_assert(tk_out_is_for_people("table") && tk_out_is_for_people("markdown"));
    ck_assert(!tk_out_is_for_people("csv") && !tk_out_is_for_people("text"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        tables,
        columns,
        a_column_to_sort_by_is_requested,
        wrong_names,
        sorting_and_cutting,
        words_of_output_options,
    };
    return RUN_TESTS("plan", tests);
}
