/*
 * Sketches against sorted values.
 */
#include "run.h"
#include "table/sketch.h"

#include <stdbool.h>
#include <string.h>

static uint64_t state = 3;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Values of every size. */
static uint64_t draw_value(unsigned most_bits)
{
    return draw() >> (64 - 1 - (draw() >> 20) % most_bits);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Is v what a sketch may say for `exact`: off by at most exact / 2^(bits+1)? */
static bool near(unsigned bits, uint64_t v, uint64_t exact)
{
    uint64_t off = v > exact ? v - exact : exact - v;
    return off <= exact >> (bits + 1);
}

START_TEST(buckets_cover_all_values)
{
    for (unsigned bits = 4; bits <= 7; bits++) {
        uint32_t before = 0;
        for (unsigned e = 0; e < 64; e++) {
            for (unsigned i = 0; i < 300; i++) {
                uint64_t v = (UINT64_C(1) << e) + (e ? draw() >> (64 - e) : 0);
                must(near(bits, tk_sketch_value(bits, tk_sketch_bucket(bits, v)), v));
            }
            /* the borders of the octave */
            uint32_t first = tk_sketch_bucket(bits, UINT64_C(1) << e);
            uint32_t last = tk_sketch_bucket(bits, ((UINT64_C(1) << e) - 1) * 2 + 1);
            ck_assert_uint_eq(first, before + 1);
            ck_assert_uint_le(last - first + 1, 1u << bits);
            before = last;
        }
        ck_assert_uint_eq(before, ((64 - bits) << bits) + (1u << bits) - 1);
    }
}
END_TEST

START_TEST(small_values_are_exact)
{
    for (unsigned bits = 6; bits <= 7; bits++)
        for (uint64_t v = 0; v < UINT64_C(2) << bits; v++)
            ck_assert_uint_eq(tk_sketch_value(bits, tk_sketch_bucket(bits, v)), v);
}
END_TEST

START_TEST(ranks)
{
    ck_assert_uint_eq(tk_sketch_rank(1, 50, 100), 1);
    ck_assert_uint_eq(tk_sketch_rank(4, 50, 100), 2);
    ck_assert_uint_eq(tk_sketch_rank(5, 50, 100), 3);
    ck_assert_uint_eq(tk_sketch_rank(100, 95, 100), 95);
    ck_assert_uint_eq(tk_sketch_rank(101, 95, 100), 96);
    ck_assert_uint_eq(tk_sketch_rank(1000, 999, 1000), 999);
    ck_assert_uint_eq(tk_sketch_rank(1001, 999, 1000), 1000);
    ck_assert_uint_eq(tk_sketch_rank(7, 0, 100), 1);
    ck_assert_uint_eq(tk_sketch_rank(7, 100, 100), 7);
    ck_assert_uint_eq(tk_sketch_rank(UINT64_MAX, 100, 100), UINT64_MAX);
    ck_assert_uint_eq(tk_sketch_rank(0, 50, 100), 1);
}
END_TEST

/* Values in one sketch, and the same dealt out to three that are merged. */
static void check_values(unsigned bits, uint64_t *v, size_t n)
{
    struct tk_sketch one, parts[3];
    tk_sketch_init(&one, bits);
    for (unsigned i = 0; i < 3; i++)
        tk_sketch_init(&parts[i], bits);
    for (size_t i = 0; i < n; i++) {
        must(tk_sketch_add(&one, bits, v[i]) == 0);
        must(tk_sketch_add(&parts[draw() % 3], bits, v[i]) == 0);
    }
    ck_assert_int_eq(tk_sketch_merge(&parts[2], &parts[0]), 0);
    ck_assert_int_eq(tk_sketch_merge(&parts[2], &parts[1]), 0);
    ck_assert_uint_eq(tk_sketch_count(&one), n);
    ck_assert_uint_eq(tk_sketch_count(&parts[2]), n);
    qsort(v, n, sizeof *v, by_value);
    for (size_t rank = 1; rank <= n; rank++) {
        uint64_t is = tk_sketch_ranked(&one, rank);
        must(near(bits, is, v[rank - 1]));
        must(tk_sketch_ranked(&parts[2], rank) == is);
    }
    ck_assert_uint_eq(tk_sketch_ranked(&one, n + 1), 0);
    tk_sketch_release(&one);
    for (unsigned i = 0; i < 3; i++)
        tk_sketch_release(&parts[i]);
}

START_TEST(percentiles_of_values)
{
    static uint64_t v[3000];
    for (unsigned i = 0; i < 60; i++) {
        size_t n = (size_t)(draw() % 3000);
        unsigned most = 1 + draw() % 64;
        for (size_t k = 0; k < n; k++)
            v[k] = draw_value(most);
        check_values(i % 2 ? TK_SKETCH_CALLS : TK_SKETCH_FRAMES, v, n);
    }
}
END_TEST

/* Counters are small: more values than one holds are not lost, also when the range grows and sketches are
 * merged. */
START_TEST(full_counters_spill)
{
    struct tk_sketch s, other;
    tk_sketch_init(&s, 6);
    tk_sketch_init(&other, 6);
    for (uint32_t i = 0; i < 200000; i++)
        must(tk_sketch_add(&s, 6, 1000) == 0);
    ck_assert_int_eq(tk_sketch_add(&s, 6, 5), 0);
    ck_assert_int_eq(tk_sketch_add(&s, 6, UINT64_MAX), 0);
    ck_assert_int_eq(tk_sketch_add_n(&s, tk_sketch_bucket(6, 5), 70000), 0);
    ck_assert_int_eq(tk_sketch_add_n(&other, tk_sketch_bucket(6, 1000), UINT64_C(1) << 40), 0);
    ck_assert_int_eq(tk_sketch_add_n(&other, tk_sketch_bucket(6, 7), 0), 0);
    ck_assert_int_eq(tk_sketch_merge(&s, &other), 0);
    ck_assert_uint_eq(tk_sketch_count_at(&s, tk_sketch_bucket(6, 1000)), (UINT64_C(1) << 40) + 200000);
    ck_assert_uint_eq(tk_sketch_count_at(&s, tk_sketch_bucket(6, 5)), 70001);
    ck_assert_uint_eq(tk_sketch_count_at(&s, tk_sketch_bucket(6, UINT64_MAX)), 1);
    ck_assert_uint_eq(tk_sketch_count_at(&s, tk_sketch_bucket(6, 7)), 0);
    ck_assert_uint_eq(tk_sketch_count(&s), (UINT64_C(1) << 40) + 270002);
    ck_assert_uint_eq(tk_sketch_ranked(&s, 70001), 5);
    ck_assert(near(6, tk_sketch_ranked(&s, 70002), 1000));
    tk_sketch_release(&s);
    tk_sketch_release(&other);
}
END_TEST

/* Around the sizes at which counters grow, one by one and at once, with neighbours that must keep theirs. */
START_TEST(counters_grow)
{
    static const uint32_t borders[] = {255, 65535};
    for (unsigned b = 0; b < 2; b++)
        for (uint32_t n = borders[b] - 1; n <= borders[b] + 2; n++)
            for (uint32_t first = 0; first <= n; first += n / 2 + 1) {
                struct tk_sketch s;
                tk_sketch_init(&s, 6);
                for (uint32_t value = 30; value < 40; value++)
                    for (uint32_t i = 0; i < value; i++)
                        ck_assert_int_eq(tk_sketch_add(&s, 6, value), 0);
                ck_assert_int_eq(tk_sketch_add_n(&s, 35, first), 0);
                for (uint32_t i = first; i < n; i++)
                    ck_assert_int_eq(tk_sketch_add(&s, 6, 35), 0);
                for (uint32_t value = 0; value < 64; value++)
                    ck_assert_uint_eq(tk_sketch_count_at(&s, value),
                                      (value == 35 ? n : 0) + (value >= 30 && value < 40 ? value : 0));
                tk_sketch_release(&s);
            }
}
END_TEST

/* Numbers of all sizes in buckets that come in any order, against an array. */
START_TEST(large_numbers_lie_anywhere)
{
    enum { BUCKETS = 700 };
    static uint64_t truth[BUCKETS];
    struct tk_sketch s, twice;
    tk_sketch_init(&s, 6);
    tk_sketch_init(&twice, 6);
    for (unsigned i = 0; i < 4000; i++) {
        const uint32_t bucket = (uint32_t)(draw() >> 40) % BUCKETS;
        const uint64_t n = bucket % 3 ? draw() >> 63 : draw_value(45);
        truth[bucket] += n;
        ck_assert_int_eq(tk_sketch_add_n(&s, bucket, n), 0);
    }
    ck_assert_int_eq(tk_sketch_merge(&twice, &s), 0);
    ck_assert_int_eq(tk_sketch_merge(&twice, &s), 0);
    uint64_t all = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        all += truth[i];
        must(tk_sketch_count_at(&s, i) == truth[i]);
        must(tk_sketch_count_at(&twice, i) == 2 * truth[i]);
        if (truth[i])
            must(tk_sketch_ranked(&s, all) == tk_sketch_value(6, i));
    }
    ck_assert_uint_eq(tk_sketch_count(&s), all);
    tk_sketch_release(&s);
    tk_sketch_release(&twice);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {buckets_cover_all_values,  small_values_are_exact, ranks,
                                  percentiles_of_values,     full_counters_spill,    counters_grow,
                                  large_numbers_lie_anywhere};
    return RUN_TESTS("sketch", tests);
}
