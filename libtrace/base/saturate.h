/*
 * Conversion of real numbers to integers that saturates. Sums of damaged captures and of saved runs can be
 * any number; one beyond 64 bits becomes the nearest limit, and NaN becomes 0.
 */
#ifndef TK_BASE_SATURATE_H
#define TK_BASE_SATURATE_H

#include <stdint.h>

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

#endif
