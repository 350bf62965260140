/* A set of hashes. */
#include "base/hash.h"
#include "run.h"

enum { N = 100000 };

START_TEST(has_what_was_added_and_nothing_else)
{
    struct tk_hash_set s = {0};
    ck_assert(!tk_hash_set_has(&s, 0));
    for (uint64_t i = 0; i < N; i++) {
        must(!tk_hash_set_has(&s, tk_hash_u64(i)));
        must(tk_hash_set_add(&s, tk_hash_u64(i)) == 0);
        must(tk_hash_set_add(&s, tk_hash_u64(i / 2)) == 0); /* is there */
    }
    ck_assert_uint_eq(s.count, N);
    for (uint64_t i = 0; i < 2 * (uint64_t)N; i++)
        must(tk_hash_set_has(&s, tk_hash_u64(i)) == (i < N));
    ck_assert_uint_le(s.n_slots * sizeof *s.slots, N * 13);
    tk_hash_set_release(&s);
    ck_assert_ptr_null(s.slots);
    ck_assert(!tk_hash_set_has(&s, tk_hash_u64(1)));
}
END_TEST

/* At both ends of the table, where those that find their place taken go on at its begin. */
START_TEST(the_last_place_goes_on_at_the_first)
{
    struct tk_hash_set s = {0};
    for (uint64_t i = 0; i < 8; i++) {
        ck_assert_int_eq(tk_hash_set_add(&s, UINT64_MAX - i), 0);
        ck_assert_int_eq(tk_hash_set_add(&s, i), 0);
    }
    for (uint64_t i = 0; i < 8; i++) {
        ck_assert(tk_hash_set_has(&s, UINT64_MAX - i));
        ck_assert(tk_hash_set_has(&s, i));
    }
    ck_assert(!tk_hash_set_has(&s, 8));
    ck_assert(!tk_hash_set_has(&s, UINT64_MAX - 8));
    tk_hash_set_release(&s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {has_what_was_added_and_nothing_else, the_last_place_goes_on_at_the_first};
    return RUN_TESTS("set of hashes", tests);
}
