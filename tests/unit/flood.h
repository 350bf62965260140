/*
 * Makes keys that a mix without a secret puts in one slot, by undoing the mix: what somebody can do who wants
 * a capture to take hours.
 */
#ifndef TK_TESTS_UNIT_FLOOD_H
#define TK_TESTS_UNIT_FLOOD_H

#include <stdint.h>

enum { FLOOD = 20000 };

/* v with v ^ v >> by undone. */
static inline uint64_t flood_unshift(uint64_t v, unsigned by)
{
    uint64_t back = v;
    for (unsigned done = by; done < 64; done += by)
        back = v ^ back >> by;
    return back;
}

/* The inverse of an odd number, modulo 2^64, by Newton's method. */
static inline uint64_t flood_inverse(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int i = 0; i < 6; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* The number that tk_mix makes v of. */
static inline uint64_t flood_unmix(uint64_t v)
{
    v = flood_unshift(v, 31) * flood_inverse(UINT64_C(0x94d049bb133111eb));
    v = flood_unshift(v, 27) * flood_inverse(UINT64_C(0xbf58476d1ce4e5b9));
    return flood_unshift(v, 30);
}

#endif
