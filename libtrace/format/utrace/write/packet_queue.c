/* Compression beside the making of packets. See packet_queue.h. */
#include "format/utrace/write/packet_queue.h"

#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 512 << 10, PIECE = 16, ROOM = 80, GROWTH = 255 };

/* Where a packet may be packed to: with all the room that LZ4 may need, so that it does what it does alone.
 */
static size_t place_of(size_t at, size_t number)
{
    return at + at / GROWTH + number * ROOM;
}

static size_t room_for(size_t size)
{
    const size_t room = size + size / GROWTH + ROOM;
    return room < TK_UW_PACKET_MAX ? room : TK_UW_PACKET_MAX;
}

static void pack_piece(void *ctx, size_t piece, unsigned worker)
{
    struct tk_uw_queue *q = ctx;
    struct tk_uw_queue_part *part = &q->parts[!q->filling];
    (void)worker;
    for (size_t i = piece * PIECE; i < (piece + 1) * PIECE && i < part->packets.n; i++) {
        struct tk_uw_queued *p = &part->packets.v[i];
        if (!p->whole)
            p->packed = (uint32_t)tk_uw_packet_pack(q->packets, part->bytes.data + p->at, p->size,
                                                    part->out + place_of(p->at, i), room_for(p->size));
    }
}

static void write_part(struct tk_uw_queue *q, struct tk_uw_queue_part *part)
{
    for (size_t i = 0; i < part->packets.n; i++) {
        const struct tk_uw_queued *p = &part->packets.v[i];
        const uint8_t *bytes = part->bytes.data + p->at;
        if (p->whole)
            tk_uw_sink_write(q->packets->sink, bytes, p->size);
        else
            tk_uw_packet_put(q->packets, p->tid, p->packed ? part->out + place_of(p->at, i) : bytes, p->size,
                             p->packed);
    }
    part->packets.n = 0;
    tk_uw_bytes_clear(&part->bytes);
}

static void finish(struct tk_uw_queue *q)
{
    if (!q->running)
        return;
    tk_pool_wait(q->pool, &q->task);
    q->running = false;
    write_part(q, &q->parts[!q->filling]);
}

/* The part that was filled goes to the pool, once the other one is written. */
static void turn(struct tk_uw_queue *q)
{
    finish(q);
    struct tk_uw_queue_part *part = &q->parts[q->filling];
    if (part->bytes.failed || tk_vec_grow((void **)&part->out, &part->cap_out,
                                          place_of(part->bytes.size, part->packets.n) + 1, 1)) {
        q->packets->sink->failed = true;
        part->packets.n = 0;
        tk_uw_bytes_clear(&part->bytes);
        return;
    }
    q->filling = !q->filling;
    q->running = true;
    tk_pool_start(q->pool, &q->task, pack_piece, q, (part->packets.n + PIECE - 1) / PIECE);
}

static void take(void *ctx, uint16_t tid, const void *data, size_t size, bool whole)
{
    struct tk_uw_queue *q = ctx;
    struct tk_uw_queue_part *part = &q->parts[q->filling];
    const struct tk_uw_queued packet = {
        .at = part->bytes.size, .size = (uint32_t)size, .tid = tid, .whole = whole};
    tk_uw_raw(&part->bytes, data, size);
    if (part->bytes.failed || tk_vec_push(&part->packets, packet))
        q->packets->sink->failed = true;
    else if (part->bytes.size >= PART_BYTES)
        turn(q);
}

void tk_uw_queue_open(struct tk_uw_queue *q, struct tk_uw_packets *packets, struct tk_pool *pool)
{
    *q = (struct tk_uw_queue){.pool = pool, .packets = packets};
    packets->later = take;
    packets->later_ctx = q;
}

void tk_uw_queue_drain(struct tk_uw_queue *q)
{
    if (q->parts[q->filling].packets.n)
        turn(q);
    finish(q);
}

void tk_uw_queue_release(struct tk_uw_queue *q)
{
    if (q->running)
        tk_pool_wait(q->pool, &q->task);
    for (size_t i = 0; i < 2; i++) {
        tk_vec_release(&q->parts[i].packets);
        tk_uw_bytes_release(&q->parts[i].bytes);
        free(q->parts[i].out);
    }
    *q = (struct tk_uw_queue){0};
}
