/* Tests of the options about which allocations are displayed as alive. */
#include "args/endings.h"
#include "run.h"

#include <string.h>

static bool fill(struct tk_memory_query *out, const char *at, size_t n, char *a, char *b, char *c,
                 char *message)
{
    char *words[] = {a, b, c};
    struct tk_memory_args args = {.at = at, .window = {words, n}};
    struct tk_query query = TK_INIT(struct tk_query);
    const bool good = tk_memory_fill(&query, &args, message);
    *out = query.memory;
    return good;
}

START_TEST(moments_and_windows)
{
    char message[TK_OPT_MESSAGE];
    struct tk_memory_query q;
    ck_assert(fill(&q, NULL, 0, NULL, NULL, NULL, message));
    ck_assert(!q.has_at && !q.has_window);
    ck_assert(fill(&q, "1.5s", 0, NULL, NULL, NULL, message));
    ck_assert(q.has_at && !q.has_window);
    ck_assert_int_eq(q.at_ns, 1500000000);
    ck_assert(fill(&q, NULL, 2, "1ms", "2ms", NULL, message));
    ck_assert(!q.has_at && q.has_window);
    ck_assert_int_eq(q.from_ns, 1000000);
    ck_assert_int_eq(q.to_ns, 2000000);
    ck_assert(fill(&q, NULL, 3, "0", "2us", "3us", message));
    ck_assert(q.has_at && q.has_window);
    ck_assert_int_eq(q.at_ns, 3000);
    ck_assert(fill(&q, "5us", 2, "0", "2us", NULL, message));
    ck_assert(q.has_at && q.has_window);
    ck_assert_int_eq(q.at_ns, 5000);
}
END_TEST

START_TEST(options_that_are_wrong)
{
    char message[TK_OPT_MESSAGE];
    struct tk_memory_query q;
    ck_assert(!fill(&q, "soon", 0, NULL, NULL, NULL, message));
    ck_assert_ptr_nonnull(strstr(message, "'--at'"));
    ck_assert(!fill(&q, NULL, 1, "1", NULL, NULL, message));
    ck_assert(!fill(&q, NULL, 2, "1", "x", NULL, message));
    ck_assert_ptr_nonnull(strstr(message, "'x'"));
    ck_assert(!fill(&q, NULL, 2, "2", "1", NULL, message));
    ck_assert(!fill(&q, NULL, 2, "1", "1", NULL, message));
    ck_assert(!fill(&q, "5", 3, "1", "2", "3", message));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {moments_and_windows, options_that_are_wrong};
    return RUN_TESTS("memory", tests);
}
