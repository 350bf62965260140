/* Events in the usual forms and in all others: what is read of them, with much text behind and with none. */
#include "format/chrome_json/chrome_json_in.h"
#include "run.h"

#include <stdlib.h>
#include <string.h>

struct wanted {
    const char *text;
    const char *name; /* as it stands in the text; NULL: none */
    int64_t ts, dur;  /* ns; -1: none */
    int64_t pid;      /* -1: none */
};

static const struct wanted cases[] = {
    {"{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":151.5,\"dur\":10,\"name\":\"a\"}", "a", 151500, 10000, 1},
    {"{\"ph\":\"X\",\"ts\":12345678,\"dur\":123456789.123,\"name\":\"of fifteen char\"}", "of fifteen char",
     INT64_C(12345678000), INT64_C(123456789123), -1},
    {"{\"ts\":123456789012345.001,\"dur\":1234567890123456,\"name\":\"of sixteen chara\"}",
     "of sixteen chara", INT64_C(123456789012345001), INT64_C(1234567890123456000), -1},
    {"{ \"ts\" : 1.0005 , \"dur\":0.1234567, \"name\":\"\", \"pid\": 77 }", "", 1001, 123, 77},
    {"{\"ts\":00,\"dur\":1}", NULL, -1, -1, -1},
    {"{\"ts\":0,\"dur\":0.5}", NULL, 0, 500, -1},
    {"{\"ts\":1.12345678,\"dur\":8.000}", NULL, 1123, 8000, -1},
    {"{\"ts\":12345678.9,\"dur\":1e3,\"na\\u006de\":\"q\"}", "q", INT64_C(12345678900), 1000000, -1},
    {"{\"name\":\"\\\"\",\"ts\":1}", "\\\"", 1000, -1, -1},
    {"{\"name\":\"a\\\\\",\"ts\":2,\"args\":{\"name\":\"inner\"},\"nam\":\"no\",\"names\":\"no\"}", "a\\\\",
     2000, -1, -1},
    {"{\"na\\u0000\":\"no\",\"tts\":5,\"ts\":3,\"bind_id\":\"x\",\"pid\":12345678}", NULL, 3000, -1,
     12345678},
    {"{\"pid\":123456789,\"ts\":4}", NULL, 4000, -1, 123456789},
};

static int64_t time_of(const struct tk_jscan_value *v)
{
    int64_t ns;
    return v->kind != TK_JSON_NONE && tk_jscan_time(v, &ns) ? ns : -1;
}

static void check(const struct wanted *w, const uint8_t *p, size_t n)
{
    struct tk_jscan_scan s = {.p = p, .end = p + n};
    struct tk_cj_event e;
    enum tk_jscan_result r = tk_cj_event_read(&s, &e);
    const struct tk_jscan_value *name = &e.field[TK_CJ_NAME], *pid = &e.field[TK_CJ_PID];
    int64_t number = -1;
    if (strstr(w->text, "00,")) { /* not JSON */
        ck_assert_int_eq(r, TK_JSON_BAD);
        return;
    }
    ck_assert_msg(r == TK_JSON_OK && s.p == p + strlen(w->text), "%s", w->text);
    ck_assert_msg(time_of(&e.field[TK_CJ_TS]) == w->ts, "ts of %s", w->text);
    ck_assert_msg(time_of(&e.field[TK_CJ_DUR]) == w->dur, "dur of %s", w->text);
    if (pid->kind != TK_JSON_NONE)
        ck_assert(tk_jscan_integer(pid, &number));
    ck_assert_msg(number == w->pid, "pid of %s", w->text);
    ck_assert_msg(w->name ? name->kind == TK_JSON_STRING && tk_jscan_is(name, w->name, strlen(w->name))
                          : name->kind == TK_JSON_NONE,
                  "name of %s", w->text);
}

START_TEST(with_and_without_text_behind)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = strlen(cases[i].text);
        for (size_t behind = 0; behind < 40; behind++) {
            uint8_t *copy = malloc(n + behind); /* of exactly that size: reading beyond it is seen */
            ck_assert(copy);
            memcpy(copy, cases[i].text, n);
            memset(copy + n, '7', behind);
            check(&cases[i], copy, n + behind);
            free(copy);
        }
    }
}
END_TEST

START_TEST(cut)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t n = 1; n < strlen(cases[i].text) && !strstr(cases[i].text, "00,"); n++) {
            struct tk_jscan_scan s = {.p = (const uint8_t *)cases[i].text};
            struct tk_cj_event e;
            s.end = s.p + n;
            ck_assert_msg(tk_cj_event_read(&s, &e) == TK_JSON_CUT, "%zu of %s", n, cases[i].text);
        }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {with_and_without_text_behind, cut};
    return RUN_TESTS("trace events as they stand", tests);
}
