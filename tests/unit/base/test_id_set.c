/* Numbers in use: dense ones, far ones, and those that nobody added. */
#include "base/hash.h"
#include "run.h"

START_TEST(has_what_was_added)
{
    const uint64_t added[] = {0, 63, 64, 1000000, TK_ID_SET_DENSE - 1, TK_ID_SET_DENSE, UINT64_MAX},
                   others[] = {1, 62, 65, 999999, TK_ID_SET_DENSE - 2, TK_ID_SET_DENSE + 1, UINT64_MAX - 1};
    struct tk_id_set s = {0};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        ck_assert(!tk_id_set_has(&s, added[i]));
        ck_assert_int_eq(tk_id_set_add(&s, added[i]), 0);
        ck_assert_int_eq(tk_id_set_add(&s, added[i]), 0);
        ck_assert(tk_id_set_has(&s, added[i]));
    }
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        ck_assert(tk_id_set_has(&s, added[i]));
        ck_assert(!tk_id_set_has(&s, others[i]));
    }
    ck_assert_uint_le(s.bits.cap, TK_ID_SET_DENSE / 64 * 2);
    tk_id_set_release(&s);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {has_what_was_added};
    return RUN_TESTS("id_set", tests);
}
