/* Strings of JSON, as RFC 8259 (section 7) escapes them. */
#include "base/text/copy.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

static char made[256];
static size_t made_n;

static void put(void *to, const char *p, size_t n)
{
    memcpy((char *)to + made_n, p, n);
    made_n += n;
}

static const char *string(const char *p, size_t n, enum tk_json_controls controls)
{
    made_n = 0;
    tk_json_put_string(made, put, p, n, controls);
    made[made_n] = '\0';
    return made;
}

START_TEST(plain_text)
{
    ck_assert_str_eq(string("", 0, TK_JSON_SHORT), "\"\"");
    ck_assert_str_eq(string(NULL, 0, TK_JSON_HEX), "\"\"");
    ck_assert_str_eq(string("a/\x7f\xc3\xa9", 5, TK_JSON_SHORT), "\"a/\x7f\xc3\xa9\"");
}
END_TEST

START_TEST(quotes_and_backslashes)
{
    ck_assert_str_eq(string("\"", 1, TK_JSON_SHORT), "\"\\\"\"");
    ck_assert_str_eq(string("a\"b\\c", 5, TK_JSON_SHORT), "\"a\\\"b\\\\c\"");
    ck_assert_str_eq(string("a\"b\\c", 5, TK_JSON_HEX), "\"a\\\"b\\\\c\"");
}
END_TEST

/* Every control character, in both forms. */
START_TEST(controls)
{
    static const char codes[] = "\b\t\n\f\r", letters[] = "btnfr";
    for (unsigned c = 0; c < 0x20; c++) {
        const char text = (char)c, *name = c ? strchr(codes, (int)c) : NULL;
        char hex[16], short_form[16];
        snprintf(hex, sizeof hex, "\"\\u%04x\"", c);
        snprintf(short_form, sizeof short_form, "\"\\%c\"", name ? letters[name - codes] : '?');
        ck_assert_str_eq(string(&text, 1, TK_JSON_HEX), hex);
        ck_assert_str_eq(string(&text, 1, TK_JSON_SHORT), name ? short_form : hex);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {plain_text, quotes_and_backslashes, controls};
    return RUN_TESTS("json_escape", tests);
}
