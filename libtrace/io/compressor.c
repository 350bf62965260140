/*
 * The compressors: gzip, zstd and LZ4 frames. None of them writes a time or a name, so the same bytes give
 * the same compressed bytes.
 */
#include "io/compressor.h"

#include "io/lz4_error.h"

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { OUT_BYTES = 64 << 10, LZ4_PIECE = 64 << 10, GZIP_WINDOW = 15 + 16, GZIP_UNIX = 3 };

/* Of rows and timelines level 1 makes hardly more than level 3, or less, in half of the time. Each thread has
 * some 5 MB at hand; four keep up with what anything here writes. */
enum { ZSTD_LEVEL = 1, MOST_ZSTD_THREADS = 4 };

static struct tk_os_result failed_packing(bool memory)
{
    return tk_os_result_of(memory ? TK_OS_NO_MEMORY : TK_OS_IO);
}

struct gzip {
    z_stream stream;
    gz_header header; /* says the same on every system */
    uint8_t out[OUT_BYTES];
};

static void *gzip_open(void)
{
    struct gzip *g = calloc(1, sizeof *g);
    if (g)
        g->header.os = GZIP_UNIX;
    if (g && (deflateInit2(&g->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
                           Z_DEFAULT_STRATEGY) != Z_OK ||
              deflateSetHeader(&g->stream, &g->header) != Z_OK)) {
        deflateEnd(&g->stream);
        free(g);
        return NULL;
    }
    return g;
}

static struct tk_os_result gzip_pack(void *state, const uint8_t *p, size_t n, bool last,
                                     tk_compressed_fn *packed, void *ctx)
{
    struct gzip *g = state;
    int rc;
    struct tk_os_result why;
    g->stream.next_in = (Bytef *)(uintptr_t)p;
    g->stream.avail_in = (uInt)n;
    do {
        g->stream.next_out = g->out;
        g->stream.avail_out = OUT_BYTES;
        rc = deflate(&g->stream, last ? Z_FINISH : Z_NO_FLUSH);
        if (rc == Z_STREAM_ERROR)
            return tk_os_result_of(TK_OS_IO);
        why = packed(ctx, g->out, OUT_BYTES - g->stream.avail_out);
    } while (!why.error && (g->stream.avail_out == 0 || (last && rc != Z_STREAM_END)));
    return why;
}

static void gzip_close(void *state)
{
    struct gzip *g = state;
    deflateEnd(&g->stream);
    free(g);
}

const struct tk_compressor tk_compressor_gzip = {.open = gzip_open, .pack = gzip_pack, .close = gzip_close};

struct zstd {
    ZSTD_CCtx *cctx;
    uint8_t out[OUT_BYTES];
};

static void zstd_close(void *state)
{
    struct zstd *z = state;
    ZSTD_freeCCtx(z->cctx);
    free(z);
}

/* A library without threads says no, and has none. */
static void zstd_threads(void *state, unsigned n)
{
    const struct zstd *z = state;
    (void)ZSTD_CCtx_setParameter(z->cctx, ZSTD_c_nbWorkers,
                                 (int)(n < MOST_ZSTD_THREADS ? n : MOST_ZSTD_THREADS));
}

static void *zstd_open(void)
{
    struct zstd *z = calloc(1, sizeof *z);
    if (!z)
        return NULL;
    z->cctx = ZSTD_createCCtx();
    if (z->cctx && !ZSTD_isError(ZSTD_CCtx_setParameter(z->cctx, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(z->cctx, ZSTD_c_checksumFlag, 1))) {
        zstd_threads(z, 1); /* none would give other bytes than one */
        return z;
    }
    zstd_close(z);
    return NULL;
}

static struct tk_os_result zstd_pack(void *state, const uint8_t *p, size_t n, bool last,
                                     tk_compressed_fn *packed, void *ctx)
{
    struct zstd *z = state;
    ZSTD_inBuffer in = {p, n, 0};
    size_t rest;
    struct tk_os_result why;
    do {
        ZSTD_outBuffer out = {z->out, OUT_BYTES, 0};
        rest = ZSTD_compressStream2(z->cctx, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(rest))
            return failed_packing(ZSTD_getErrorCode(rest) == ZSTD_error_memory_allocation);
        why = packed(ctx, z->out, out.pos);
    } while (!why.error && (last ? rest != 0 : in.pos < in.size));
    return why;
}

const struct tk_compressor tk_compressor_zstd = {
    .open = zstd_open, .pack = zstd_pack, .threads = zstd_threads, .close = zstd_close};

struct lz4 {
    LZ4F_cctx *cctx;
    bool begun;
    size_t room;
    uint8_t *out; /* owned, room bytes: for a piece */
};

static const LZ4F_preferences_t lz4_preferences = {
    .frameInfo = {.blockSizeID = LZ4F_max64KB, .contentChecksumFlag = LZ4F_contentChecksumEnabled}};

static void lz4_close(void *state)
{
    struct lz4 *z = state;
    LZ4F_freeCompressionContext(z->cctx);
    free(z->out);
    free(z);
}

static void *lz4_open(void)
{
    struct lz4 *z = calloc(1, sizeof *z);
    if (!z)
        return NULL;
    z->room = LZ4F_compressBound(LZ4_PIECE, &lz4_preferences) + LZ4F_HEADER_SIZE_MAX;
    z->out = malloc(z->room);
    if (z->out && !LZ4F_isError(LZ4F_createCompressionContext(&z->cctx, LZ4F_VERSION)))
        return z;
    lz4_close(z);
    return NULL;
}

static struct tk_os_result lz4_put(struct lz4 *z, size_t n, tk_compressed_fn *packed, void *ctx)
{
    if (LZ4F_isError(n))
        return failed_packing(tk_lz4frame_no_memory(n));
    return packed(ctx, z->out, n);
}

static struct tk_os_result lz4_pack(void *state, const uint8_t *p, size_t n, bool last,
                                    tk_compressed_fn *packed, void *ctx)
{
    struct lz4 *z = state;
    struct tk_os_result why = {0};
    if (!z->begun)
        why = lz4_put(z, LZ4F_compressBegin(z->cctx, z->out, z->room, &lz4_preferences), packed, ctx);
    z->begun = true;
    while (!why.error && n > 0) {
        size_t piece = n < LZ4_PIECE ? n : LZ4_PIECE;
        why = lz4_put(z, LZ4F_compressUpdate(z->cctx, z->out, z->room, p, piece, NULL), packed, ctx);
        p += piece;
        n -= piece;
    }
    if (!why.error && last)
        why = lz4_put(z, LZ4F_compressEnd(z->cctx, z->out, z->room, NULL), packed, ctx);
    return why;
}

const struct tk_compressor tk_compressor_lz4 = {.open = lz4_open, .pack = lz4_pack, .close = lz4_close};
