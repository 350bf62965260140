/*
 * Cells and scopes as bytes. See entries.h.
 *
 * Cells: planes of bins (how far from the one before), timers, rows, covers, counts; numbers of several bytes
 * have a plane for each byte, which pack well. Scopes: for each the distance of its end from the one before,
 * its length, timer, row and flags, as numbers of 7 bits a byte.
 */
#include "view/index/entries.h"

#include "base/bits.h"
#include "view/index/index.h"

#include <string.h>

uint8_t tk_index_count_code(uint64_t count)
{
    if (count < 128)
        return (uint8_t)count;
    const unsigned octave = 63 - tk_zeros_above(count);
    const unsigned code = 128 + (octave - 7) * 4 + (unsigned)(count >> (octave - 2) & 3);
    return code < 228 ? (uint8_t)code : 227; /* 2^32 - 2^29 and more */
}

uint32_t tk_index_count_of(uint8_t code)
{
    if (code < 128)
        return code;
    const unsigned octave = (code - 128u) / 4 + 7;
    return octave < 32 ? (4 | (code & 3u)) << (octave - 2) : UINT32_MAX;
}

/* ---- cells ---- */

enum { STEP = 0, TIMER = 4, ROW = 8, COVER = 10, COUNT = 11, PLANES = 12 };

static void put_planes(uint8_t *p, size_t n, size_t i, uint64_t value, unsigned bytes)
{
    for (unsigned b = 0; b < bytes; b++)
        p[b * n + i] = (uint8_t)(value >> 8 * b);
}

static uint32_t get_planes(const uint8_t *p, size_t n, size_t i, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned b = 0; b < bytes; b++)
        value |= (uint32_t)p[b * n + i] << 8 * b;
    return value;
}

/* A step that 4 bytes do not hold ends the chunk (lane.c), so there is none. */
size_t tk_index_cells_put(uint8_t *p, const struct tk_index_cell *v, size_t n)
{
    int64_t before = n ? v[0].bin : 0;
    for (size_t i = 0; i < n; i++) {
        put_planes(p + STEP * n, n, i, (uint64_t)(v[i].bin - before), 4);
        put_planes(p + TIMER * n, n, i, v[i].timer, 4);
        put_planes(p + ROW * n, n, i, v[i].row, 2);
        p[COVER * n + i] = v[i].cover;
        p[COUNT * n + i] = v[i].count;
        before = v[i].bin;
    }
    return PLANES * n;
}

bool tk_index_cells_get(struct tk_index_cell *v, const struct tk_index_chunk *chunk, const uint8_t *p)
{
    const size_t n = chunk->n;
    if (n > TK_INDEX_CELLS || chunk->size != PLANES * n)
        return false;
    uint64_t bin = (uint64_t)chunk->first;
    for (size_t i = 0; i < n; i++) {
        bin += get_planes(p + STEP * n, n, i, 4);
        v[i] = (struct tk_index_cell){.bin = (int64_t)bin,
                                      .timer = get_planes(p + TIMER * n, n, i, 4),
                                      .row = (uint16_t)get_planes(p + ROW * n, n, i, 2),
                                      .cover = p[COVER * n + i],
                                      .count = p[COUNT * n + i]};
    }
    return true;
}

/* ---- scopes ---- */

static uint8_t *put_number(uint8_t *p, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *p++ = (uint8_t)(value | 128);
    *p++ = (uint8_t)value;
    return p;
}

static bool get_number(const uint8_t **p, const uint8_t *end, uint64_t *value)
{
    uint64_t v = 0;
    for (unsigned shift = 0; *p < end && shift < 64; shift += 7) {
        const uint8_t byte = *(*p)++;
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *value = v;
            return true;
        }
    }
    return false;
}

/* At most 10 + 10 + 5 + 3 bytes each. */
size_t tk_index_scopes_put(uint8_t *p, const struct tk_index_scope *v, size_t n)
{
    uint8_t *at = p;
    uint64_t before = n ? (uint64_t)v[0].end : 0;
    for (size_t i = 0; i < n; i++) {
        at = put_number(at, (uint64_t)v[i].end - before);
        at = put_number(at, (uint64_t)v[i].end - (uint64_t)v[i].begin);
        at = put_number(at, v[i].timer);
        at = put_number(at, (uint64_t)v[i].row << 1 | (v[i].flags & TK_INDEX_UNENDED));
        before = (uint64_t)v[i].end;
    }
    return (size_t)(at - p);
}

bool tk_index_scopes_get(struct tk_index_scope *v, const struct tk_index_chunk *chunk, const uint8_t *p)
{
    const uint8_t *end = p + chunk->size;
    uint64_t at = (uint64_t)chunk->first, step, length, timer, row;
    if (chunk->n > TK_INDEX_SCOPES)
        return false;
    for (size_t i = 0; i < chunk->n; i++) {
        if (!get_number(&p, end, &step) || !get_number(&p, end, &length) || !get_number(&p, end, &timer) ||
            !get_number(&p, end, &row) || timer > UINT32_MAX || row >> 1 >= TK_INDEX_ROWS)
            return false;
        at += step;
        v[i] = (struct tk_index_scope){.begin = (int64_t)(at - length),
                                       .end = (int64_t)at,
                                       .timer = (uint32_t)timer,
                                       .row = (uint16_t)(row >> 1),
                                       .flags = (uint8_t)(row & TK_INDEX_UNENDED)};
    }
    return p == end;
}
