/*
 * Sums and differences of times that wrap. Times of damaged captures can be any number, and arithmetic on
 * them must not overflow a signed type.
 */
#ifndef TK_BASE_WRAP_H
#define TK_BASE_WRAP_H

#include <stdint.h>

static inline int64_t tk_wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t tk_wrap_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

#endif
