/*
 * The checksum of bytes. Baselines hold it; hash.c makes hashes of it.
 */
#include "base/hash/checksum.h"

#include "base/cursor.h"

uint64_t tk_checksum(const void *p, size_t n, uint64_t seed)
{
    const uint8_t *b = p;
    uint64_t h = seed ^ (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = 0;
    for (; n - at >= 8; at += 8)
        h = tk_mix(h ^ tk_load64(b + at));
    if (at < n)
        h = tk_mix(h ^ tk_load_le(b + at, n - at));
    return tk_mix(h);
}
