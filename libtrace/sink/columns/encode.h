/*
 * The encodings of Parquet's pages, for values that are not null. They append to a buffer, whose status says
 * of failures.
 */
#ifndef TK_SINK_COLUMNAR_ENCODE_H
#define TK_SINK_COLUMNAR_ENCODE_H

#include "sink/write/protobuf.h"

#include <stddef.h>

/* Numbers of 1, 4 and 8 bytes as they are, the lowest byte first; of the former one bit each. */
void tk_plain_bits(struct tk_buffer *b, const uint64_t *v, size_t n);
void tk_plain_u32(struct tk_buffer *b, const uint64_t *v, size_t n);
void tk_plain_u64(struct tk_buffer *b, const uint64_t *v, size_t n);

/* The hybrid of runs and packed groups: numbers below 2^width, 1 <= width <= 32. For numbers of a dictionary,
 * and for which values are there. */
void tk_run_packed(struct tk_buffer *b, const uint64_t *v, size_t n, unsigned width);

/* DELTA_BINARY_PACKED. */
void tk_delta_packed(struct tk_buffer *b, const uint64_t *v, size_t n);

/* Bits that numbers up to v take, at least one. */
unsigned tk_width_of(uint64_t v);

/* Eight values of `width` (0 to 64) bits each, at p, the lowest bit first: `width` bytes. */
static inline void tk_pack_8(char *p, const uint64_t *v, unsigned width)
{
    uint64_t bits = 0;
    unsigned filled = 0;
    for (unsigned i = 0; i < 8; i++) {
        bits |= v[i] << filled;
        filled += width;
        for (; filled >= 64 && width; filled -= 64) {
            for (unsigned k = 0; k < 8; k++)
                *p++ = (char)(bits >> 8 * k);
            bits = filled == 64 ? 0 : v[i] >> (width - (filled - 64));
        }
    }
    for (; filled >= 8; filled -= 8, bits >>= 8)
        *p++ = (char)bits;
}

#endif
