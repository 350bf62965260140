/* Compression beside the making of packets. See packet_queue.h. */
#include "format/utrace/write/packet_queue.h"

#include "base/stream_copy.h"
#include "tracekit.h"

#include <string.h>

enum { PART_BYTES = 256 << 10 };

static void put(struct tk_uw_queue *q, struct tk_uw_queue_part *part, const struct tk_uw_queued *p)
{
    const uint8_t *bytes = part->bytes.data + p->at;
    if (p->whole) {
        tk_uw_raw(&part->out, bytes, p->size);
        return;
    }
    uint8_t *to = tk_uw_bytes_room(&part->out, tk_uw_packet_room(p->size));
    if (to)
        part->out.size += tk_uw_packet_make(q->packets, p->tid, bytes, p->size, to);
}

static void make_part(void *ctx, size_t place, unsigned worker)
{
    struct tk_uw_queue *q = ctx;
    struct tk_uw_queue_part *part = &q->parts[place];
    (void)worker;
    tk_uw_bytes_clear(&part->out);
    for (size_t i = 0; i < part->packets.n; i++)
        put(q, part, &part->packets.v[i]);
}

static int write_part(void *ctx, size_t place, unsigned worker)
{
    struct tk_uw_queue *q = ctx;
    struct tk_uw_queue_part *part = &q->parts[place];
    struct tk_uw_sink *sink = q->packets->sink;
    (void)worker;
    if (part->out.failed)
        sink->failed = true;
    tk_uw_sink_write(sink, part->out.data, part->out.size);
    part->packets.n = 0;
    tk_uw_bytes_clear(&part->bytes);
    return sink->failed ? TK_EOUTPUT : TK_OK;
}

static void turn(struct tk_uw_queue *q)
{
    tk_stream_end();
    q->packets->failed |= tk_in_order_give(&q->order) != TK_OK;
}

/* Appends bytes that begin at a multiple of 16; another thread has read what was there. */
static void append(struct tk_uw_bytes *bytes, const uint8_t *p, size_t n)
{
    enum { STEP = 16 };
    const size_t begin = (bytes->size + STEP - 1) / STEP * STEP, most = n / STEP * STEP;
    uint8_t *at = tk_uw_bytes_room(bytes, begin - bytes->size + n);
    if (!at)
        return;
    at += begin - bytes->size;
    tk_stream_copy(at, p, most);
    memcpy(at + most, p + most, n - most);
    bytes->size = begin + n;
}

static void take(void *ctx, uint16_t tid, const void *data, size_t size, bool whole)
{
    struct tk_uw_queue *q = ctx;
    struct tk_uw_queue_part *part = &q->parts[tk_in_order_filling(&q->order)];
    if (q->packets->failed)
        return;
    append(&part->bytes, data, size);
    const struct tk_uw_queued packet = {
        .at = part->bytes.size - size, .size = (uint32_t)size, .tid = tid, .whole = whole};
    if (part->bytes.failed || tk_vec_push(&part->packets, packet))
        q->packets->failed = true;
    else if (part->bytes.size >= PART_BYTES)
        turn(q);
}

void tk_uw_queue_open(struct tk_uw_queue *q, struct tk_uw_packets *packets, struct tk_pool *pool)
{
    *q = (struct tk_uw_queue){.packets = packets};
    tk_in_order_open(&q->order, pool, make_part, write_part, q);
    packets->later = take;
    packets->later_ctx = q;
}

void tk_uw_queue_drain(struct tk_uw_queue *q)
{
    if (!q->packets)
        return;
    if (!q->packets->failed && q->parts[tk_in_order_filling(&q->order)].packets.n)
        turn(q);
    q->packets->failed |= tk_in_order_drain(&q->order) != TK_OK;
    q->packets->sink->failed |= q->packets->failed;
}

void tk_uw_queue_release(struct tk_uw_queue *q)
{
    tk_in_order_drain(&q->order);
    for (size_t i = 0; i < TK_IN_ORDER_MOST; i++) {
        tk_vec_release(&q->parts[i].packets);
        tk_uw_bytes_release(&q->parts[i].bytes);
        tk_uw_bytes_release(&q->parts[i].out);
    }
    *q = (struct tk_uw_queue){0};
}
