/* Hash map and hash functions. */
#include "base/hash.h"
#include "run.h"

START_TEST(map_finds_what_was_put)
{
    enum { N = 200000 };
    struct tk_map m = {0};
    ck_assert_uint_eq(tk_map_get(&m, 5), TK_MAP_NONE);
    for (uint32_t i = 0; i < N; i++)
        ck_assert_int_eq(tk_map_put(&m, (uint64_t)i << 32, i), 0);
    ck_assert_uint_eq(m.count, N);
    ck_assert_uint_gt(m.mask, N);
    for (uint32_t i = 0; i < N; i++) {
        ck_assert_uint_eq(tk_map_get(&m, (uint64_t)i << 32), i);
        ck_assert_uint_eq(tk_map_get(&m, ((uint64_t)i << 32) + 1), TK_MAP_NONE);
    }
    tk_map_release(&m);
    ck_assert_ptr_null(m.slots);
}
END_TEST

START_TEST(map_replaces_values)
{
    struct tk_map m = {0};
    const uint64_t keys[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63};
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 4; i++)
            ck_assert_int_eq(tk_map_put(&m, keys[i], 10 * round + i), 0);
        ck_assert_uint_eq(m.count, 4);
    }
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_uint_eq(tk_map_get(&m, keys[i]), 20 + i);
    tk_map_release(&m);
}
END_TEST

/* A full table would never end a search for a missing key: the map must grow before. */
START_TEST(map_always_has_empty_slots)
{
    struct tk_map m = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        ck_assert_int_eq(tk_map_put(&m, i, i), 0);
        ck_assert_uint_le(m.count * 4, (m.mask + 1) * 3);
        ck_assert_uint_eq(tk_map_get(&m, i + 1), TK_MAP_NONE);
    }
    tk_map_release(&m);
}
END_TEST

/* Computed by a program in another language from the definition; files may hold such numbers. */
START_TEST(hashes_are_fixed)
{
    ck_assert_uint_eq(tk_hash_u64(0), 0);
    ck_assert_uint_eq(tk_hash_u64(1), UINT64_C(0x5692161d100b05e5));
    ck_assert_uint_eq(tk_hash_u64(UINT64_MAX), UINT64_C(0xb4d055fcf2cbbd7b));
    ck_assert_uint_eq(tk_hash_bytes("", 0, 0), 0);
    ck_assert_uint_eq(tk_hash_bytes("a", 1, 0), UINT64_C(0x3c5019c546843bb4));
    ck_assert_uint_eq(tk_hash_bytes("12345678", 8, 0), UINT64_C(0xa6ea4506c0f135d1));
    ck_assert_uint_eq(tk_hash_bytes("FrameTime of the game", 21, 7), UINT64_C(0x7aac19181bf47678));
}
END_TEST

START_TEST(length_counts)
{
    const char zeros[16] = {0};
    for (size_t n = 0; n < 16; n++) {
        for (size_t k = 0; k < n; k++)
            ck_assert_uint_ne(tk_hash_bytes(zeros, n, 1), tk_hash_bytes(zeros, k, 1));
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        map_finds_what_was_put, map_replaces_values, map_always_has_empty_slots,
        hashes_are_fixed,       length_counts,
    };
    return RUN_TESTS("hash", tests);
}
