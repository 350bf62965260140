/* Values of metadata: bytes and values of RFC 8949, appendix A, and what the heads of its chapter 3 mean. */
#include "format/utrace/schema/schema.h"
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char text[512];

/* All values, a space behind each; '!' where the bytes are no CBOR. */
static const char *values_of(const void *bytes, size_t n)
{
    struct tk_cur c = tk_cur_of(bytes, n);
    struct tk_ut_cbor v;
    size_t at = 0;
    text[0] = '\0';
    while (tk_ut_cbor_next(&c, &v)) {
        char *out = text + at;
        size_t capacity = sizeof text - at;
        int used = 0;
        if (v.kind == TK_UT_CBOR_INT && v.is_signed)
            used = snprintf(out, capacity, "%lld ", (long long)v.u);
        else if (v.kind == TK_UT_CBOR_INT)
            used = snprintf(out, capacity, "+%llu ", (unsigned long long)v.u);
        else if (v.kind == TK_UT_CBOR_REAL)
            used = snprintf(out, capacity, "%.17gr ", v.r);
        else if (v.kind == TK_UT_CBOR_TEXT)
            used = snprintf(out, capacity, "'%.*s' ", (int)v.text.n, (const char *)v.text.p);
        else
            used = snprintf(out, capacity, "%s ",
                            v.kind == TK_UT_CBOR_NULL ? "null"
                            : v.u                     ? "true"
                                                      : "false");
        at += (size_t)used;
        ck_assert_uint_lt(at, sizeof text - 2);
    }
    if (!tk_cur_ok(&c))
        strcpy(text + at, "!");
    return text;
}

#define VALUES(bytes) values_of(bytes, sizeof(bytes) - 1)

START_TEST(numbers)
{
    ck_assert_str_eq(VALUES("\x00\x01\x0a\x17"), "+0 +1 +10 +23 ");
    ck_assert_str_eq(VALUES("\x18\x18\x18\x64"), "+24 +100 ");
    ck_assert_str_eq(VALUES("\x19\x03\xe8"), "+1000 ");
    ck_assert_str_eq(VALUES("\x1a\x00\x0f\x42\x40"), "+1000000 ");
    ck_assert_str_eq(VALUES("\x1b\x00\x00\x00\xe8\xd4\xa5\x10\x00"), "+1000000000000 ");
    ck_assert_str_eq(VALUES("\x1b\xff\xff\xff\xff\xff\xff\xff\xff"), "+18446744073709551615 ");
    ck_assert_str_eq(VALUES("\x20\x29\x37"), "-1 -10 -24 ");
    ck_assert_str_eq(VALUES("\x38\x63\x39\x03\xe7"), "-100 -1000 ");
}
END_TEST

START_TEST(reals)
{
    ck_assert_str_eq(VALUES("\xfa\x47\xc3\x50\x00"), "100000r ");
    ck_assert_str_eq(VALUES("\xfa\x7f\x7f\xff\xff"), "3.4028234663852886e+38r ");
    ck_assert_str_eq(VALUES("\xfb\x3f\xf1\x99\x99\x99\x99\x99\x9a"), "1.1000000000000001r ");
    ck_assert_str_eq(VALUES("\xfb\xc0\x10\x66\x66\x66\x66\x66\x66"), "-4.0999999999999996r ");
    ck_assert_str_eq(VALUES("\xfb\x7f\xf0\x00\x00\x00\x00\x00\x00"), "infr ");
}
END_TEST

START_TEST(words)
{
    ck_assert_str_eq(VALUES("\xf4\xf5\xf6\xf7"), "false true null null ");
    ck_assert_str_eq(VALUES("\xf8\xff\x01"), "null +1 ");     /* a simple value in a byte of its own */
    ck_assert_str_eq(VALUES("\xf9\x3c\x00\x01"), "null +1 "); /* a real of 16 bits, which nobody writes */
    ck_assert_str_eq(VALUES("\x60\x61\x61\x64\x49\x45\x54\x46"), "'' 'a' 'IETF' ");
    ck_assert_str_eq(VALUES("\x62\xc3\xbc\x44"
                            "abcd"),
                     "'\xc3\xbc' 'abcd' "); /* bytes are displayed like texts */
    ck_assert_str_eq(VALUES("\x78\x18"
                            "123456789012345678901234"),
                     "'123456789012345678901234' ");
}
END_TEST

/* What holds others, or says what they mean, is no value. */
START_TEST(around_values)
{
    ck_assert_str_eq(VALUES("\x83\x01\x82\x02\x03\x80\x04"), "+1 +2 +3 +4 ");
    ck_assert_str_eq(VALUES("\xa2\x61\x61\x01\x61\x62\x82\x02\x03"), "'a' +1 'b' +2 +3 ");
    ck_assert_str_eq(VALUES("\x9f\x01\x9f\xff\x02\xff\x03"), "+1 +2 +3 ");
    ck_assert_str_eq(VALUES("\xbf\x61\x61\x01\xff"), "'a' +1 ");
    ck_assert_str_eq(VALUES("\xc1\x1a\x51\x4b\x67\xb0"), "+1363896240 ");
    ck_assert_str_eq(VALUES("\xd8\x20\x63"
                            "www\x05"),
                     "'www' +5 ");                   /* tag 32 */
    ck_assert_str_eq(VALUES("\x98\x19\x07"), "+7 "); /* an array of 25, most of them missing */
}
END_TEST

START_TEST(bytes_that_end_early)
{
    ck_assert_str_eq(VALUES(""), "");
    ck_assert_str_eq(VALUES("\x01\x18"), "+1 !");
    ck_assert_str_eq(VALUES("\x1b\x00\x00\x00\xe8\xd4\xa5\x10"), "!");
    ck_assert_str_eq(VALUES("\xfa\x47\xc3\x50"), "!");
    ck_assert_str_eq(VALUES("\x02\x63"
                            "ab"),
                     "+2 !");
    ck_assert_str_eq(VALUES("\x7b\xff\xff\xff\xff\xff\xff\xff\xff"
                            "ab"),
                     "!"); /* longer than memory */
    ck_assert_str_eq(VALUES("\x7b\x00\x00\x00\x01\x00\x00\x00\x02"
                            "ab"),
                     "!"); /* its low half would fit */
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {numbers, reals, words, around_values, bytes_that_end_early};
    return RUN_TESTS("cbor", tests);
}
