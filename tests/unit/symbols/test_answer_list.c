/* Answers that are added in several goes, and requested in any order, against a plain table. */
#include "run.h"
#include "symbols/symbols_in.h"

enum { ADDRESSES = 600 };

/* Every seventh address of the first, every second of the others. */
static size_t take(struct tk_sym_question *out, bool taken[ADDRESSES], size_t from, size_t step)
{
    size_t n = 0;
    for (size_t i = from; i < ADDRESSES; i += step)
        if (!taken[i]) {
            out[n++] = (struct tk_sym_question){.address = 16 * i, .first = (uint32_t)i, .n = i % 3 ? 1 : 0};
            taken[i] = true;
        }
    return n;
}

static void check(struct tk_answer_list *list, const bool taken[ADDRESSES], size_t i)
{
    const struct tk_sym_question *found = tk_answer_list_find(list, 16 * i);
    ck_assert_int_eq(found != NULL, taken[i]);
    ck_assert(!found || (found->address == 16 * i && found->first == i && found->n == (i % 3 ? 1 : 0)));
    ck_assert_ptr_null(tk_answer_list_find(list, 16 * i + 1));
}

START_TEST(finds_what_was_added)
{
    struct tk_answer_list list = {.at = 0};
    struct tk_sym_question more[ADDRESSES];
    bool taken[ADDRESSES] = {false};
    static const size_t goes[][2] = {{300, 7}, {1, 2}, {ADDRESSES, 1}, {0, 7}, {0, 2}};
    check(&list, taken, 0);
    for (size_t go = 0; go < sizeof goes / sizeof *goes; go++) {
        const size_t n = take(more, taken, goes[go][0], goes[go][1]);
        ck_assert_int_eq(tk_answer_list_add(&list, more, n), 0);
        for (size_t i = 0; i < ADDRESSES; i++) /* in order, backwards, and far apart */
            check(&list, taken, i);
        for (size_t i = ADDRESSES; i-- > 0;)
            check(&list, taken, i);
        for (size_t i = 0; i < ADDRESSES; i++)
            check(&list, taken, i * 367 % ADDRESSES);
    }
    ck_assert_uint_eq(list.v.n, ADDRESSES);
    tk_answer_list_release(&list);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {finds_what_was_added};
    return RUN_TESTS("answer list", tests);
}
