/*
 * A checksum of bytes that is the same for ever and everywhere: files hold it. Tables in memory do not use
 * it, because who knows it can make as many keys of one slot as he likes: see hash.h.
 */
#ifndef TK_BASE_HASH_CHECKSUM_H
#define TK_BASE_HASH_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Two rounds of xor-shift and multiplication by odd constants: every bit of v reaches every bit of the
 * result, and no two v have the same. */
static inline uint64_t tk_mix(uint64_t v)
{
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

uint64_t tk_checksum(const void *p, size_t n, uint64_t seed);

/* Another one, of four sums that do not wait for each other: for megabytes. */
uint64_t tk_checksum_wide(const void *p, size_t n, uint64_t seed);

#endif
