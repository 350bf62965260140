/* Names in JSON and CSV of reports: what is invalid is replaced, and what the format escapes. */
#include "compare/report/report_print.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

typedef void print_fn(struct tk_print *p, const struct tk_str *s);

static void prints(print_fn *print, const char *p, size_t n, const char *want)
{
    struct tk_print made = {0};
    const struct tk_str s = {.p = p, .n = (uint32_t)n};
    print(&made, &s);
    ck_assert(!made.failed);
    ck_assert_uint_eq(made.n, strlen(want));
    ck_assert_mem_eq(made.v, want, made.n);
    free(made.v);
}

START_TEST(json_strings)
{
    prints(tk_print_json, "", 0, "\"\"");
    prints(tk_print_json, "a\"b\\c/", 6, "\"a\\\"b\\\\c/\"");
    prints(tk_print_json, "a\n\t\0\x1f", 5, "\"a\\u000a\\u0009\\u0000\\u001f\"");
    prints(tk_print_json, "\x7f\xc2\x85\xc3\xa9", 5, "\"\x7f\xc2\x85\xc3\xa9\"");
    prints(tk_print_json, "x\xff\xe2\x82", 4, "\"x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}
END_TEST

START_TEST(csv_fields)
{
    prints(tk_print_csv, "", 0, "\"\"");
    prints(tk_print_csv, "a\"b,c", 5, "\"a\"\"b,c\"");
    prints(tk_print_csv, "a\r\n\0\x7f\xc2\x85z", 8, "\"a     z\"");
    prints(tk_print_csv, "x\xff\"", 3, "\"x\xef\xbf\xbd\"\"\"");
}
END_TEST

/* What a runner obeys, what turns text round, and what somebody who shows Markdown makes links of. */
START_TEST(names_without_effect)
{
    prints(tk_print_name, "::error::x", 10, "\\::error::x");
    prints(tk_print_name, "F::x ##vso[y]", 13, "F::x #\\#vso[y]");
    prints(tk_print_name, "a\n\xe2\x80\xae", 5, "a \\u202e");
    prints(tk_print_github_message, "##[error]%", 10, "#\\#[error]%25");
    prints(tk_print_markdown, "@me #1", 6, "&#64;<!-- -->me &#35;<!-- -->1");
    prints(tk_print_markdown, "www.x http://y", 14, "&#119;&#119;w.x http&#58;//y");
}
END_TEST

/* By hand, from RFC 3986 and RFC 8089. */
START_TEST(uris)
{
    prints(tk_print_uri, "Source/a b.cpp", 14, "\"Source/a%20b.cpp\"");
    prints(tk_print_uri, "D:\\b\\c#.cpp", 11, "\"file:///D:/b/c%23.cpp\"");
    prints(tk_print_uri, "/x/\xc3\xa9:1", 7, "\"file:///x/%C3%A9%3A1\"");
    prints(tk_print_uri, "\\\\host\\x", 8, "\"file://host/x\"");
    prints(tk_print_uri, "a:b", 2, "\"file:///a:\"");
}
END_TEST

static void print_guarded(struct tk_print *p, const struct tk_str *s)
{
    p->guard = true;
    tk_print_csv(p, s);
}

START_TEST(formulas_are_guarded)
{
    prints(print_guarded, "=1+1", 4, "\"'=1+1\"");
    prints(print_guarded, "\n=1", 3, "\"' =1\"");
    prints(print_guarded,
           "\xef\xbc\x9d"
           "1",
           4,
           "\"'\xef\xbc\x9d"
           "1\"");
    prints(print_guarded, "a", 1, "\"a\"");
    prints(tk_print_csv, "=1+1", 4, "\"=1+1\"");
}
END_TEST

/* Lines of 24: what does not fit is broken, and nothing behind it leaves an empty line. */
START_TEST(lines_of_pieces)
{
    static const char want[] =
        "timer Lightng\n     no timer 'Lightng';\n     the nearest:\n     'Lighting'\n";
    struct tk_print made = {0};
    struct tk_print_line l = tk_print_line(&made, 24);
    tk_print(&made, "timer Lightng");
    tk_print_piece(&l);
    tk_print(&made, "  no timer 'Lightng'; the nearest: 'Lighting'");
    tk_print_piece(&l);
    tk_print_piece(&l);
    tk_print(&made, "\n");
    ck_assert_msg(made.n == strlen(want) && memcmp(made.v, want, made.n) == 0, "%.*s", (int)made.n, made.v);
    free(made.v);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {json_strings, csv_fields,           names_without_effect,
                                  uris,         formulas_are_guarded, lines_of_pieces};
    return RUN_TESTS("report_print", tests);
}
