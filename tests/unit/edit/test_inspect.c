/*
 * A result in which a text still stands is refused: here the capture itself, of which nothing was replaced.
 */
#include "api/trace.h"
#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/utrace_in.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static int inspect(const char *keep, struct tk_err *err)
{
    char path[512];
    struct tk_trace *trace;
    struct tk_edit_texts texts = {0};
    struct tk_anon anon = {.keep = &keep, .n_keep = keep ? 1 : 0};
    snprintf(path, sizeof path, "%s/tiny.utrace", getenv("TK_FIXTURES"));
    must(tk_open(&trace, path, NULL, err) == TK_OK);
    struct tk_ut_capture *c = (struct tk_ut_capture *)trace->capture;
    tk_hmac_key(&anon.key, "key", 3);
    must(tk_anon_classes_read(&anon.classes, "names", err) == TK_OK);
    must(tk_edit_replace_learn(&texts, &anon, c, err) == TK_OK);
    const int rc = tk_edit_utrace_inspect(&anon, c, err);
    tk_edit_texts_release(&texts);
    tk_anon_release(&anon);
    tk_close(trace);
    return rc;
}

START_TEST(a_text_that_stands_is_found)
{
    struct tk_err err = {0};
    ck_assert_int_eq(inspect(NULL, &err), TK_EOUTPUT);
    ck_assert_ptr_nonnull(strstr(tk_err_text(&err, TK_EOUTPUT), "'names'"));
}
END_TEST

START_TEST(what_is_kept_is_none)
{
    struct tk_err err = {0};
    ck_assert_int_eq(inspect("*", &err), TK_OK);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_text_that_stands_is_found, what_is_kept_is_none};
    return run_tests("inspect", tests, sizeof tests / sizeof *tests, 1, (struct around){0});
}
