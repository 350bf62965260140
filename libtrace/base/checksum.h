/*
 * A checksum of bytes that is the same for ever and everywhere: files hold it. Tables in memory do not use
 * it, because who knows it can make as many keys of one slot as he likes.
 */
#ifndef TK_BASE_CHECKSUM_H
#define TK_BASE_CHECKSUM_H

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

/*
 * SHA-256 (FIPS 180-4), and HMAC with it (RFC 2104): for words that nobody can guess without the key.
 * Below everything that needs a hash which is the same in each process.
 */

enum { TK_SHA256_BYTES = 32, TK_SHA256_BLOCK = 64 };

struct tk_sha256 {
    uint32_t state[8];
    uint64_t total; /* bytes so far */
    uint8_t block[TK_SHA256_BLOCK];
};

void tk_sha256_begin(struct tk_sha256 *h);
void tk_sha256_add(struct tk_sha256 *h, const void *p, size_t n);
void tk_sha256_end(struct tk_sha256 *h, uint8_t out[TK_SHA256_BYTES]);

/* A key, prepared. A plain value: it may be copied, and needs no release. */
struct tk_hmac {
    struct tk_sha256 inner, outer;
};

void tk_hmac_key(struct tk_hmac *m, const void *key, size_t n);

/* The code of n bytes. */
void tk_hmac_of(const struct tk_hmac *m, const void *p, size_t n, uint8_t out[TK_SHA256_BYTES]);

#endif
