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

/*
 * Conversion of real numbers to integers, and products, that saturate. Sums of damaged captures and of saved
 * runs can be any number; one beyond 64 bits becomes the nearest limit, and NaN becomes 0.
 */

static inline int64_t tk_saturate_i64(double v)
{
    if (v >= 0x1p63)
        return INT64_MAX;
    return v >= -0x1p63 ? (int64_t)v : v < 0 ? INT64_MIN : 0;
}

static inline uint64_t tk_saturate_u64(double v)
{
    if (v >= 0x1p64)
        return UINT64_MAX;
    return v > 0 ? (uint64_t)v : 0;
}

/* a * times; INT64_MIN and INT64_MAX, which stand for "none" in places, stay what they are. */
static inline int64_t tk_saturate_times(int64_t a, uint32_t times)
{
    const int64_t by = times;
    if (by > 0 && a > INT64_MAX / by)
        return INT64_MAX;
    return by > 0 && a < INT64_MIN / by ? INT64_MIN : a * by;
}

#endif
