/* Which numbers of a column make a dictionary: as many as a quarter of the rows may differ, wherever they
 * stand. */
#include "run.h"
#include "sink/columns/columns_in.h"

#include <stdlib.h>

enum { ROWS = 100000, FREE = 64 };

static struct tk_numbers *numbers;
static uint64_t v[ROWS], places[ROWS];

static void make(void)
{
    numbers = calloc(1, sizeof *numbers);
    ck_assert_ptr_nonnull(numbers);
}

static void drop(void)
{
    free(numbers);
}

/* The first `different` rows differ from each other, all others repeat one of them. */
static bool find_few(size_t n, size_t different)
{
    for (size_t i = 0; i < n; i++)
        v[i] = i < different ? 1000 + 7 * i : 1000 + 7 * ((i * 31) % different);
    return tk_numbers_find(numbers, v, n, places);
}

/* Durations of scopes: what comes first is new, and what follows was there before. */
START_TEST(differ_at_first)
{
    ck_assert(find_few(ROWS, 20000));
    ck_assert_uint_eq(numbers->n, 20000);
    for (size_t i = 0; i < ROWS; i++)
        ck_assert_uint_eq(numbers->list[places[i]], v[i]);
}
END_TEST

START_TEST(too_many)
{
    ck_assert(find_few(ROWS, FREE + ROWS / 4));
    ck_assert(!find_few(ROWS, FREE + ROWS / 4 + 1));
    ck_assert(find_few(40, 40));
    ck_assert(!find_few(1000, 1000));
}
END_TEST

/* What was found before says nothing about the next column. */
START_TEST(twice)
{
    ck_assert(find_few(1000, 200));
    ck_assert(find_few(1000, 100));
    ck_assert_uint_eq(numbers->n, 100);
    ck_assert_uint_eq(numbers->list[places[999]], v[999]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {differ_at_first, too_many, twice};
    return RUN_TESTS_AROUND("numbers", tests, make, drop);
}
