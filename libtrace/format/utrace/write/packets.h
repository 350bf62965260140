/*
 * Start of a capture and its packets: the lowest layer of the writer that knows the format.
 *
 *   header      [magic [u16 size, metadata]] u8 transport, u8 protocol              wire 1
 *   transport 1 the payload as it is                                                wire 2.1
 *   transport 2 u16 serial | 0x8000 if LZ4, u16 size [u16 unpacked size] payload    wire 2.2
 *   transport 3, 4  u16 size, u16 tid | flags [u16 unpacked size] payload           wire 2.3
 *
 * The bottom of the writer that tests and edits stand on. The size of a packet counts its own header. An LZ4
 * payload is one raw block.
 */
#ifndef TK_FORMAT_UTRACE_WRITE_PACKETS_H
#define TK_FORMAT_UTRACE_WRITE_PACKETS_H

#include "base/vec.h"
#include "io/scratch/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A growing run of bytes that little-endian values are appended to.
 *
 * Bottom of the capture writer: everything above builds its records in one of these. A failed allocation is
 * remembered in `failed` and later appends do nothing, so callers check once, at the end.
 */

/* All zero is a valid empty run. */
struct tk_uw_bytes {
    uint8_t *data; /* owned */
    size_t size;
    size_t capacity;
    bool failed;
};

/* Frees the memory and leaves an empty run. */
void tk_uw_bytes_release(struct tk_uw_bytes *bytes);

/* Forgets the content and keeps the memory. */
void tk_uw_bytes_clear(struct tk_uw_bytes *bytes);

/* Makes space for `count` more bytes and returns where they go, or NULL. The size is not changed. */
uint8_t *tk_uw_bytes_space(struct tk_uw_bytes *bytes, size_t count);

/* Removes the first `count` bytes. */
void tk_uw_bytes_drop(struct tk_uw_bytes *bytes, size_t count);

/* Appends the low `count` (at most 8) bytes of `value`, least significant first. */
void tk_uw_uint(struct tk_uw_bytes *bytes, uint64_t value, unsigned count);

void tk_uw_u8(struct tk_uw_bytes *bytes, uint8_t value);
void tk_uw_u16(struct tk_uw_bytes *bytes, uint16_t value);
void tk_uw_u32(struct tk_uw_bytes *bytes, uint32_t value);
void tk_uw_u64(struct tk_uw_bytes *bytes, uint64_t value);
void tk_uw_f32(struct tk_uw_bytes *bytes, float value);
void tk_uw_f64(struct tk_uw_bytes *bytes, double value);
void tk_uw_raw(struct tk_uw_bytes *bytes, const void *data, size_t size);

/* Appends the first `size` bytes of an array of numbers of this machine, `width` bytes each. */
void tk_uw_numbers(struct tk_uw_bytes *bytes, const void *numbers, size_t size, unsigned width);

/* Appends the characters of a text without its NUL. */
void tk_uw_text(struct tk_uw_bytes *bytes, const char *text);

/* Appends a text of 7-bit characters as UTF-16, without a terminator. */
void tk_uw_wide(struct tk_uw_bytes *bytes, const char *text);

/* Appends a number in groups of 7 bits, least significant group first, bit 7 set on all bytes but the last.
 */
void tk_uw_varint(struct tk_uw_bytes *bytes, uint64_t value);

/* Where the bytes go: a run in memory, or whatever the two functions do with them. Errors stick in `failed`.
 */
struct tk_uw_sink {
    bool (*write)(void *ctx, const void *data, size_t size); /* false: failed; NULL when writing to memory */
    bool (*close)(void *ctx);                                /* false: failed; may be NULL */
    void *ctx;
    struct tk_uw_bytes *memory; /* borrowed; NULL otherwise */
    uint64_t written;           /* bytes so far */
    bool failed;
};

/* Writes to `memory`, which must outlive the sink. */
void tk_uw_sink_memory(struct tk_uw_sink *sink, struct tk_uw_bytes *memory);

