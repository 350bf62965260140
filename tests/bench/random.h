/*
 * Random numbers for the generators: the same seed gives the same capture on every machine.
 */
#ifndef TK_BENCH_RANDOM_H
#define TK_BENCH_RANDOM_H

#include <stdint.h>

struct tk_random {
    uint64_t state;
};

/* 64 random bits: a counter with an odd step, its value mixed by shifts and multiplications. */
static inline uint64_t tk_random_next(struct tk_random *random)
{
    uint64_t x = random->state += 0x9e3779b97f4a7c15U;

    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93U;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93U;
    return x ^ (x >> 32);
}

/* A number below `limit`, which must not be 0. The bias for limits below 2^32 does not matter here. */
static inline uint32_t tk_random_below(struct tk_random *random, uint32_t limit)
{
    return (uint32_t)(((tk_random_next(random) >> 32) * limit) >> 32);
}

#endif
