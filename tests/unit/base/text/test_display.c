/* Texts as people are displayed them, by the lists of Unicode and the documents of the runners. */
#include "base/text/copy.h"
#include "base/text/text.h"
#include "run.h"

#include <string.h>

static char displayed[200];

static void add(void *to, const char *p, size_t n)
{
    (void)to;
    strncat(displayed, p, n);
}

static const char *show(const char *text, size_t n, unsigned flags)
{
    displayed[0] = 0;
    tk_show_text(NULL, add, text, n, flags);
    return displayed;
}

static const char *show_c(const char *text, unsigned flags)
{
    return show(text, strlen(text), flags);
}

/* Bidi_Control of PropList.txt, and what has no width of General_Category=Cf that names have no use for. */
START_TEST(unsafe_characters)
{
    static const uint32_t bad[] = {0,      0x1b,   0x7f,   0x80,   0x9b,   0x9f,    0xad,   0x61c,  0x180e,
                                   0x200b, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029,  0x202a, 0x202e, 0x2060,
                                   0x2066, 0x2069, 0xfeff, 0xfff9, 0xfffb, 0xe0001, 0xe007f};
    static const uint32_t good[] = {' ',    '~',    0xa0,   0xac,   0xae,   0x61b,
                                    0x200a, 0x2010, 0x202f, 0x2070, 0xfffd, 0x1f600};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(tk_is_unsafe(bad[i]), "U+%04X", (unsigned)bad[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(!tk_is_unsafe(good[i]), "U+%04X", (unsigned)good[i]);
}
END_TEST

START_TEST(escapes)
{
    ck_assert_str_eq(show_c("a\x1b[31mb\xc2\x9b\xe2\x80\xae", 0), "a\\x1b[31mb\\u009b\\u202e");
    ck_assert_str_eq(show_c("\xf3\xa0\x81\x81\xff", 0), "\\U000e0041\xef\xbf\xbd");
    ck_assert_str_eq(show_c("caf\xc3\xa9", TK_SHOW_ASCII), "caf\\u00e9");
    ck_assert_str_eq(show("a\0b", 3, 0), "a\\x00b");
}
END_TEST

/* A line feed and the two characters are not the same. */
START_TEST(line_feeds)
{
    ck_assert_str_eq(show_c("a\nb\\n", 0), "a\xe2\x90\x8a"
                                           "b\\n");
    ck_assert_str_eq(show_c("a\nb\\n", TK_SHOW_ASCII), "a\\x0ab\\n");
    ck_assert_str_eq(show_c("a\nb\\n\"", TK_SHOW_QUOTED), "a\\nb\\\\n\\\"");
}
END_TEST

/* GitHub: a line that begins with ::, and ##[ anywhere; Azure Pipelines: ##[ and ##vso[; TeamCity. */
START_TEST(commands)
{
    ck_assert_str_eq(show_c("::error file=x::y", 0), "\\::error file=x::y");
    ck_assert_str_eq(show_c(" \n ::error::", 0), " \xe2\x90\x8a \\::error::");
    ck_assert_str_eq(show_c("FFoo::Bar", 0), "FFoo::Bar");
    ck_assert_str_eq(show_c("a ##[error]b", 0), "a #\\#[error]b");
    ck_assert_str_eq(show_c("##vso[task.complete]", 0), "#\\#vso[task.complete]");
    ck_assert_str_eq(show_c("##teamcity[x]", 0), "#\\#teamcity[x]");
    ck_assert_str_eq(show_c("####", 0), "####");
}
END_TEST

START_TEST(formulas)
{
    static const char *const bad[] = {"=1",           "+1",           "-1",          "@x",
                                      "\tx",          "\rx",          "\n=1",        "\xef\xbc\x9dx",
                                      "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    static const char *const good[] = {"", "a=1", "1", " x", "\xef\xbc", "\xef\xbc\xa1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(tk_looks_like_formula(bad[i], strlen(bad[i])), "%s", bad[i]);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(!tk_looks_like_formula(good[i], strlen(good[i])), "%s", good[i]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {unsafe_characters, escapes, line_feeds, commands, formulas};
    return RUN_TESTS("shown", tests);
}
