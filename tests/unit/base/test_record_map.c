/* Records that come and go, against a plain list. */
#include "base/record_map.h"
#include "run.h"

#include <stdbool.h>

#define KEYS 300

static uint32_t turn(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

START_TEST(as_a_plain_list)
{
    struct tk_record_map l;
    uint64_t value[KEYS] = {0};
    bool there[KEYS] = {false};
    size_t count = 0;
    uint32_t seed = 7;
    tk_record_map_init(&l, sizeof(uint64_t));
    ck_assert_ptr_null(tk_record_map_get(&l, 0));
    tk_record_map_remove(&l, 0);
    for (uint64_t i = 0; i < 20000; i++) {
        uint32_t k = turn(&seed) % KEYS;
        uint64_t key = (uint64_t)k << 40 | (k & 3 ? 0 : k); /* neighbours and far ones; 0 is a key, too */
        uint64_t *record = tk_record_map_get(&l, key);
        ck_assert_int_eq(record != NULL, there[k]);
        ck_assert(!record || *record == value[k]);
        if (turn(&seed) % 2) {
            ck_assert_ptr_nonnull(record = tk_record_map_put(&l, key));
            ck_assert_uint_eq(*record, 0);
            *record = value[k] = i + 1;
            count += !there[k];
            there[k] = true;
        } else {
            tk_record_map_remove(&l, key);
            count -= there[k];
            there[k] = false;
        }
        ck_assert_uint_eq(l.count, count);
    }
    ck_assert_uint_le(l.n, KEYS);
    tk_record_map_release(&l);
}
END_TEST

/* Places are taken again, and the way over them depends on nothing but what was done. */
START_TEST(places)
{
    struct tk_record_map l;
    uint64_t key;
    tk_record_map_init(&l, 4);
    for (uint64_t i = 0; i < 4; i++)
        ck_assert_ptr_nonnull(tk_record_map_put(&l, i));
    tk_record_map_remove(&l, 1);
    ck_assert_ptr_null(tk_record_map_at(&l, 1, &key));
    ck_assert_ptr_null(tk_record_map_at(&l, 4, &key));
    ck_assert_ptr_nonnull(tk_record_map_put(&l, 9));
    ck_assert_ptr_nonnull(tk_record_map_at(&l, 1, &key));
    ck_assert_uint_eq(key, 9);
    ck_assert_uint_eq(l.n, 4);
    tk_record_map_clear(&l);
    ck_assert_uint_eq(l.count, 0);
    ck_assert_ptr_null(tk_record_map_get(&l, 9));
    ck_assert_ptr_null(tk_record_map_at(&l, 1, &key));
    ck_assert_ptr_nonnull(tk_record_map_put(&l, 5));
    tk_record_map_release(&l);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {as_a_plain_list, places};
    return RUN_TESTS("live", tests);
}
