/*
 * Cuts a stream into its packets as it comes (wire 2), and remembers up to where it is whole. Between the
 * recorder and the summary.
 */
#ifndef TK_LIVE_UNREAL_PACKETS_H
#define TK_LIVE_UNREAL_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tk_live_packets {
    uint64_t whole; /* offset behind the last whole packet */
    uint64_t count; /* whole packets */
    bool damaged;   /* no packet can begin at `whole`: what comes is not looked at any more */
    uint8_t *carry; /* owned: a packet that is not all there */
    size_t n_carry, cap_carry;
};

/* A whole packet with its header, at an offset of the stream. Negative returns end the feeding and are passed
 * on. */
typedef int tk_live_packet_fn(void *ctx, const uint8_t *packet, size_t n, uint64_t offset);

/* Takes the next n bytes of the stream, which begins behind the header at tk_live_packets.whole. TK_OK,
 * TK_ENOMEM or what fn said. */
int tk_live_packets_feed(struct tk_live_packets *s, const uint8_t *p, size_t n, tk_live_packet_fn *fn,
                         void *ctx);

void tk_live_packets_release(struct tk_live_packets *s);

#endif
