/*
 * Whole numbers of real ones. Sums of damaged captures and saved runs can be anything, and what no 64 bits
 * hold must not be undefined: it becomes the nearest number that they do. What is no number is 0.
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
