/*
 * Plain values, runs and packed groups. See encode.h.
 */
#include "sink/columns/encode.h"

#include "base/bits.h"

enum {
    MOST_GROUPS = 63, /* of one packed run: its header is then one byte */
    MOST_WIDTH = 32
};

unsigned tk_width_of(uint64_t v)
{
    return v ? 64 - tk_zeros_above(v) : 1;
}

/* Room for n bytes at once; NULL when it cannot be had. */
static char *reserve(struct tk_buffer *b, size_t n)
{
    while (b->status == TK_OK && b->cap - b->n < n)
        tk_buffer_make(b, n);
    return b->status == TK_OK ? b->p + b->n : NULL;
}

void tk_plain_bits(struct tk_buffer *b, const uint64_t *v, size_t n)
{
    char *p = reserve(b, n / 8 + 1);
    if (!p)
        return;
    memset(p, 0, n / 8 + 1);
    for (size_t i = 0; i < n; i++)
        p[i / 8] = (char)((uint8_t)p[i / 8] | (v[i] & 1) << i % 8);
    b->n += (n + 7) / 8;
}

void tk_plain_u32(struct tk_buffer *b, const uint64_t *v, size_t n)
{
    uint8_t *p = (uint8_t *)reserve(b, 4 * n);
    for (size_t i = 0; p && i < n; i++)
        for (unsigned k = 0; k < 4; k++)
            p[4 * i + k] = (uint8_t)(v[i] >> 8 * k);
    b->n += p ? 4 * n : 0;
}

void tk_plain_u64(struct tk_buffer *b, const uint64_t *v, size_t n)
{
    uint8_t *p = (uint8_t *)reserve(b, 8 * n);
    for (size_t i = 0; p && i < n; i++)
        for (unsigned k = 0; k < 8; k++)
            p[8 * i + k] = (uint8_t)(v[i] >> 8 * k);
    b->n += p ? 8 * n : 0;
}

/* A packed run that has been begun; its header is known when it ends. */
struct packed {
    size_t header; /* where it stands */
    unsigned groups;
};

static void end_packed(struct tk_buffer *b, struct packed *run)
{
    if (run->groups && b->status == TK_OK)
        b->p[run->header] = (char)(run->groups << 1 | 1);
    run->groups = 0;
}

static void put_group(struct tk_buffer *b, struct packed *run, const uint64_t v[8], unsigned width)
{
    if (run->groups == MOST_GROUPS)
        end_packed(b, run);
    if (run->groups == 0) {
        run->header = b->n;
        tk_buffer_char(b, 0);
    }
    tk_pack_8(tk_buffer_room(b, MOST_WIDTH), v, width);
    b->n += width;
    run->groups++;
}

static size_t equal_from(const uint64_t *v, size_t n)
{
    size_t same = 1;
    while (same < n && v[same] == v[0])
        same++;
    return same;
}

static void put_run(struct tk_buffer *b, uint64_t v, size_t times, unsigned width)
{
    tk_pb_number(b, (uint64_t)times << 1);
    for (unsigned k = 0; k < width; k += 8)
        tk_buffer_char(b, (char)(v >> k));
}

void tk_run_packed(struct tk_buffer *b, const uint64_t *v, size_t n, unsigned width)
{
    struct packed run = {0, 0};
    for (size_t i = 0; i < n && b->status == TK_OK;) {
        const size_t same = equal_from(v + i, n - i);
        if (same >= 8) {
            end_packed(b, &run);
            put_run(b, v[i], same, width);
            i += same;
        } else {
            uint64_t last[8] = {0}; /* only the last group may be filled up */
            const size_t some = n - i < 8 ? n - i : 8;
            if (some < 8)
                memcpy(last, v + i, some * sizeof *v);
            put_group(b, &run, some < 8 ? last : v + i, width);
            i += some;
        }
    }
    end_packed(b, &run);
}
