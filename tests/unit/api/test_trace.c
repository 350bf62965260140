/* Opening captures, and files that are none. */
#include "run.h"
#include "tracekit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct tk_err err;
static char path[64];

static void write_file(const void *bytes, size_t n)
{
    strcpy(path, "/tmp/tracekit-unit-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
    close(fd);
}

static void refuses(const void *bytes, size_t n, const char *sentence)
{
    struct tk_trace *trace = NULL;
    write_file(bytes, n);
    ck_assert_int_eq(tk_open(&trace, path, NULL, &err), TK_EFORMAT);
    unlink(path);
    ck_assert_ptr_null(trace);
    ck_assert_str_eq(err.text[0], sentence);
}

START_TEST(other_files_are_reported)
{
    refuses("", 0, "the file is empty");
    refuses("some text\nin lines\n", 19, "the file is text, not a capture");
    refuses("caf\xc3\xa9", 5, "the file is text, not a capture");
    refuses("caf\xc3", 4, "not a capture of any known format (it begins with 63 61 66 c3)");
    refuses("\x7f"
            "ELF\2\1\1\0",
            8, "the file is a program, not a capture");
    refuses("\1\2\3\4\5\6\7\10\11\12", 10,
            "not a capture of any known format (it begins with 01 02 03 04 05 06 07 08)");
}
END_TEST

START_TEST(missing_files_are_reported)
{
    struct tk_trace *trace = NULL;
    ck_assert_int_eq(tk_open(&trace, "/nonexistent/file", NULL, &err), TK_EIO);
    ck_assert_ptr_null(trace);
    ck_assert_int_eq(tk_open(&trace, "/nonexistent/file", NULL, NULL), TK_EIO);
}
END_TEST

static int with_limit(const char *limit)
{
    struct tk_trace *trace = NULL;
    struct tk_options options = TK_INIT(struct tk_options);
    const char *const limits[] = {limit};
    options.limits = limits;
    options.n_limits = 1;
    write_file("text", 4);
    int rc = tk_open(&trace, path, &options, &err);
    unlink(path);
    return rc;
}

START_TEST(limits_are_checked)
{
    ck_assert_int_eq(with_limit("rows=100"), TK_EFORMAT);
    ck_assert_int_eq(with_limit("rows=18446744073709551615"), TK_EFORMAT);
    ck_assert_int_eq(with_limit("rows=18446744073709551616"), TK_EUSAGE);
    ck_assert_int_eq(with_limit("rows=1k"), TK_EUSAGE);
    ck_assert_int_eq(with_limit("rows="), TK_EUSAGE);
    ck_assert_int_eq(with_limit("rows"), TK_EUSAGE);
    ck_assert_str_eq(err.text[0], "limit 'rows' is not of the form name=number");
    ck_assert_int_eq(with_limit("rwos=1"), TK_EUSAGE);
    ck_assert_int_eq(err.code, TK_EUSAGE);
    ck_assert_str_eq(err.text[0], "no limit matches 'rwos'; the nearest: 'rows'");
}
END_TEST

START_TEST(options_need_their_size)
{
    struct tk_trace *trace = NULL;
    const struct tk_options options = {0};
    ck_assert_int_eq(tk_open(&trace, "/dev/null", &options, &err), TK_EUSAGE);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        other_files_are_reported,
        missing_files_are_reported,
        limits_are_checked,
        options_need_their_size,
    };
    return RUN_TESTS("trace", tests);
}
