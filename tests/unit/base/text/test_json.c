/* JSON as RFC 8259 has it, in both ways that there are to space it. */
#include "base/text/json.h"
#include "run.h"

#include <math.h>
#include <string.h>

static char made[1024];
static size_t made_n;

static void put(void *to, const char *p, size_t n)
{
    (void)to;
    memcpy(made + made_n, p, n);
    made_n += n;
    made[made_n] = '\0';
}

static struct tk_json begin(void)
{
    made_n = 0;
    made[0] = '\0';
    return (struct tk_json){.put = put};
}

START_TEST(values)
{
    struct tk_json j = begin();
    tk_json_open(&j, NULL, '{');
    tk_json_plain(&j, "a", "null");
    tk_json_bool(&j, "b", true);
    tk_json_u64(&j, "c", UINT64_MAX);
    tk_json_i64(&j, "d", INT64_MIN);
    tk_json_real(&j, "e", 2.0 / 3, 4);
    tk_json_real(&j, "f", (double)NAN, 4);
    tk_json_real(&j, "g", (double)-INFINITY, 4);
    tk_json_c(&j, "h\"", "i\\");
    tk_json_text_of(&j, "k", "abc", 2);
    tk_json_close(&j);
    ck_assert_str_eq(made, "{\"a\":null,\"b\":true,\"c\":18446744073709551615,\"d\":-9223372036854775808,"
                           "\"e\":0.6667,\"f\":null,\"g\":null,\"h\\\"\":\"i\\\\\",\"k\":\"ab\"}");
}
END_TEST

START_TEST(nesting)
{
    struct tk_json j = begin();
    tk_json_open(&j, NULL, '[');
    tk_json_open(&j, NULL, '[');
    tk_json_close(&j);
    tk_json_open(&j, NULL, '{');
    tk_json_open(&j, "a", '[');
    tk_json_u64(&j, NULL, 1);
    tk_json_u64(&j, NULL, 2);
    tk_json_close(&j);
    tk_json_open(&j, "b", '{');
    tk_json_close(&j);
    tk_json_close(&j);
    tk_json_close(&j);
    ck_assert_str_eq(made, "[[],{\"a\":[1,2],\"b\":{}}]");
}
END_TEST

START_TEST(deep)
{
    struct tk_json j = begin();
    for (int i = 0; i < 63; i++)
        tk_json_open(&j, NULL, i % 2 ? '[' : '{');
    for (int i = 0; i < 63; i++)
        tk_json_close(&j);
    ck_assert_uint_eq(made_n, 126);
    for (size_t i = 0; i < 63; i++) {
        ck_assert_int_eq(made[i], i % 2 ? '[' : '{');
        ck_assert_int_eq(made[125 - i], i % 2 ? ']' : '}');
    }
}
END_TEST

START_TEST(lines_and_blanks)
{
    struct tk_json j = begin();
    j.spaced = true;
    tk_json_open(&j, NULL, '{');
    tk_json_open(&j, "a", '[');
    for (unsigned i = 0; i < 2; i++) {
        tk_json_line(&j);
        tk_json_open(&j, NULL, '{');
        tk_json_u64(&j, "b", i);
        tk_json_u64(&j, "c", i);
        tk_json_close(&j);
    }
    tk_json_line(&j);
    tk_json_close(&j);
    tk_json_close(&j);
    ck_assert_str_eq(made, "{\"a\": [\n{\"b\": 0, \"c\": 0},\n{\"b\": 1, \"c\": 1}\n]}");
}
END_TEST

/* What is outside of all objects is one value after another, as in lines of JSON. */
START_TEST(one_after_another)
{
    struct tk_json j = begin();
    for (unsigned i = 0; i < 2; i++) {
        tk_json_open(&j, NULL, '{');
        tk_json_u64(&j, "a", i);
        tk_json_close(&j);
        put(NULL, "\n", 1);
    }
    ck_assert_str_eq(made, "{\"a\":0}\n{\"a\":1}\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {values, nesting, deep, lines_and_blanks, one_after_another};
    return RUN_TESTS("json", tests);
}
