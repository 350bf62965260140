/*
 * Points in time. The seconds are those that date(1) gives.
 */
#include "base/text/text.h"
#include "run.h"

#include <string.h>

static int64_t read_when(const char *text)
{
    int64_t seconds = -1;
    return tk_when_read(text, &seconds) ? seconds : -1;
}

START_TEST(forms)
{
    ck_assert_int_eq(read_when("2026-11-23T21:05:42Z"), 1795467942);
    ck_assert_int_eq(read_when("2026-11-23 21:05:42"), 1795467942);
    ck_assert_int_eq(read_when("2026-11-23T21:05:42.999Z"), 1795467942);
    ck_assert_int_eq(read_when("2026-11-23T22:05:42+01:00"), 1795467942);
    ck_assert_int_eq(read_when("2026-11-23T22:05:42+01"), 1795467942);
    ck_assert_int_eq(read_when("2026-11-23T13:35:42-0730"), 1795467942);
    ck_assert_int_eq(read_when("1795467942"), 1795467942);
    ck_assert_int_eq(read_when("2026-11-23T21:05"), 1795467900);
    ck_assert_int_eq(read_when("2024-02-29"), 1709164800);
    ck_assert_int_eq(read_when("1970-01-01"), 0);
    ck_assert_int_eq(read_when("0"), 0);
}
END_TEST

START_TEST(no_times)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "2026-11-23x",
                                        "2026-11-23T",
                                        "2026-11-23T21",
                                        "2026-11-23T24:00",
                                        "2026-11-23T21:05:421",
                                        "2026-11-23T21:05:42.",
                                        "2026-11-23T21:05Zx",
                                        "2026-11-23T21:05+1",
                                        "2025-02-29",
                                        "2100-02-29",
                                        "2026-13-01",
                                        "1969-12-31",
                                        "1970-01-01T00:00+01:00",
                                        "253402300800",
                                        "99999999999999999999999999",
                                        "-5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(read_when(texts[i]) == -1, "%s", texts[i]);
}
END_TEST

START_TEST(written)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } of[] = {{0, "1970-01-01T00:00:00Z"},          {1795467942, "2026-11-23T21:05:42Z"},
              {1709164799, "2024-02-28T23:59:59Z"}, {951868800, "2000-03-01T00:00:00Z"},
              {951868799, "2000-02-29T23:59:59Z"},  {253402300799, "9999-12-31T23:59:59Z"},
              {-7, "1970-01-01T00:00:00Z"},         {INT64_MAX, "9999-12-31T23:59:59Z"}};
    char text[TK_WHEN_TEXT];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        tk_when_put(text, of[i].seconds);
        ck_assert_str_eq(text, of[i].text);
    }
}
END_TEST

/* A day apart, through all leap years and centuries. */
START_TEST(there_and_back)
{
    char text[TK_WHEN_TEXT];
    for (int64_t day = 0; day < 2932896; day += 13) {
        tk_when_put(text, day * 86400 + 3661);
        must(read_when(text) == day * 86400 + 3661);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {forms, no_times, written, there_and_back};
    return RUN_TESTS("when", tests);
}
