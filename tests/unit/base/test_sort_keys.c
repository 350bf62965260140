/* Keys sorted digit by digit, against an insertion of each: order, ties, and keys of all widths. */
#include "base/sort.h"
#include "run.h"

#include <string.h>

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed ^ *seed >> 29;
}

/* Some keys differ in one digit alone, some in the highest bits, some are the same. */
static void check(size_t n, uint64_t mask, unsigned shift)
{
    enum { MOST = 3000 };
    static struct tk_sort_key v[MOST], simple[MOST];
    uint64_t seed = n + mask;
    for (size_t i = 0; i < n; i++) {
        v[i] = (struct tk_sort_key){(draw(&seed) & mask) << shift, (uint32_t)i};
        size_t at = i;
        for (; at && simple[at - 1].key > v[i].key; at--)
            simple[at] = simple[at - 1];
        simple[at] = v[i];
    }
    ck_assert_int_eq(tk_sort_keys(v, n), 0);
    for (size_t i = 0; i < n; i++) {
        ck_assert_uint_eq(v[i].key, simple[i].key);
        ck_assert_uint_eq(v[i].place, simple[i].place);
    }
}

START_TEST(sorts_and_keeps_ties)
{
    for (size_t n = 0; n <= 100; n++)
        check(n, 15, 0);
    static const uint64_t masks[] = {1, 0xff, 0xffff, 0xffffffff, UINT64_MAX};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        check(3000, masks[i], 0);
        check(3000, masks[i], 31);
        check(1000, masks[i], 62);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sorts_and_keeps_ties};
    return RUN_TESTS("sort keys", tests);
}
