/*
 * Places in sorted rows, against a look at each of them.
 */
#include "base/sort.h"
#include "run.h"

enum { MOST = 9 };

static size_t first_from(const int *v, size_t n, int value)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] >= value)
            return i;
    return n;
}

/* Rows of all lengths, with values that stand there once, twice, or not at all. */
START_TEST(places)
{
    static const int rows[][MOST] = {
        {1, 2, 3, 4, 5, 6, 7, 8, 9},
        {1, 1, 3, 3, 3, 6, 6, 9, 9},
        {4, 4, 4, 4, 4, 4, 4, 4, 4},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++)
        for (size_t n = 0; n <= MOST; n++)
            for (int value = 0; value <= MOST + 1; value++) {
                size_t at;
                TK_SEARCH(at, n, rows[row][at] < value);
                ck_assert_uint_eq(at, first_from(rows[row], n, value));
            }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {places};
    return RUN_TESTS("search", tests);
}
