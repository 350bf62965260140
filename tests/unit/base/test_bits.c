/* Bits of numbers in the way of the compiler. test_bits_plain.c has the same in plain C. */
#include "base/arena.h"
#include "base/bits.h"
#include "run.h"

#include <string.h>

START_TEST(zeros_around_every_bit)
{
    for (unsigned i = 0; i < 64; i++) {
        ck_assert_uint_eq(tk_zeros_below(UINT64_C(1) << i), i);
        ck_assert_uint_eq(tk_zeros_above(UINT64_C(1) << i), 63 - i);
        ck_assert_uint_eq(tk_zeros_below(UINT64_MAX << i), i);
        ck_assert_uint_eq(tk_zeros_above(UINT64_MAX >> i), i);
    }
}
END_TEST

START_TEST(hints_change_nothing)
{
    int n = 0;
    tk_prefetch(&n);
    tk_prefetch_write((int *)NULL);
    ck_assert(tk_rarely(n == 0));
    ck_assert(!tk_rarely(n));
    ck_assert(tk_rarely((uint64_t)(n + 1) << 40)); /* where a long has 32 bits, too */
}
END_TEST

START_TEST(aligned_memory_can_be_written)
{
    for (size_t align = sizeof(void *); align <= 4096; align *= 2)
        for (size_t n = 1; n < 300; n += 37) {
            unsigned char *p = tk_aligned_alloc(align, n);
            ck_assert_ptr_nonnull(p);
            ck_assert_uint_eq((uintptr_t)p % align, 0);
            memset(p, 0xff, n);
            tk_aligned_free(p);
        }
    ck_assert_ptr_null(tk_aligned_alloc(64, SIZE_MAX));
    tk_aligned_free(NULL);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {zeros_around_every_bit, hints_change_nothing,
                                  aligned_memory_can_be_written};
    return RUN_TESTS("base-bits", tests);
}
