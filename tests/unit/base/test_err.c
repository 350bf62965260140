/* Errors: lists of causes. */
#include "base/err.h"
#include "run.h"

#include <string.h>

START_TEST(causes_are_listed_innermost_first)
{
    struct tk_err err = {0};
    ck_assert_int_eq(tk_err_set(&err, TK_EFORMAT, "no magic at byte %d", 7), TK_EFORMAT);
    ck_assert_int_eq(tk_err_add(&err, "cannot read '%s'", "a.utrace"), TK_EFORMAT);
    ck_assert_int_eq(err.code, TK_EFORMAT);
    ck_assert_uint_eq(err.n, 2);
    ck_assert_str_eq(err.text[0], "no magic at byte 7");
    ck_assert_str_eq(err.text[1], "cannot read 'a.utrace'");
    tk_err_set(&err, TK_EIO, "again");
    ck_assert_uint_eq(err.n, 1);
}
END_TEST

START_TEST(full_list_keeps_innermost_and_outermost)
{
    struct tk_err err = {0};
    tk_err_set(&err, TK_EIO, "0");
    for (int i = 1; i < 20; i++)
        ck_assert_int_eq(tk_err_add(&err, "%d", i), TK_EIO);
    ck_assert_uint_eq(err.n, TK_ERR_CAUSES);
    ck_assert_str_eq(err.text[0], "0");
    ck_assert_str_eq(err.text[TK_ERR_CAUSES - 2], "4");
    ck_assert_str_eq(err.text[TK_ERR_CAUSES - 1], "19");
}
END_TEST

/* Two-byte characters: wherever the text is cut, it ends with a whole one. */
START_TEST(long_texts_end_with_a_whole_character)
{
    char text[2 * TK_ERR_TEXT + 1];
    for (size_t i = 0; i < TK_ERR_TEXT; i++)
        memcpy(text + 2 * i, "\xc3\xa9", 3);
    struct tk_err err = {0};
    tk_err_set(&err, TK_EIO, "%s", text);
    ck_assert_uint_eq(strlen(err.text[0]), TK_ERR_TEXT - 2);
    ck_assert(memcmp(err.text[0], text, TK_ERR_TEXT - 2) == 0);
    tk_err_set(&err, TK_EIO, "x%s", text);
    ck_assert_uint_eq(strlen(err.text[0]), TK_ERR_TEXT - 1);
    tk_err_set(&err, TK_EIO, "%0*d", 2 * TK_ERR_TEXT, 1);
    ck_assert_uint_eq(strlen(err.text[0]), TK_ERR_TEXT - 1);
}
END_TEST

START_TEST(a_reason_ends_the_sentence)
{
    struct tk_err err = {0};
    tk_err_set(&err, TK_EIO, "cannot open '%s'", "x");
    tk_err_because(&err, "No such file or directory");
    ck_assert_str_eq(err.text[0], "cannot open 'x': no such file or directory");
    tk_err_set(&err, TK_EIO, "cannot open");
    tk_err_because(&err, "RPC struct is bad");
    ck_assert_str_eq(err.text[0], "cannot open: RPC struct is bad");
    tk_err_set(&err, TK_EIO, "%0*d", TK_ERR_TEXT - 5, 1);
    tk_err_because(&err, "x\xc3\xa9"); /* no space for the whole character */
    ck_assert_str_eq(err.text[0] + TK_ERR_TEXT - 6, "1: x");
    ck_assert_int_eq(err.n, 1);
    tk_err_because(NULL, "x");
    ck_assert_int_eq(tk_err_nomem(&err, "a table"), TK_ENOMEM);
    ck_assert_str_eq(err.text[0], "out of memory for a table");
}
END_TEST

START_TEST(no_list_is_needed)
{
    ck_assert_int_eq(tk_err_set(NULL, TK_ELIMIT, "x"), TK_ELIMIT);
    ck_assert_int_eq(tk_err_nomem(NULL, "x"), TK_ENOMEM);
    ck_assert_int_lt(tk_err_add(NULL, "x"), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        causes_are_listed_innermost_first,
        full_list_keeps_innermost_and_outermost,
        long_texts_end_with_a_whole_character,
        a_reason_ends_the_sentence,
        no_list_is_needed,
    };
    return RUN_TESTS("err", tests);
}
