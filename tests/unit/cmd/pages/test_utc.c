/* Dates, as `date -u -d @SECONDS` prints them. */
#include "pages/pages_in.h"
#include "run.h"

START_TEST(dates)
{
    static const struct {
        double seconds;
        const char *text;
    } of[] = {{0, "1970-01-01 00:00:00 UTC"},
              {951782400, "2000-02-29 00:00:00 UTC"},
              {1795166464.9, "2026-11-20 09:21:04 UTC"},
              {4107542399, "2100-02-28 23:59:59 UTC"},
              {4107542400, "2100-03-01 00:00:00 UTC"},
              {253402300799, "9999-12-31 23:59:59 UTC"}};
    char text[TK_UTC_TEXT];
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        ck_assert(tk_utc(text, of[i].seconds));
        ck_assert_str_eq(text, of[i].text);
    }
    ck_assert(!tk_utc(text, -1) && !tk_utc(text, 1e12) && !tk_utc(text, 0.0 / 0.0));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {dates};
    return RUN_TESTS("utc", tests);
}
