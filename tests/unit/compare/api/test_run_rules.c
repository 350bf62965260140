/* What tracekit.h says of functions of runs: causes may be left out, what could not be made is NULL, NULL can
 * be freed, and a run is there once. */
#include "run.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct tk_err err;
static char folder[] = "/tmp/tk-rules-XXXXXX", path[64], gone[64];

static const char *fixture(const char *name)
{
    static char text[1024];
    const char *fixtures = getenv("TK_FIXTURES");
    snprintf(text, sizeof text, "%s/%s", fixtures ? fixtures : "fixtures", name);
    return text;
}

static void begin(void)
{
    memset(&err, 0, sizeof err);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    snprintf(gone, sizeof gone, "%s/none/out", folder);
}

static void end(void)
{
    remove(path);
    ck_assert_int_eq(rmdir(folder), 0); /* nothing else is left in it */
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* A call fails with a status, with and without a place for causes, and *out was not NULL before. */
#define FAILS(type, out, status, call)                                                                       \
    for (int reported = 0; reported < 2; reported++) {                                                       \
        struct type *out = (struct type *)path;                                                              \
        struct tk_err *e = reported ? &err : NULL;                                                           \
        err.n = 0;                                                                                           \
        ck_assert_int_eq(call, status);                                                                      \
        ck_assert_ptr_null(out);                                                                             \
        ck_assert_int_eq(err.n > 0, reported);                                                               \
    }

START_TEST(null_can_be_freed)
{
    tk_baseline_free(NULL);
    tk_comparison_free(NULL);
    tk_history_free(NULL);
    tk_trend_free(NULL);
    tk_budgets_free(NULL);
}
END_TEST

START_TEST(what_failed_is_null)
{
    struct tk_baseline *empty = NULL;
    struct tk_output *output = NULL;
    ck_assert_int_eq(tk_output_open(&output, path, true, &err), TK_OK);
    FAILS(tk_budgets, b, TK_EIO, tk_budgets_load(&b, gone, e));
    write_text("{\"budgets\": 1}");
    FAILS(tk_budgets, b, TK_EUSAGE, tk_budgets_load(&b, path, e));
    ck_assert_int_eq(tk_baseline_new(&empty, &err), TK_OK);
    FAILS(tk_comparison, c, TK_EUNKNOWN, tk_compare(&c, empty, empty, NULL, e));
    ck_assert_int_eq(tk_budgets_write(empty, 0.1, output, &err), TK_EMATCH);
    tk_output_discard(output);
    tk_baseline_free(empty);
}
END_TEST

START_TEST(causes_may_be_left_out)
{
    struct tk_baseline *runs = NULL;
    ck_assert_int_eq(tk_baseline_new(&runs, NULL), TK_OK);
    ck_assert_int_eq(tk_baseline_load(runs, gone, NULL), TK_EIO);
    ck_assert_int_eq(tk_baseline_load(runs, fixture("tiny.utrace"), NULL), TK_EFORMAT);
    ck_assert_int_eq(tk_baseline_rename(runs, gone, NULL), TK_EIO);
    tk_baseline_free(runs);
}
END_TEST

START_TEST(runs_are_there_once)
{
    struct tk_baseline *a = NULL, *b = NULL;
    struct tk_comparison *comparison = NULL;
    struct tk_output *out = NULL;
    ck_assert_int_eq(tk_baseline_is("-"), 0);
    ck_assert_int_eq(tk_baseline_is("/dev/null"), 0);
    ck_assert_int_eq(tk_baseline_is(gone), 0);
    ck_assert_int_eq(tk_baseline_is(fixture("tiny.utrace")), 0);
    ck_assert_int_eq(tk_baseline_is(fixture("baseline-v1-a.tkb")), 1);
    ck_assert_int_eq(tk_baseline_new(&a, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_new(&b, &err), TK_OK);
    ck_assert_int_eq(tk_baseline_load(a, fixture("baseline-v1-a.tkb"), &err), TK_OK);
    ck_assert_int_eq(tk_baseline_load(a, fixture("baseline-v1-a.tkb"), NULL), TK_EUSAGE);
    ck_assert_int_eq(tk_baseline_load(b, fixture("baseline-v1-b.tkb"), &err), TK_OK);
    ck_assert_int_eq(tk_compare(&comparison, a, b, NULL, &err), TK_OK);
    const size_t runs = tk_baseline_count(a) + tk_baseline_count(b);
    ck_assert_int_eq(tk_baseline_join(a, b, &err), TK_OK);
    ck_assert_uint_eq(tk_baseline_count(a), runs);
    ck_assert_uint_eq(tk_baseline_count(b), 0);
    tk_baseline_free(a); /* the comparison uses nothing of them */
    tk_baseline_free(b);
    ck_assert_int_eq(tk_output_open(&out, path, false, &err), TK_OK);
    ck_assert_int_eq(tk_comparison_report(comparison, "none", out, NULL, NULL), TK_EMATCH);
    ck_assert_int_eq(tk_comparison_report(comparison, "csv", out, &(struct tk_report_options){0}, NULL),
                     TK_EUSAGE);
    ck_assert_int_eq(tk_comparison_report(comparison, "csv", out, NULL, &err), TK_OK);
    tk_output_discard(out);
    tk_comparison_free(comparison);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {null_can_be_freed, what_failed_is_null, causes_may_be_left_out,
                                  runs_are_there_once};
    return RUN_TESTS_AROUND("run rules", tests, begin, end);
}
