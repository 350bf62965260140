/*
 * The container of a `.tracy` file: its head, and blocks of 64 KiB compressed in turn by one or several
 * streams.
 *
 *   74 6C 5A 04 | 74 5A 73 74 | 74 72 FD 50, u8 codec, u8 streams; then blocks: u32 size, that many bytes
 * tracy-file 1
 */
#ifndef TK_TRACY_BLOCKS_WRITER_H
#define TK_TRACY_BLOCKS_WRITER_H

#include "packets.h"
#include "sink_file.h"

#define TK_TW_BLOCK 65536u

/* The first bytes of the file. The first two have one stream and a codec of their own. */
enum tk_tw_container { TK_TW_TLZ, TK_TW_TZST, TK_TW_MANY };

enum tk_tw_codec { TK_TW_LZ4, TK_TW_LZ4HC, TK_TW_ZSTD };

struct tk_tw_stream {
    uint8_t *room; /* owned: this block and the one before, in turn */
    unsigned turn;
    union LZ4_stream_u *lz4; /* owned, one of the three */
    union LZ4_streamHC_u *lz4hc;
    struct ZSTD_CCtx_s *zstd;
};

struct tk_tw_blocks {
    struct tk_uw_sink *sink; /* borrowed */
    enum tk_tw_codec codec;
    int level; /* of zstd and LZ4 HC */
    unsigned n_streams, turn;
    struct tk_tw_stream *streams; /* owned */
    struct tk_uw_bytes pending;   /* not yet a block */
    uint8_t *packed;              /* owned */
    uint64_t unpacked;            /* bytes that were put so far */
};

/* Writes the head. Errors stick in the sink. With TK_TW_TLZ and TK_TW_TZST `streams` is 1 and the codec fits.
 */
void tk_tw_blocks_open(struct tk_tw_blocks *blocks, struct tk_uw_sink *sink, enum tk_tw_container container,
                       enum tk_tw_codec codec, int level, unsigned streams);

/* Writes what has become whole blocks of `pending`. */
void tk_tw_blocks_drain(struct tk_tw_blocks *blocks);

/* Writes the rest as the last block and frees everything. */
void tk_tw_blocks_close(struct tk_tw_blocks *blocks);

#endif
