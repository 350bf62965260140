/*
 * Unpacks raw LZ4 blocks.
 *
 * A block is a row of sequences: token (high 4 bits: literals, low 4 bits: match length - 4), [literal length
 * bytes], literals, u16 offset back, [match length bytes]. A length of 15 goes on in bytes that are added,
 * the last of which is below 255. The last sequence ends with its literals. (LZ4 block format description,
 * "Compressed block format".)
 */
#include "io/lz4block.h"

#include "base/cursor.h"

#include <limits.h>
#include <lz4.h>

bool tk_lz4_block(uint8_t *out, size_t out_n, const uint8_t *in, size_t in_n)
{
    if (out_n > LZ4_MAX_INPUT_SIZE || in_n > INT_MAX)
        return false;
    int n = LZ4_decompress_safe((const char *)in, (char *)out, (int)in_n, (int)out_n);
    return n >= 0 && (size_t)n == out_n;
}

/* A length that begins with 4 bits; *whole becomes false when its last byte is missing. */
static size_t read_length(struct tk_cur *c, size_t bits, bool *whole)
{
    size_t n = bits;
    uint8_t more = bits == 15 ? 255 : 0;
    while (more == 255) {
        if (tk_cur_left(c) == 0) {
            *whole = false;
            break;
        }
        more = tk_u8(c, "length");
        n += more;
    }
    return n;
}

static size_t least_lz4block(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t tk_lz4_cut_block(uint8_t *out, size_t out_n, const uint8_t *in, size_t in_n)
{
    struct tk_cur c = tk_cur_of(in, in_n);
    size_t at = 0;
    bool whole = true;
    while (whole && at < out_n && tk_cur_left(&c) > 0) {
        uint8_t token = tk_u8(&c, "token");
        size_t n = read_length(&c, token >> 4, &whole);
        n = least_lz4block(n, least_lz4block(tk_cur_left(&c), out_n - at));
        const uint8_t *p = tk_take(&c, n, "literals");
        if (n)
            memcpy(out + at, p, n);
        at += n;
        if (tk_cur_left(&c) < 2)
            break;
        size_t back = tk_u16(&c, "offset");
        if (back == 0 || back > at)
            break;
        /* A match whose length is cut off is at least as long as what can be read of it. */
        n = least_lz4block(4 + read_length(&c, token & 15, &whole), out_n - at);
        for (; n > 0; n--, at++)
            out[at] = out[at - back];
    }
    return at;
}
