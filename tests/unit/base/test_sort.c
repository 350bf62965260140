/* Sorting. */
#include "base/sort.h"
#include "run.h"

#include <stdint.h>
#include <string.h>

struct item {
    uint32_t key, place;
};

static int by_key(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

START_TEST(sorts_and_keeps_ties)
{
    enum { MOST = 300 };
    struct item v[MOST];
    uint32_t seed = 1;
    for (size_t n = 0; n <= MOST; n++) {
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            v[i] = (struct item){.key = seed >> 24 & 15, .place = i};
        }
        ck_assert_int_eq(tk_sort(v, n, sizeof *v, by_key), 0);
        uint64_t places = 0;
        for (size_t i = 0; i < n; i++) {
            places += v[i].place;
            if (i > 0)
                ck_assert(v[i - 1].key < v[i].key ||
                          (v[i - 1].key == v[i].key && v[i - 1].place < v[i].place));
        }
        ck_assert_uint_eq(places, n ? n * (n - 1) / 2 : 0);
    }
}
END_TEST

START_TEST(sorts_in_place)
{
    enum { MOST = 300 };
    struct item v[MOST], spare;
    uint32_t seed = 7;
    for (size_t n = 0; n <= MOST; n++) {
        uint32_t left[16] = {0};
        uint64_t places = 0, seen = 0;
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            v[i] = (struct item){.key = seed >> 24 & 15, .place = i};
            left[v[i].key]++;
            places += UINT64_C(1) << i % 60;
        }
        tk_sort_in_place(v, n, sizeof *v, by_key, &spare);
        for (size_t i = 0; i < n; i++) {
            ck_assert(i == 0 || v[i - 1].key <= v[i].key);
            ck_assert_uint_gt(left[v[i].key]--, 0);
            seen += UINT64_C(1) << v[i].place % 60;
        }
        ck_assert_uint_eq(seen, places);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sorts_and_keeps_ties, sorts_in_place};
    return RUN_TESTS("sort", tests);
}
