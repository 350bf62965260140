/* Fields of CSV, as RFC 4180 quotes them. */
#include "base/text/copy.h"
#include "run.h"

#include <string.h>

static char made[256];
static size_t made_n;

static void put(void *to, const char *p, size_t n)
{
    memcpy((char *)to + made_n, p, n);
    made_n += n;
}

static const char *quoted(const char *p, size_t n)
{
    made_n = 0;
    tk_csv_quote(made, put, p, n);
    made[made_n] = '\0';
    return made;
}

START_TEST(doubles_quotes)
{
    ck_assert_str_eq(quoted("", 0), "\"\"");
    ck_assert_str_eq(quoted(NULL, 0), "\"\"");
    ck_assert_str_eq(quoted("plain", 5), "\"plain\"");
    ck_assert_str_eq(quoted("\"", 1), "\"\"\"\"");
    ck_assert_str_eq(quoted("\"\"", 2), "\"\"\"\"\"\"");
    ck_assert_str_eq(quoted("a\"b", 3), "\"a\"\"b\"");
    ck_assert_str_eq(quoted("\"ab\"", 4), "\"\"\"ab\"\"\"");
}
END_TEST

START_TEST(keeps_other_bytes)
{
    ck_assert_str_eq(quoted("a,b;\r\n\t'\\\xff", 10), "\"a,b;\r\n\t'\\\xff\"");
    quoted("a\0\"b", 4);
    ck_assert_uint_eq(made_n, 7);
    ck_assert_mem_eq(made, "\"a\0\"\"b\"", 7);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {doubles_quotes, keeps_other_bytes};
    return RUN_TESTS("csv_quote", tests);
}
