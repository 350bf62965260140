/*
 * CSV, and the three files of a history.
 */
#include "run.h"
#include "trend/history.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct tk_err err;

static double number(const char *text)
{
    const struct tk_csv_field f = {text, strlen(text)};
    double v = 0;
    return tk_csv_real(&f, &v) ? v : NAN;
}

/* What the compiler reads in the same digits. */
START_TEST(numbers_are_those_of_c)
{
    ck_assert(number("4.0251") == 4.0251);
    ck_assert(number("-0.059145") == -0.059145);
    ck_assert(number("1e-7") == 1e-7);
    ck_assert(number("2.5E3") == 2500);
    ck_assert(number(".5") == 0.5);
    ck_assert(number("12345678901234567890123") == 12345678901234567890123.0);
    ck_assert(number("1e-999") == 0);
    static const char *const none[] = {"",      ".",  "1.2.3", "1e",   "nan", "inf",
                                       "1e999", " 1", "1 ",    "0x10", "1,5"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(isnan(number(none[i])), "%s", none[i]);
}
END_TEST

static void expect_row(struct tk_csv *csv, size_t n, const char *const *fields, uint64_t line)
{
    ck_assert_int_eq(tk_csv_next(csv, &err), 1);
    ck_assert_uint_eq(csv->line, line);
    ck_assert_uint_eq(csv->row.n, n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(csv->row.v[i].n, strlen(fields[i]));
        ck_assert(memcmp(csv->row.v[i].p, fields[i], strlen(fields[i])) == 0);
    }
}

START_TEST(rows_are_those_of_rfc_4180)
{
    char text[] = "\xef\xbb\xbf"
                  "a,\"b \"\"c\"\"\",\r\n\r\n\"two\nlines\",,3\nlast";
    struct tk_csv csv;
    tk_csv_begin(&csv, "x.csv", text, sizeof text - 1);
    expect_row(&csv, 3, (const char *const[]){"a", "b \"c\"", ""}, 1);
    expect_row(&csv, 3, (const char *const[]){"two\nlines", "", "3"}, 3);
    expect_row(&csv, 1, (const char *const[]){"last"}, 5);
    ck_assert_int_eq(tk_csv_next(&csv, &err), 0);
    tk_csv_release(&csv);
}
END_TEST

START_TEST(quotes_have_to_end)
{
    static const char *const texts[] = {"a\n\"open", "a\n\"b\"c\n", "a\n\"", "a\n\"x\"\"\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[32];
        struct tk_csv csv;
        snprintf(text, sizeof text, "%s", texts[i]);
        tk_csv_begin(&csv, "x.csv", text, strlen(text));
        ck_assert_int_eq(tk_csv_next(&csv, &err), 1);
        ck_assert_msg(tk_csv_next(&csv, &err) == TK_EFORMAT, "%s", texts[i]);
        ck_assert_ptr_nonnull(strstr(tk_err_text(&err, TK_EFORMAT), "x.csv, line 2"));
        tk_csv_release(&csv);
    }
}
END_TEST

static int read_history(struct tk_history *h, const char *runs, const char *series, const char *values)
{
    static char text[3][256];
    const char *const from[] = {runs, series, values};
    struct tk_history_text t[3];
    for (int i = 0; i < 3; i++) {
        snprintf(text[i], sizeof text[i], "%s", from[i]);
        t[i] = (struct tk_history_text){text[i], strlen(text[i])};
    }
    memset(h, 0, sizeof *h);
    return tk_history_csv(h, t[0], t[1], t[2], &err);
}

/* Columns and rows in any order; builds in a row are a night; further columns are notes. */
START_TEST(a_history_is_read)
{
    struct tk_history h;
    ck_assert_int_eq(read_history(&h, "run,build,driver\nx,7,a\ny,7,a\nz,8,b\n",
                                  "series,kind,worse\nb,counter,\na,frame,up\n",
                                  "a,run,b\n1.5,y,\n2.5,x,10\n"),
                     TK_OK);
    ck_assert_uint_eq(h.runs.n, 3);
    ck_assert_uint_eq(h.nights, 2);
    ck_assert_uint_eq(h.runs.v[1].night, 0);
    ck_assert_uint_eq(h.runs.v[2].night, 1);
    ck_assert(h.series.v[0].id->p[0] == 'a' && h.series.v[0].kind == TK_HISTORY_FRAME);
    ck_assert(h.series.v[0].values.v[0] == 2.5 && h.series.v[0].values.v[1] == 1.5);
    ck_assert(isnan(h.series.v[0].values.v[2]) && isnan(h.series.v[1].values.v[1]));
    ck_assert(h.series.v[1].values.v[0] == 10 && h.series.v[1].worse == TK_HISTORY_NEITHER);
    ck_assert_uint_eq(h.notes.n, 1);
    ck_assert(h.notes.v[0].values.v[2]->p[0] == 'b');
    tk_history_release(&h);
}
END_TEST

START_TEST(what_does_not_fit_is_an_error_with_its_line)
{
    static const struct {
        const char *runs, *series, *values, *said;
    } bad[] = {
        {"", "series\na\n", "run,a\n", "runs.csv is empty"},
        {"night\n1\n", "series\na\n", "run,a\n", "column 'run'"},
        {"run,night\n0,1\n1,0\n", "series\na\n", "run,a\n", "runs.csv, line 3"},
        {"run,night\n0,100000\n", "series\na\n", "run,a\n", "0 to 99999"},
        {"run\n0\n0\n", "series\na\n", "run,a\n", "duplicate run '0'"},
        {"run\n0\n", "series,kind\na,none\n", "run,a\n", "kind of series 'none'"},
        {"run\n0\n", "series\na\na\n", "run,a\n", "duplicate series 'a'"},
        {"run\n0\n", "series\na\n", "run,b\n", "series 'b'"},
        {"run\n0\n", "series\na\n", "run,a,a\n", "two columns"},
        {"run\n0\n", "series\na\n", "run,a\n1,2\n", "run '1'"},
        {"run\n0\n", "series\na\n", "run,a\n0,2\n0,2\n", "duplicate row"},
        {"run\n0\n", "series\na\n", "run,a\n0,x\n", "values.csv, line 2"},
        {"run\n0\n", "series\na\n", "run,a\n0\n", "1 fields, and there are 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct tk_history h;
        ck_assert_int_eq(read_history(&h, bad[i].runs, bad[i].series, bad[i].values), TK_EFORMAT);
        ck_assert_msg(strstr(tk_err_text(&err, TK_EFORMAT), bad[i].said), "%s: %s", bad[i].said,
                      tk_err_text(&err, TK_EFORMAT));
        tk_history_release(&h);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {numbers_are_those_of_c, rows_are_those_of_rfc_4180, quotes_have_to_end,
                                  a_history_is_read, what_does_not_fit_is_an_error_with_its_line};
    return RUN_TESTS("csv_read", tests);
}
