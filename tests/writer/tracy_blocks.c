/* Compressing block by block; see tracy_blocks.h. */
#include "tracy_blocks.h"

#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { PACKED_ROOM = 80 << 10 };

static const uint8_t magics[][4] = {
    {0x74, 0x6c, 0x5a, 0x04}, {0x74, 0x5a, 0x73, 0x74}, {0x74, 0x72, 0xfd, 0x50}};

static bool open_stream(struct tk_tw_stream *s, enum tk_tw_codec codec, int level)
{
    s->room = malloc(2 * TK_TW_BLOCK);
    if (codec == TK_TW_LZ4)
        s->lz4 = LZ4_createStream();
    if (codec == TK_TW_LZ4HC && (s->lz4hc = LZ4_createStreamHC()))
        LZ4_resetStreamHC_fast(s->lz4hc, level);
    if (codec == TK_TW_ZSTD && (s->zstd = ZSTD_createCCtx()))
        ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, level);
    return s->room && (s->lz4 || s->lz4hc || s->zstd);
}

void tk_tw_blocks_open(struct tk_tw_blocks *b, struct tk_uw_sink *sink, enum tk_tw_container container,
                       enum tk_tw_codec codec, int level, unsigned streams)
{
    uint8_t kind[2] = {codec == TK_TW_ZSTD, (uint8_t)streams};

    memset(b, 0, sizeof(*b));
    b->sink = sink;
    b->codec = codec;
    b->level = level;
    b->n_streams = streams;
    b->streams = calloc(streams, sizeof(*b->streams));
    b->packed = malloc(PACKED_ROOM);
    if (!b->streams || !b->packed)
        sink->failed = true;
    for (unsigned i = 0; i < streams && !sink->failed; i++)
        sink->failed = !open_stream(&b->streams[i], codec, level);
    tk_uw_sink_write(sink, magics[container], sizeof(magics[container]));
    if (container == TK_TW_MANY)
        tk_uw_sink_write(sink, kind, sizeof(kind));
}

/* What one stream makes of a block that lies in its room; 0 when it fails. */
static size_t compress(struct tk_tw_blocks *b, struct tk_tw_stream *s, const uint8_t *block, size_t size)
{
    ZSTD_inBuffer in = {block, size, 0};
    ZSTD_outBuffer out = {b->packed, PACKED_ROOM, 0};

    if (b->codec == TK_TW_LZ4)
        return (size_t)LZ4_compress_fast_continue(s->lz4, (const char *)block, (char *)b->packed, (int)size,
                                                  PACKED_ROOM, 1);
    if (b->codec == TK_TW_LZ4HC)
        return (size_t)LZ4_compress_HC_continue(s->lz4hc, (const char *)block, (char *)b->packed, (int)size,
                                                PACKED_ROOM);
    if (ZSTD_compressStream2(s->zstd, &out, &in, ZSTD_e_flush) != 0)
        return 0;
    return out.pos;
}

static void write_block(struct tk_tw_blocks *b, const uint8_t *data, size_t size)
{
    struct tk_tw_stream *s = &b->streams[b->turn % b->n_streams];
    uint8_t *block = s->room + (s->turn++ & 1) * TK_TW_BLOCK;

    memcpy(block, data, size);
    b->turn++;

    size_t n = compress(b, s, block, size);
    uint8_t head[4] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};

    if (!n)
        b->sink->failed = true;
    tk_uw_sink_write(b->sink, head, sizeof(head));
    tk_uw_sink_write(b->sink, b->packed, n);
    b->unpacked += size;
}

void tk_tw_blocks_drain(struct tk_tw_blocks *b)
{
    size_t at = 0;

    for (; b->pending.size - at >= TK_TW_BLOCK && !b->sink->failed; at += TK_TW_BLOCK)
        write_block(b, b->pending.data + at, TK_TW_BLOCK);
    tk_uw_bytes_drop(&b->pending, at);
    b->sink->failed |= b->pending.failed;
}

void tk_tw_blocks_close(struct tk_tw_blocks *b)
{
    tk_tw_blocks_drain(b);
    if (b->pending.size && !b->sink->failed)
        write_block(b, b->pending.data, b->pending.size);
    for (unsigned i = 0; b->streams && i < b->n_streams; i++) {
        free(b->streams[i].room);
        LZ4_freeStream(b->streams[i].lz4);
        LZ4_freeStreamHC(b->streams[i].lz4hc);
        ZSTD_freeCCtx(b->streams[i].zstd);
    }
    free(b->streams);
    free(b->packed);
    tk_uw_bytes_release(&b->pending);
}
