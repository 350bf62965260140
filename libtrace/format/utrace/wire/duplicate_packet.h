/*
 * Packets that are in the file twice (wire 9): known by their bytes, and by holding serial numbers, which
 * cannot come twice.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_DUPLICATE_PACKET_H
#define TK_FORMAT_UTRACE_WIRE_DUPLICATE_PACKET_H

#include "format/utrace/wire/packet_reader.h"

/* The packet of a lane before the one in hand. */
struct tk_ut_previous {
    uint64_t offset, sample;
    uint32_t stored;
    bool synced; /* it held events with serial numbers */
};

/* Is this packet, stored at raw, the previous one again? */
bool tk_ut_repeated(const struct tk_context *ctx, const struct tk_ut_previous *before,
                    const struct tk_ut_read_packet *packet, const uint8_t *raw);

/* Notes that a packet was dropped as a copy, and books its bytes. */
void tk_ut_repeat_note(struct tk_context *ctx, struct tk_health *health,
                       const struct tk_ut_read_packet *packet);

/* Remembers a packet. synced: it held events with serial numbers. */
struct tk_ut_previous tk_ut_remember(const struct tk_ut_read_packet *packet, const uint8_t *raw, bool synced);

#endif
