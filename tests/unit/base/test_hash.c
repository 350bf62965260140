/* Hash map, hash functions, and the checksum that files hold. */
#include "base/checksum.h"
#include "base/hash.h"
#include "flood.h"
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

START_TEST(map_gets_or_puts)
{
    enum { N = 5000 };
    struct tk_map m = {0};
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(tk_map_get_or_put(&m, i % 1000, i), i % 1000); /* the first that was put stays */
    ck_assert_uint_eq(m.count, 1000);
    ck_assert_int_eq(tk_map_put(&m, 7, 70), 0);
    ck_assert_uint_eq(tk_map_get_or_put(&m, 7, 71), 70);
    ck_assert_uint_eq(tk_map_get(&m, 7), 70);
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

/* Computed by a program in another language from the definition; files hold such numbers. */
START_TEST(checksums_are_fixed)
{
    ck_assert_uint_eq(tk_mix(0), 0);
    ck_assert_uint_eq(tk_mix(1), UINT64_C(0x5692161d100b05e5));
    ck_assert_uint_eq(tk_mix(UINT64_MAX), UINT64_C(0xb4d055fcf2cbbd7b));
    ck_assert_uint_eq(tk_checksum("", 0, 0), 0);
    ck_assert_uint_eq(tk_checksum("a", 1, 0), UINT64_C(0x3c5019c546843bb4));
    ck_assert_uint_eq(tk_checksum("12345678", 8, 0), UINT64_C(0xa6ea4506c0f135d1));
    ck_assert_uint_eq(tk_checksum("FrameTime of the game", 21, 7), UINT64_C(0x7aac19181bf47678));
    uint8_t counted[100];
    for (unsigned i = 0; i < sizeof counted; i++)
        counted[i] = (uint8_t)i;
    ck_assert_uint_eq(tk_checksum_wide("", 0, 0), UINT64_C(0xa55bdf37c08724b5));
    ck_assert_uint_eq(tk_checksum_wide(counted, 31, 9), UINT64_C(0x1b3a516039480bd5));
    ck_assert_uint_eq(tk_checksum_wide(counted, 32, 9), UINT64_C(0xf819a8c49518e068));
    ck_assert_uint_eq(tk_checksum_wide(counted, 100, UINT64_MAX), UINT64_C(0x17f8ef4e302d0c87));
}
END_TEST

/* Nobody can set a key any more when it has been used. */
START_TEST(one_key_for_a_process)
{
    uint64_t key = tk_hash_key(), hash = tk_hash_u64(5);
    ck_assert_uint_ne(key, 0);
    tk_hash_propose_key(~key);
    ck_assert_uint_eq(tk_hash_key(), key);
    ck_assert_uint_eq(tk_hash_u64(5), hash);
    ck_assert_uint_eq(tk_hash_pair(5, 0), tk_hash_u64(hash));
}
END_TEST

/* Steps to find each of the keys once. */
static uint64_t probes_of_map(const struct tk_map *m)
{
    uint64_t probes = 0;
    for (size_t i = 0; i <= m->mask; i++)
        if (m->slots[i].value != TK_MAP_NONE)
            probes += ((i - (size_t)tk_hash_u64(m->slots[i].key)) & m->mask) + 1;
    return probes;
}

/* Keys that all belong in slot 0 for who does not know the key of the process: 200 million steps. Linear
 * probing needs 2.5 for each in a table that is full to three quarters. */
START_TEST(a_flood_costs_nothing)
{
    struct tk_map m = {0};
    for (uint32_t i = 0; i < FLOOD; i++) {
        uint64_t key = flood_unmix((uint64_t)(i + 1) << 24);
        ck_assert_uint_eq(tk_mix(key) & 0xffffff, 0);
        ck_assert_int_eq(tk_map_put(&m, key, i), 0);
    }
    ck_assert_uint_eq(m.count, FLOOD);
    ck_assert_uint_lt(probes_of_map(&m), UINT64_C(4) * FLOOD);
    tk_map_release(&m);
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
        map_finds_what_was_put, map_replaces_values,   map_gets_or_puts,      map_always_has_empty_slots,
        checksums_are_fixed,    one_key_for_a_process, a_flood_costs_nothing, length_counts,
    };
    return RUN_TESTS("hash", tests);
}
