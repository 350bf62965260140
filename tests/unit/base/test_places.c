/* Places in a vector, found by hashes of what stands there. */
#include "base/hash.h"
#include "run.h"

enum { N = 50000 };

static uint64_t keys[N];

/* Sixteen keys have each hash. */
static uint64_t hash_of(uint64_t key)
{
    return tk_hash_u64(key / 16);
}

static uint64_t hash_at(const void *ctx, uint32_t place)
{
    return hash_of(((const uint64_t *)ctx)[place]);
}

static uint32_t find(const struct tk_places *p, uint64_t key)
{
    uint32_t place;
    for (size_t at = (size_t)hash_of(key); (place = tk_places_next(p, &at)) != TK_MAP_NONE;)
        if (keys[place] == key)
            break;
    return place;
}

START_TEST(finds_what_was_added)
{
    struct tk_places p = {0};
    ck_assert_uint_eq(find(&p, 0), TK_MAP_NONE);
    for (uint32_t i = 0; i < N; i++) {
        keys[i] = i * 3;
        if (i % 5) /* not all of a vector are in it */
            ck_assert_int_eq(tk_places_add(&p, i, hash_at, keys), 0);
    }
    ck_assert_uint_eq(p.count, N - N / 5);
    for (uint32_t i = 0; i < N; i++) {
        must(find(&p, i * 3) == (i % 5 ? i : TK_MAP_NONE));
        must(find(&p, i * 3 + 1) == TK_MAP_NONE);
    }
    ck_assert_int_eq(tk_places_add(&p, TK_MAP_NONE - 1, hash_at, keys), -1);
    tk_places_release(&p);
    ck_assert_ptr_null(p.slots);
    ck_assert_uint_eq(find(&p, 3), TK_MAP_NONE);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {finds_what_was_added};
    return RUN_TESTS("places", tests);
}
