/*
 * Packets of a stream as they come: see packets.h.
 */
#include "live/packets.h"

#include "base/cursor.h"
#include "format/utrace/wire/index.h"
#include "tracekit.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 4, HEAD_ENCODED = 6 };

/* The size of the packet that begins with these HEAD bytes; 0: none does. */
static size_t packet_size(const uint8_t *p)
{
    const size_t size = tk_load16(p);
    return size < (tk_load16(p + 2) & TK_UT_ENCODED ? HEAD_ENCODED : HEAD) ? 0 : size;
}

static int take(struct tk_live_packets *s, const uint8_t *p, size_t n, tk_live_packet_fn *fn, void *ctx)
{
    const uint64_t offset = s->whole;
    s->whole += n;
    s->count++;
    return fn ? fn(ctx, p, n, offset) : TK_OK;
}

static int add(struct tk_live_packets *s, const uint8_t *p, size_t n)
{
    if (s->n_carry + n > s->cap_carry) {
        const size_t cap = s->n_carry + n > HEAD ? packet_size(s->n_carry >= HEAD ? s->carry : p) : HEAD;
        uint8_t *grown = realloc(s->carry, cap > s->n_carry + n ? cap : s->n_carry + n);
        if (!grown)
            return TK_ENOMEM;
        s->carry = grown;
        s->cap_carry = cap > s->n_carry + n ? cap : s->n_carry + n;
    }
    memcpy(s->carry + s->n_carry, p, n);
    s->n_carry += n;
    return TK_OK;
}

/* Moves up to `want` bytes in all to what is carried. */
static int fill(struct tk_live_packets *s, const uint8_t **p, size_t *n, size_t want)
{
    const size_t missing = want - s->n_carry, k = *n < missing ? *n : missing;
    const int rc = k ? add(s, *p, k) : TK_OK;
    *p += k;
    *n -= k;
    return rc;
}

/* Goes on with the packet that is carried. TK_OK; it may still not be whole when all bytes are used up. */
static int finish_carried(struct tk_live_packets *s, const uint8_t **p, size_t *n, tk_live_packet_fn *fn,
                          void *ctx)
{
    int rc = s->n_carry < HEAD ? fill(s, p, n, HEAD) : TK_OK;
    if (rc != TK_OK || s->n_carry < HEAD)
        return rc;
    const size_t size = packet_size(s->carry);
    s->damaged = size == 0;
    if (size == 0)
        return TK_OK;
    rc = fill(s, p, n, size);
    if (rc != TK_OK || s->n_carry < size)
        return rc;
    s->n_carry = 0;
    return take(s, s->carry, size, fn, ctx);
}

int tk_live_packets_feed(struct tk_live_packets *s, const uint8_t *p, size_t n, tk_live_packet_fn *fn,
                         void *ctx)
{
    int rc = TK_OK;
    if (s->n_carry && !s->damaged)
        rc = finish_carried(s, &p, &n, fn, ctx);
    while (rc == TK_OK && !s->damaged && n >= HEAD) {
        const size_t size = packet_size(p);
        s->damaged = size == 0;
        if (size > n || size == 0)
            break;
        rc = take(s, p, size, fn, ctx);
        p += size;
        n -= size;
    }
    return rc == TK_OK && n && !s->damaged ? add(s, p, n) : rc;
}

void tk_live_packets_release(struct tk_live_packets *s)
{
    free(s->carry);
    s->carry = NULL;
    s->n_carry = s->cap_carry = 0;
}
