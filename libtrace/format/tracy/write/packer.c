/*
 * Compresses block by block, each with the stream whose turn it is (tracy-file 1). payload.c fills the
 * blocks.
 */
#include "format/tracy/write/packer.h"

#include "format/tracy/container/version.h"

#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static const uint8_t marks[][4] = {
    {0x74, 0x6c, 0x5a, 0x04}, {0x74, 0x5a, 0x73, 0x74}, {0x74, 0x72, 0xfd, 0x50}};

struct tk_tracy_packing tk_tracy_packing_of(uint32_t version)
{
    if (version < TK_TRACY_V(0, 11, 0))
        return (struct tk_tracy_packing){TK_TRACY_MARK_LZ4, TK_TRACY_LZ4, 0, 1};
    return (struct tk_tracy_packing){TK_TRACY_MARK_STREAMS, TK_TRACY_ZSTD, 3, 4};
}

static bool open_packed_stream(struct tk_tracy_packed_stream *s, const struct tk_tracy_packing *packing)
{
    s->room = malloc((size_t)2 * TK_TRACY_BLOCK);
    if (packing->codec == TK_TRACY_ZSTD) {
        s->zstd = ZSTD_createCCtx();
        if (s->zstd)
            ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, packing->level);
    } else if (packing->level == 0) {
        s->lz4 = LZ4_createStream();
    } else {
        s->lz4hc = LZ4_createStreamHC();
        if (s->lz4hc)
            LZ4_resetStreamHC_fast(s->lz4hc, packing->level);
    }
    return s->room && (s->lz4 || s->lz4hc || s->zstd);
}

static bool is_possible(const struct tk_tracy_packing *k)
{
    if (k->streams < 1 || k->streams > 255)
        return false;
    if (k->mark == TK_TRACY_MARK_STREAMS)
        return true;
    return k->streams == 1 && (k->codec == TK_TRACY_ZSTD) == (k->mark == TK_TRACY_MARK_ZSTD);
}

int tk_tracy_packer_open(struct tk_tracy_packer *p, const struct tk_tracy_packing *packing,
                         tk_tracy_write_fn *write, void *ctx, struct tk_err *err)
{
    const uint8_t kind[2] = {packing->codec == TK_TRACY_ZSTD, (uint8_t)packing->streams};
    memset(p, 0, sizeof *p);
    if (!is_possible(packing))
        return tk_err_set(err, TK_EUSAGE, "a .tracy file cannot have this codec with these streams");
    p->packing = *packing;
    p->write = write;
    p->ctx = ctx;
    p->streams = calloc(packing->streams, sizeof *p->streams);
    p->packed = malloc(TK_TRACY_BLOCK_STORED);
    bool ok = p->streams && p->packed;
    for (unsigned i = 0; ok && i < packing->streams; i++)
        ok = open_packed_stream(&p->streams[i], packing);
    if (!ok)
        return tk_err_nomem(err, "the compression of a .tracy file");
    int rc = write(ctx, marks[packing->mark], sizeof marks[0], err);
    if (rc == TK_OK && packing->mark == TK_TRACY_MARK_STREAMS)
        rc = write(ctx, kind, sizeof kind, err);
    return rc;
}

static struct tk_tracy_packed_stream *turn_of(struct tk_tracy_packer *p)
{
    return &p->streams[p->turn % p->packing.streams];
}

uint8_t *tk_tracy_packer_room(struct tk_tracy_packer *p)
{
    struct tk_tracy_packed_stream *s = turn_of(p);
    return s->room + (size_t)(s->turn & 1) * TK_TRACY_BLOCK;
}

/* What the stream makes of a block in its room; 0 when it fails. */
static size_t pack(struct tk_tracy_packer *p, struct tk_tracy_packed_stream *s, const uint8_t *block,
                   size_t n)
{
    ZSTD_inBuffer in = {block, n, 0};
    ZSTD_outBuffer out = {p->packed, TK_TRACY_BLOCK_STORED, 0};
    int got = 0;
    if (s->zstd)
        return ZSTD_compressStream2(s->zstd, &out, &in, ZSTD_e_flush) == 0 ? out.pos : 0;
    if (s->lz4)
        got = LZ4_compress_fast_continue(s->lz4, (const char *)block, (char *)p->packed, (int)n,
                                         (int)TK_TRACY_BLOCK_STORED, 1);
    else
        got = LZ4_compress_HC_continue(s->lz4hc, (const char *)block, (char *)p->packed, (int)n,
                                       (int)TK_TRACY_BLOCK_STORED);
    return got > 0 ? (size_t)got : 0;
}

int tk_tracy_packer_block(struct tk_tracy_packer *p, size_t n, struct tk_err *err)
{
    struct tk_tracy_packed_stream *s = turn_of(p);
    const size_t size = pack(p, s, tk_tracy_packer_room(p), n);
    const uint8_t head[4] = {(uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16),
                             (uint8_t)(size >> 24)};
    if (!size)
        return tk_err_nomem(err, "the compression of a .tracy file");
    s->turn++;
    p->turn++;
    int rc = p->write(p->ctx, head, sizeof head, err);
    return rc == TK_OK ? p->write(p->ctx, p->packed, size, err) : rc;
}

void tk_tracy_packer_close(struct tk_tracy_packer *p)
{
    for (unsigned i = 0; p->streams && i < p->packing.streams; i++) {
        free(p->streams[i].room);
        LZ4_freeStream(p->streams[i].lz4);
        LZ4_freeStreamHC(p->streams[i].lz4hc);
        ZSTD_freeCCtx(p->streams[i].zstd);
    }
    free(p->streams);
    free(p->packed);
    memset(p, 0, sizeof *p);
}
