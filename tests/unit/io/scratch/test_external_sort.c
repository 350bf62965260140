/*
 * Sorter: records of all sizes come back in order, however often they had to be merged.
 */
#include "io/scratch/spill.h"
#include "run.h"

#include <string.h>

struct record {
    uint64_t key;
    char rest[40];
};

static int compare(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* A permutation of 0..n-1 for an odd factor that has nothing in common with n. */
static uint64_t key_of(uint64_t i, uint64_t n)
{
    return i * UINT64_C(1000003) % n;
}

static void check_order(struct tk_external_sort *s, uint64_t n)
{
    const void *next = NULL;
    ck_assert_int_eq(tk_external_sort_start(s, NULL), TK_OK);
    for (uint64_t i = 0; i < n; i++) {
        ck_assert_int_eq(tk_external_sort_next(s, &next, NULL), TK_ITEM);
        const struct record *r = next;
        ck_assert_uint_eq(r->key, i);
        ck_assert_int_eq(r->rest[0], (char)i);
    }
    ck_assert_int_eq(tk_external_sort_next(s, &next, NULL), TK_OK);
}

/* None, one, what fits in memory, what does not, more runs than can be merged at once. */
static const uint64_t counts[] = {0, 1, 2, 1000, 5461, 5462, 20000, 100000};

START_TEST(comes_in_order)
{
    const uint64_t n = counts[_i];
    struct tk_external_sort *s;
    ck_assert_int_eq(tk_external_sort_open(&s, NULL, sizeof(struct record), compare, 1, NULL), TK_OK);
    for (uint64_t i = 0; i < n; i++) {
        struct record r = {.key = key_of(i, n)};
        r.rest[0] = (char)r.key;
        ck_assert_int_eq(tk_external_sort_add(s, &r, NULL), TK_OK);
    }
    check_order(s, n);
    check_order(s, n);
    tk_external_sort_close(s);
}
END_TEST

START_TEST(says_where_it_cannot_spill)
{
    struct tk_err err = {0};
    struct tk_external_sort *s;
    struct record r = {0};
    int rc = TK_OK;
    ck_assert_int_eq(tk_external_sort_open(&s, "/no/such/folder", sizeof r, compare, 1, &err), TK_OK);
    for (int i = 0; i < 10000 && rc == TK_OK; i++)
        rc = tk_external_sort_add(s, &r, &err);
    ck_assert_int_eq(rc, TK_EOUTPUT);
    ck_assert_uint_ge(err.n, 1);
    tk_external_sort_close(s);
}
END_TEST

int main(void)
{
    const TTest *const orders[] = {comes_in_order};
    const TTest *const failures[] = {says_where_it_cannot_spill};
    int failed = RUN_TESTS_EACH("sorter", orders, sizeof counts / sizeof counts[0]);
    return RUN_TESTS("sorter failures", failures) || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
