/*
 * DELTA_BINARY_PACKED: blocks of 128 differences in four packed parts. Differences wrap at 64 bits. See
 * encode.h.
 */
#include "base/bits.h"
#include "sink/columns/encode.h"

enum { BLOCK = 128, PARTS = 4, PART = BLOCK / PARTS };

static uint64_t zigzag(uint64_t v)
{
    return v << 1 ^ (v >> 63 ? UINT64_MAX : 0);
}

static unsigned width_above(const uint64_t *v)
{
    uint64_t all = 0;
    for (size_t i = 0; i < PART; i++)
        all |= v[i];
    return all ? tk_width_of(all) : 0;
}

/* d: n (1 to BLOCK) differences, behind them room. */
static void put_block(struct tk_buffer *b, uint64_t d[BLOCK], size_t n)
{
    int64_t least = INT64_MAX;
    unsigned widths[PARTS] = {0};
    for (size_t i = 0; i < n; i++)
        least = (int64_t)d[i] < least ? (int64_t)d[i] : least;
    for (size_t i = 0; i < n; i++)
        d[i] -= (uint64_t)least;
    memset(d + n, 0, (BLOCK - n) * sizeof *d);
    tk_pb_number(b, zigzag((uint64_t)least));
    for (size_t part = 0; part < PARTS; part++) {
        widths[part] = part * PART < n ? width_above(d + part * PART) : 0;
        tk_buffer_char(b, (char)widths[part]);
    }
    for (size_t i = 0; i < n; i += 8) { /* a part that has begun is filled up */
        const unsigned width = widths[i / PART];
        const size_t end = n <= i + 8 ? (i / PART + 1) * PART : i + 8;
        for (size_t k = i; k < end; k += 8) {
            tk_pack_8(tk_buffer_room(b, TK_BUFFER_SMALL), d + k, width);
            b->n += width;
        }
    }
}

void tk_delta_packed(struct tk_buffer *b, const uint64_t *v, size_t n)
{
    uint64_t d[BLOCK];
    tk_pb_number(b, BLOCK);
    tk_pb_number(b, PARTS);
    tk_pb_number(b, n);
    tk_pb_number(b, n ? zigzag(v[0]) : 0);
    for (size_t i = 1; i < n && b->status == TK_OK;) {
        const size_t some = n - i < BLOCK ? n - i : BLOCK;
        for (size_t k = 0; k < some; k++)
            d[k] = v[i + k] - v[i + k - 1];
        put_block(b, d, some);
        i += some;
    }
}