void tk_uw_sink_write(struct tk_uw_sink *sink, const void *data, size_t size);

/* Ends the writing. Returns 0, or -1 if anything went wrong since the sink was opened. */
int tk_uw_sink_close(struct tk_uw_sink *sink);

/* The first bytes of a file: nothing, "ECRT", or "2CRT" with a metadata block. */
enum tk_uw_form { TK_UW_BARE, TK_UW_ECRT, TK_UW_2CRT };

/* Appends one metadata field; ids: 0 control port, 1 session guid, 2 trace guid. */
void tk_uw_metadata(struct tk_uw_bytes *block, uint8_t id, const void *data, uint8_t size);

/* Writes the header. `block` holds the metadata fields of TK_UW_2CRT and is not used (may be NULL) otherwise.
 */
void tk_uw_header(struct tk_uw_sink *sink, enum tk_uw_form form, const struct tk_uw_bytes *block,
                  uint8_t transport, uint8_t protocol);

/* TK_UW_AUTO packs payloads of more than 384 bytes, as emitters do. */
enum tk_uw_packing { TK_UW_AUTO, TK_UW_PLAIN, TK_UW_LZ4 };

enum {
    TK_UW_TID_NEWS = 0,
    TK_UW_TID_IMPORTANT = 1,
    TK_UW_TID_FIRST = 2,
    TK_UW_TID_PSEUDO_IMPORTANT = 0x3ffe,
    TK_UW_TID_SYNC = 0x3fff,
    TK_UW_PARTIAL = 0x4000, /* may be OR-ed to the tid of a packet */
    TK_UW_ENCODED = 0x8000,
    TK_UW_PACKET_MAX = 65529, /* longest payload: a plain one that still fits when LZ4 only adds a header */
};

/* Takes a packet that is written later, or bytes that are one already. */
typedef void tk_uw_packet_later(void *ctx, uint16_t tid, const void *data, size_t size, bool whole);

struct tk_uw_packets {
    struct tk_uw_sink *sink;   /* borrowed */
    tk_uw_packet_later *later; /* where packets go, but those of running numbers and transport 1; NULL: they
                                  are written at once */
    void *later_ctx;
    uint8_t transport;
    enum tk_uw_packing packing;
    int level;        /* of LZ4: 0 the usual one, 1 to 12 those of LZ4 HC */
    bool verify;      /* a running number follows every packet but syncs and those of tid 1 (wire 2.5) */
    uint64_t counter; /* the last running number */
    bool failed;      /* of `later`: it failed, as far as is known here. The sink is another thread's then */
};

/* Something could not be made. */
void tk_uw_packets_fail(struct tk_uw_packets *packets);
bool tk_uw_packets_failed(const struct tk_uw_packets *packets);

/*
 * Writes one packet of at most TK_UW_PACKET_MAX payload bytes; longer ones fail the sink. `tid` may carry
 * TK_UW_PARTIAL. With transport 2 it is the number of the packet in its batch instead: 0 begins a batch.
 */
void tk_uw_packet(struct tk_uw_packets *packets, uint16_t tid, const void *data, size_t size);

/* Makes a packet at `out`, which has tk_uw_packet_space(size) bytes; running numbers do not come with it. How
 * many bytes it has. Touches nothing else. */
size_t tk_uw_packet_make(const struct tk_uw_packets *packets, uint16_t tid, const void *data, size_t size,
                         uint8_t *out);
size_t tk_uw_packet_space(size_t size);

/* Writes bytes that are a whole packet of this transport already. */
void tk_uw_packet_copy(struct tk_uw_packets *packets, const void *packet, size_t size);

/* Writes a sync packet (transports 3 and 4). */
void tk_uw_sync(struct tk_uw_packets *packets);

/*
 * Packets that wait to be compressed: the threads of a pool compress some of them and write others, while
 * more are made. They are written in their order. Between packets.h and its sink.
 */

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
