/*
 * Reader: stretches of consecutive packets, read and unpacked. Unpacking is spread over the pool's workers;
 * packets are independent of each other (wire 2.4).
 */
#ifndef TK_FORMAT_UTRACE_WIRE_PACKET_READER_H
#define TK_FORMAT_UTRACE_WIRE_PACKET_READER_H

#include "base/vec.h"
#include "format/utrace/wire/index.h"

enum tk_ut_unpacked {
    TK_UT_UNPACKED,
    TK_UT_NOT_WANTED,
    TK_UT_EMPTY_ENCODED, /* compressed, without a byte: an old writer failed (wire 9) */
    TK_UT_NOT_LZ4,       /* does not give its stated size */
    TK_UT_GONE           /* the file is not what it was when it was indexed */
};

struct tk_ut_read_packet {
    struct tk_ut_packet head;
    enum tk_ut_unpacked state;
    const uint8_t *p; /* payload, n bytes; in the stretch's buffers */
    uint32_t n;
};

/* Bytes of the payload in the file; 0 where the end of the file cuts it off, which is booked as that. */
static inline uint32_t tk_ut_packet_stored(const struct tk_ut_read_packet *packet)
{
    return packet->head.cut ? 0 : packet->head.stored - packet->head.head;
}

/* Zero-initialise; reused for stretch after stretch. */
struct tk_ut_packet_run {
    TK_VEC(struct tk_ut_read_packet) packets;
    const bool *passed; /* by place in the index: these are not unpacked; borrowed. NULL: none */
    uint8_t *raw, *out; /* owned */
    uint8_t *decoded;   /* owned, where `apart` is set: a packet for each worker */
    size_t cap_raw, cap_out, cap_decoded;
    bool apart;     /* another thread than the one that reads uses what is unpacked */
    uint64_t begin; /* file offset of raw[0] */
    size_t n_raw;
};

/*
 * Reads packets from index `first` on, about 384 KB of file or at most one packet more, and unpacks those
 * whose lane is wanted (want by tid, NULL: all). *count is how many packets the stretch has; 0 at the end.
 * TK_OK, TK_EIO, TK_ENOMEM.
 */
int tk_ut_packet_run_read(struct tk_ut_packet_run *s, struct tk_context *ctx, const struct tk_ut_index *ix,
                          size_t first, const uint8_t *want, size_t *count, struct tk_err *err);

/*
 * Reads one packet alone into buffers of the caller: raw has space for TK_UT_PACKET_MAX bytes, out too. The
 * payload is in one of them.
 */
int tk_ut_packet_read(struct tk_context *ctx, const struct tk_ut_index *ix, size_t i, uint8_t *raw,
                      uint8_t *out, struct tk_ut_read_packet *packet, struct tk_err *err);

/* The ledger part of the payloads of a lane. */
enum tk_ledger_part tk_ut_packet_part(const struct tk_ut_index *ix, uint32_t tid);

/* Notes a packet that did not unpack and books its bytes. */
void tk_ut_packet_note(struct tk_context *ctx, struct tk_health *health, const struct tk_ut_index *ix,
                       const struct tk_ut_read_packet *packet);

void tk_ut_packet_run_release(struct tk_ut_packet_run *s);

/*
 * Packets that are in the file twice (wire 9): known by their bytes, and by holding serial numbers, which
 * cannot come twice.
 */

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
