/* Values of JSON, whole, cut and damaged; numbers to the last digit (import 3.3). */
#include "format/chrome_json/chrome_json_in.h"
#include "run.h"

#include <string.h>

static enum tk_jscan_result scan(const char *text, size_t n, struct tk_jscan_value *v)
{
    struct tk_jscan_scan s = {.p = (const uint8_t *)text, .end = (const uint8_t *)text + n};
    enum tk_jscan_result r = tk_jscan_value(&s, v);
    ck_assert(r != TK_JSON_BAD || s.reason);
    ck_assert(r != TK_JSON_OK || s.p == s.end || *s.p == ' ');
    return r;
}

START_TEST(values)
{
    static const struct {
        const char *text;
        enum tk_jscan_result result;
    } cases[] = {
        {"{\"a\":[1,2,{\"b\":null}],\"c\":\"\\u00e9\\\"\"} ", TK_JSON_OK},
        {"[] ", TK_JSON_OK},
        {"[1,] ", TK_JSON_OK},
        {"{\"a\":1,} ", TK_JSON_OK},
        {"-Infinity ", TK_JSON_OK},
        {"\"\x01\t\xff\" ", TK_JSON_OK},
        {"[1 2] ", TK_JSON_BAD},
        {"{\"a\" 1} ", TK_JSON_BAD},
        {"{1:2} ", TK_JSON_BAD},
        {"[} ", TK_JSON_BAD},
        {"01 ", TK_JSON_BAD},
        {"+1 ", TK_JSON_BAD},
        {"1. ", TK_JSON_BAD},
        {"\"\\x\" ", TK_JSON_BAD},
        {"nul ", TK_JSON_BAD},
        {"[,] ", TK_JSON_BAD},
        {"[1,,2] ", TK_JSON_BAD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_jscan_value v;
        size_t n = strlen(cases[i].text);
        ck_assert_msg(scan(cases[i].text, n, &v) == cases[i].result, "%s", cases[i].text);
        for (size_t k = 0; k < n - 1 && cases[i].result == TK_JSON_OK; k++)
            ck_assert_msg(scan(cases[i].text, k, &v) == TK_JSON_CUT, "%zu bytes of %s", k, cases[i].text);
    }
}
END_TEST

START_TEST(times)
{
    static const struct {
        const char *text;
        bool is;
        int64_t ns;
    } cases[] = {
        {"0 ", true, 0},
        {"1.5 ", true, 1500},
        {"-2.0005 ", true, -2001}, /* half away from zero */
        {"0.0005 ", true, 1},
        {"0.00049999999999999999999999 ", true, 0},
        {"1764163200123456.789 ", true, 1764163200123456789},
        {"1e3 ", true, 1000000},
        {"12e-4 ", true, 1},
        {"\"2.25\" ", true, 2250},
        {"9223372036854775.807 ", true, INT64_MAX},
        {"-9223372036854775.808 ", true, INT64_MIN},
        {"9223372036854775.808 ", false, 0},
        {"9223372036854776 ", false, 0},
        {"1e300 ", false, 0},
        {"\"12 ms\" ", false, 0},
        {"\"\" ", false, 0},
        {"null ", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_jscan_value v;
        int64_t ns = 0;
        ck_assert_int_eq(scan(cases[i].text, strlen(cases[i].text), &v), TK_JSON_OK);
        ck_assert_msg(tk_jscan_time(&v, &ns) == cases[i].is && ns == cases[i].ns, "%s: %lld", cases[i].text,
                      (long long)ns);
    }
}
END_TEST

START_TEST(texts)
{
    static const struct {
        const char *text, *plain;
    } cases[] = {
        {"\"a\\n\\\"\\\\\\/b\"", "a\n\"\\/b"},
        {"\"\\u00e9\\u20ac\"", "\xc3\xa9\xe2\x82\xac"},
        {"\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80"},
        {"\"\\ud83dx\"", "\xef\xbf\xbdx"}, /* a surrogate alone */
        {"\"\\ude00\\ud83d\"", "\xef\xbf\xbd\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_jscan_value v;
        uint8_t out[64];
        ck_assert_int_eq(scan(cases[i].text, strlen(cases[i].text), &v), TK_JSON_OK);
        size_t n = tk_jscan_unescape(&v, out);
        ck_assert_msg(n == strlen(cases[i].plain) && memcmp(out, cases[i].plain, n) == 0, "%s",
                      cases[i].text);
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {values, times, texts};
    return RUN_TESTS("the tokenizer of JSON", tests);
}
