/*
 * Packets that wait to be compressed: some of them are, by the threads of a pool, while others are made. They
 * are written in their order. Between packets.h and its sink.
 */
#ifndef TK_FORMAT_UTRACE_WRITE_PACKET_QUEUE_H
#define TK_FORMAT_UTRACE_WRITE_PACKET_QUEUE_H

#include "base/vec.h"
#include "format/utrace/write/packets.h"
#include "parallel/pool.h"

struct tk_uw_queued {
    size_t at;       /* in the bytes that wait */
    uint32_t size;   /* of them */
    uint32_t packed; /* bytes that they became; 0: they are written as they are */
    uint16_t tid;
    bool whole; /* a packet with its header already */
};

/* What is compressed at one time. */
struct tk_uw_queue_part {
    TK_VEC(struct tk_uw_queued) packets;
    struct tk_uw_bytes bytes;
    uint8_t *out; /* owned: a place for each packet, where it is in `bytes` and as many more as it may grow */
    size_t cap_out;
};

/* Zero-initialise. */
struct tk_uw_queue {
    struct tk_pool *pool;          /* borrowed; of more than one job */
    struct tk_uw_packets *packets; /* borrowed */
    struct tk_uw_queue_part parts[2];
    unsigned filling; /* the other one may be with the pool, */
    bool running;     /* where this says so */
    struct tk_task task;
};

/* Has the packets go to the queue. Both are borrowed, as is the pool. */
void tk_uw_queue_open(struct tk_uw_queue *q, struct tk_uw_packets *packets, struct tk_pool *pool);

/* Writes all that waits. */
void tk_uw_queue_drain(struct tk_uw_queue *q);

/* Frees it; what waits is lost. */
void tk_uw_queue_release(struct tk_uw_queue *q);

#endif
