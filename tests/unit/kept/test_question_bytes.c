/*
 * Keys of kept answers: questions that differ in one field have different keys.
 */
#include "kept/kept_in.h"
#include "query/query_fields.h"
#include "run.h"

#include <string.h>

enum { MOST = 120 };

struct question {
    const char *field;
    struct tk_query query;
};

static const char *const one[] = {"a", "b"}, *const other[] = {"ab"};
static const uint32_t numbers[] = {7, 8}, other_numbers[] = {9};

#define NEXT(name) (list[n].field = (name), &list[n++].query)

/* Two values of each kind that are not 0. */
#define VALUE_TEXT     "a", ""
#define VALUE_BOOL     true, true
#define VALUE_UNSIGNED 1, UINT32_MAX
#define VALUE_ENUM     1, 2
#define VALUE_I64      1, -1
#define VALUE_U64      1, UINT64_MAX
#define VALUE_REAL     1.0, 0.5

#define ADD_LIST(name, member, number)                                                                       \
    q = NEXT(name), q->member = one, q->number = 1;                                                          \
    q = NEXT(name), q->member = one, q->number = 2;                                                          \
    q = NEXT(name), q->member = other, q->number = 1;
#define ADD_TWO(kind, name, member, first, second)                                                           \
    NEXT(name)->member = first;                                                                              \
    if (strcmp(#kind, "BOOL") != 0)                                                                          \
        NEXT(name)->member = second;
#define ADD_EACH(kind, name, member, values) ADD_TWO(kind, name, member, values)
#define ADD_FIELD(kind, name, member)        ADD_EACH(kind, name, member, VALUE_##kind)
#define ADD_MARKED(kind, name, member, flag) ADD_FIELD(kind, name, member) NEXT(name)->flag = true;
#define ADD_NUMBERS(member, number)                                                                          \
    q = NEXT(#member), q->member = numbers, q->number = 1;                                                   \
    q = NEXT(#member), q->member = numbers, q->number = 2;                                                   \
    q = NEXT(#member), q->member = other_numbers, q->number = 1;

/* The question in which nothing is set, and those in which one field is. */
static size_t make_questions(struct question list[MOST])
{
    struct tk_query *q;
    size_t n = 0;
    (void)NEXT("nothing");
    TK_QUERY_FIELDS(ADD_LIST, ADD_FIELD, ADD_MARKED, ADD_NUMBERS)
    ck_assert_uint_le(n, MOST);
    return n;
}

START_TEST(each_field_counts)
{
    static struct question list[MOST];
    static struct tk_kept_bytes keys[MOST];
    const struct tk_context ctx = {.size = 1};
    const size_t n = make_questions(list);
    for (size_t i = 0; i < n; i++)
        tk_kept_question_put(&keys[i], &ctx, &list[i].query);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert_msg(keys[i].bytes.n != keys[j].bytes.n ||
                              memcmp(keys[i].bytes.v, keys[j].bytes.v, keys[i].bytes.n) != 0,
                          "%s (%zu) and %s (%zu) have one key", list[i].field, i, list[j].field, j);
    for (size_t i = 0; i < n; i++)
        tk_kept_release(&keys[i]);
}
END_TEST

START_TEST(what_is_known_counts)
{
    const struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_context before = {.size = 1}, after = {.size = 1, .read = true};
    struct tk_kept_bytes first = {.failed = false}, again = first, second = first;
    tk_kept_question_put(&first, &before, &query);
    tk_kept_question_put(&again, &before, &query);
    tk_kept_question_put(&second, &after, &query);
    ck_assert_uint_eq(first.bytes.n, again.bytes.n);
    ck_assert_mem_eq(first.bytes.v, again.bytes.v, first.bytes.n);
    ck_assert(first.bytes.n != second.bytes.n || memcmp(first.bytes.v, second.bytes.v, first.bytes.n) != 0);
    tk_kept_release(&first);
    tk_kept_release(&again);
    tk_kept_release(&second);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {each_field_counts, what_is_known_counts};
    return RUN_TESTS("keys of kept answers", tests);
}
