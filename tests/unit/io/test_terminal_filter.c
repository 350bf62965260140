/* What goes to a terminal, in pieces of all sizes. */
#include "io/io_in.h"
#include "run.h"

#include <string.h>

static char got[200];

static void add(void *to, const char *p, size_t n)
{
    (void)to;
    strncat(got, p, n);
}

START_TEST(pieces)
{
    static const char in[] = "a,\"\x1b]0;x\x07\"\n\xc3\xa9\t\xe2\x80\xae\xff"
                             "b\xf0\x9f\x98\x80\xe2\x80"
                             "c\r\n";
    static const char wanted[] = "a,\"\\x1b]0;x\\x07\"\n\xc3\xa9\t\\u202e\xef\xbf\xbd"
                                 "b\xf0\x9f\x98\x80\xef\xbf\xbd\xef\xbf\xbd"
                                 "c\\x0d\n";
    for (size_t size = 1; size < sizeof in; size++) {
        struct tk_terminal_filter f = {0};
        got[0] = 0;
        for (size_t at = 0; at < sizeof in - 1; at += size)
            tk_terminal_filter_put(&f, in + at, size < sizeof in - 1 - at ? size : sizeof in - 1 - at, add,
                                   NULL);
        ck_assert_str_eq(got, wanted);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {pieces};
    return RUN_TESTS("terminal filter", tests);
}
