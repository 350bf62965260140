/*
 * Packets that wait to be compressed: the threads of a pool compress some of them and write others, while
 * more are made. They are written in their order. Between packets.h and its sink.
 */
#ifndef TK_FORMAT_UTRACE_WRITE_PACKET_QUEUE_H
#define TK_FORMAT_UTRACE_WRITE_PACKET_QUEUE_H

#include "base/vec.h"
#include "format/utrace/write/packets.h"
#include "io/scratch/in_order.h"

struct tk_uw_queued {
    size_t at;     /* in the bytes that wait */
    uint32_t size; /* of them */
    uint16_t tid;
    bool whole; /* a packet with its header already */
};

/* What one thread compresses. */
struct tk_uw_queue_part {
    TK_VEC(struct tk_uw_queued) packets;
    struct tk_uw_bytes bytes;
    struct tk_uw_bytes out; /* the same as packets */
};

/* Zero-initialise. */
struct tk_uw_queue {
    struct tk_uw_packets *packets; /* borrowed */
    struct tk_in_order order;
    struct tk_uw_queue_part parts[TK_IN_ORDER_MOST];
};

/* Has the packets, which have no running numbers, go to the queue. Both are borrowed, as is the pool. It
 * stays where it is. Until it is drained the sink is the queue's. */
void tk_uw_queue_open(struct tk_uw_queue *q, struct tk_uw_packets *packets, struct tk_pool *pool);

/* Writes all that waits, and has the sink say what failed. */
void tk_uw_queue_drain(struct tk_uw_queue *q);

/* Frees it; what waits may be lost. */
void tk_uw_queue_release(struct tk_uw_queue *q);

#endif
