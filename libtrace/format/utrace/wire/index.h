/*
 * Index: where the packets of a capture stand. One word a packet, made from the packet headers alone; bytes
 * that are no packets are searched over (wire 2, 9.1).
 *
 * Transport 1 has no packets: its stream is cut into slices. Transport 2 has no threads and a consumption
 * order of its own. Both come out as packets of lane 0.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_INDEX_H
#define TK_FORMAT_UTRACE_WIRE_INDEX_H

#include "base/vec.h"
#include "fact/format.h"
#include "format/utrace/wire/header.h"
#include "io/file.h"

#define TK_UT_TID_DECLARATIONS 0
#define TK_UT_TID_IMPORTANT    1
#define TK_UT_TID_CONNECT      0x3FFE /* events written while a connection opens, from 5.8 on (wire 2.7) */
#define TK_UT_TID_SYNC         0x3FFF
#define TK_UT_TIDS             0x4000

#define TK_UT_ENCODED 0x8000u
#define TK_UT_PARTIAL 0x4000u

#define TK_UT_PACKET_MAX 65535u
#define TK_UT_SLICE      32768u /* bytes of transport 1 that count as a packet */

/* A word of the index: offset << 18 | after loss | cut | header word (encoded, partial, tid). */
#define TK_UT_WORD_CUT   0x10000u
#define TK_UT_WORD_LOSS  0x20000u
#define TK_UT_WORD_SHIFT 18

#define TK_UT_CHUNK_BITS 13
#define TK_UT_CHUNK_SIZE ((size_t)1 << TK_UT_CHUNK_BITS)

/* One packet, as the reader wants it. */
struct tk_ut_packet {
    uint64_t offset;  /* of its header */
    uint32_t stored;  /* bytes in the file from offset to its end, counters left out */
    uint16_t head;    /* bytes of header */
    uint16_t decoded; /* bytes after unpacking, where encoded */
    uint16_t tid;
    bool encoded, partial;
    bool cut;           /* the file ends inside it */
    bool after_loss;    /* bytes were lost right before it: every lane is broken here */
    bool whole_records; /* transport 2: what is left of it when an event does not fit is dropped */
};

struct tk_ut_lane_info {
    uint64_t packets;
    uint64_t stored;  /* bytes, headers included */
    uint64_t payload; /* bytes of it that are no headers */
};

struct tk_ut_index {
    const struct tk_ut_header *header;
    uint64_t **chunks; /* of TK_UT_CHUNK_SIZE words, owned */
    size_t n;          /* packets */
    size_t n_chunks;
    uint64_t end;                  /* offset behind the last packet */
    bool counted;                  /* packets with bit 14 are followed by a counter (wire 2.5) */
    bool truncated;                /* the file ends inside a packet */
    uint64_t syncs;                /* sync packets seen */
    uint64_t settled;              /* offset of the second one, or 0: from there on all is sent as it comes
                                      (wire 4.5) */
    bool lost;                     /* bytes were lost before some packet */
    struct tk_ut_lane_info *lanes; /* TK_UT_TIDS of them, owned */
    TK_VEC(size_t)
    suspects; /* packets that are good but for a thread far beyond all others, the only one of
                 it: they stay where the capture announces the thread */
    uint64_t used[TK_UT_TIDS / 64]; /* a bit for each lane that has, or had before they were taken back */
    struct tk_ut_index *rest; /* of a capture that is opened in part: its last packets, the ones before them
                                 are the first; owned; NULL: these are all */
};

/* Makes space for one more packet. TK_OK or TK_ENOMEM. */
int tk_ut_index_grow(struct tk_ut_index *ix);

/* Appends a packet: header word as in the file (encoded, partial, tid). TK_OK or TK_ENOMEM. */
static inline int tk_ut_index_add(struct tk_ut_index *ix, uint64_t offset, uint32_t word, bool cut, bool loss)
{
    if (ix->n == ix->n_chunks << TK_UT_CHUNK_BITS && tk_ut_index_grow(ix) != TK_OK)
        return TK_ENOMEM;
    ix->chunks[ix->n >> TK_UT_CHUNK_BITS][ix->n & (TK_UT_CHUNK_SIZE - 1)] =
        offset << TK_UT_WORD_SHIFT | (cut ? TK_UT_WORD_CUT : 0) | (loss ? TK_UT_WORD_LOSS : 0) | word;
    ix->n++;
    ix->lost |= loss;
    return TK_OK;
}

/* What is counted of a lane, to be added to. */
static inline struct tk_ut_lane_info *tk_ut_index_count(struct tk_ut_index *ix, uint32_t tid)
{
    ix->used[tid / 64] |= UINT64_C(1) << tid % 64;
    return &ix->lanes[tid];
}

static inline uint64_t tk_ut_index_word(const struct tk_ut_index *ix, size_t i)
{
    return ix->chunks[i >> TK_UT_CHUNK_BITS][i & (TK_UT_CHUNK_SIZE - 1)];
}

/* The lane of packet i, without reading it. */
static inline uint16_t tk_ut_index_tid(const struct tk_ut_index *ix, size_t i)
{
    return tk_ut_index_word(ix, i) & TK_UT_TID_SYNC;
}

/* Moves *tid to the first lane from there on that has packets; false when there is none. */
bool tk_ut_index_lane(const struct tk_ut_index *ix, uint32_t *tid);

/* The first packet from i on that is of this tid or that bytes were lost right before; n when there is none.
 */
size_t tk_ut_index_next(const struct tk_ut_index *ix, size_t i, uint16_t tid);

/* Were bytes lost right before packet i? */
bool tk_ut_index_loss(const struct tk_ut_index *ix, size_t i);

/* File offset of packet i; of i == n: the end. */
uint64_t tk_ut_index_offset(const struct tk_ut_index *ix, size_t i);

/* Fills in packet i from the bytes at its offset (`have` of them readable). False when the header is not
 * there any more. */
bool tk_ut_index_packet(const struct tk_ut_index *ix, size_t i, const uint8_t *p, size_t have,
                        struct tk_ut_packet *out);

/* A suspect is no packet of its thread: takes it out. n bytes, with `head` bytes of header; the ledger is the
 * caller's. */
void tk_ut_index_take_out(struct tk_ut_index *ix, size_t i, uint32_t n, uint32_t head);

void tk_ut_index_release(struct tk_ut_index *ix);

/*
 * Making the index: the walk of the file's transport, or slices of a stream without packets.
 */

/* Walks over the packet headers; notes faults and fills the ledger. TK_OK or negative. */
int tk_ut_index_build(struct tk_ut_index *ix, struct tk_context *ctx, const struct tk_ut_header *header,
                      struct tk_err *err);

/*
 * The index of packets as a section that is kept between questions (fact/kept.h), so that the next one need
 * not walk over the headers of all packets.
 */

/* Fills the index, and the ledger as the walk would. false: nothing fit is kept, and both are as they were.
 */
bool tk_ut_kept_packets_load(struct tk_ut_index *ix, struct tk_context *ctx,
                             const struct tk_ut_header *header);

/* Makes the section where the walk noted no fault; ledger: as it was behind the walk. */
void tk_ut_kept_packets_make(const struct tk_ut_index *ix, struct tk_context *ctx,
                             const uint64_t ledger[TK_LEDGER_COUNT]);

#endif
