/*
 * The checksum of bytes. Baselines hold it; hash.c makes hashes of it.
 */
#include "base/checksum.h"

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

uint64_t tk_checksum_wide(const void *p, size_t n, uint64_t seed)
{
    const uint8_t *b = p;
    const size_t wide = n - n % 32;
    uint64_t h0 = seed, h1 = seed + 1, h2 = seed + 2, h3 = seed + 3;
    for (size_t at = 0; at < wide; at += 32) {
        h0 = tk_mix(h0 ^ tk_load64(b + at));
        h1 = tk_mix(h1 ^ tk_load64(b + at + 8));
        h2 = tk_mix(h2 ^ tk_load64(b + at + 16));
        h3 = tk_mix(h3 ^ tk_load64(b + at + 24));
    }
    const uint64_t rest = tk_checksum(wide < n ? b + wide : b, n - wide, seed ^ n);
    return tk_mix(tk_mix(tk_mix(tk_mix(rest ^ h0) ^ h1) ^ h2) ^ h3);
}
