/*
 * Compresses output in a thread: one block is filled while the other is compressed. output.c writes through
 * it.
 */
#include "io/io_in.h"
#include "io/output.h"
#include "os/error.h"
#include "os/thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Where packed bytes go. */
typedef struct tk_os_result tk_compressed_fn(void *ctx, const void *p, size_t n);

struct tk_compressor {
    /* NULL if out of memory. */
    void *(*open)(void);
    /* Packs n bytes and hands on what comes out; `last`: ends the data. */
    struct tk_os_result (*pack)(void *state, const uint8_t *p, size_t n, bool last, tk_compressed_fn *packed,
                                void *ctx);
    /* So many threads may work for it (at least 1), from the first byte on; the bytes do not depend on it.
     * NULL: it has one. */
    void (*threads)(void *state, unsigned n);
    void (*close)(void *state);
};

extern const struct tk_compressor tk_compressor_gzip;
extern const struct tk_compressor tk_compressor_zstd;
extern const struct tk_compressor tk_compressor_lz4;

/*
 * A compressor for each kind of compression, used by one thread. compress.c calls it.
 */

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
    size_t capacity;
    uint8_t *out; /* owned, space bytes: for a piece */
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
    z->capacity = LZ4F_compressBound(LZ4_PIECE, &lz4_preferences) + LZ4F_HEADER_SIZE_MAX;
    z->out = malloc(z->capacity);
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
        why = lz4_put(z, LZ4F_compressBegin(z->cctx, z->out, z->capacity, &lz4_preferences), packed, ctx);
    z->begun = true;
    while (!why.error && n > 0) {
        size_t piece = n < LZ4_PIECE ? n : LZ4_PIECE;
        why = lz4_put(z, LZ4F_compressUpdate(z->cctx, z->out, z->capacity, p, piece, NULL), packed, ctx);
        p += piece;
        n -= piece;
    }
    if (!why.error && last)
        why = lz4_put(z, LZ4F_compressEnd(z->cctx, z->out, z->capacity, NULL), packed, ctx);
    return why;
}

const struct tk_compressor tk_compressor_lz4 = {.open = lz4_open, .pack = lz4_pack, .close = lz4_close};

enum { BLOCK_BYTES = 256 << 10 };

struct tk_compress {
    const struct tk_compressor *packer;
    void *state;           /* the packer's */
    struct tk_os_file *to; /* borrowed */
    struct tk_os_thread thread;
    bool running;
    struct tk_os_monitor lock;
    /* guarded by the lock */
    size_t waiting; /* bytes of the block that the thread has or shall take */
    bool busy;      /* it has one */
    bool last, stop;
    struct tk_os_result failed; /* the first failure */
    /* Block `fill` is the writer's, the other the thread's. */
    unsigned fill;
    size_t n;
    uint8_t block[2][BLOCK_BYTES];
};

enum tk_compressing tk_compressing_of(const char *path)
{
    static const struct {
        const char *end;
        enum tk_compressing packing;
    } ends[] = {{".gz", TK_PACKING_GZIP}, {".zst", TK_PACKING_ZSTD}, {".lz4", TK_PACKING_LZ4}};
    size_t n = strlen(path);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t k = strlen(ends[i].end);
        if (n > k && strcmp(path + n - k, ends[i].end) == 0)
            return ends[i].packing;
    }
    return TK_PACKING_NONE;
}

static struct tk_os_result write_packed(void *ctx, const void *p, size_t n)
{
    const struct tk_compress *pack = ctx;
    return n ? tk_os_file_write(pack->to, p, n) : tk_os_result_of(TK_OS_OK);
}

static void work(void *ctx)
{
    struct tk_compress *p = ctx;
    tk_os_monitor_lock(&p->lock);
    for (;;) {
        while (!p->busy && !p->stop)
            tk_os_monitor_wait(&p->lock);
        if (!p->busy)
            break;
        const uint8_t *block = p->block[p->fill ^ 1];
        struct tk_os_result why = p->failed;
        tk_os_monitor_unlock(&p->lock);
        if (!why.error)
            why = p->packer->pack(p->state, block, p->waiting, p->last, write_packed, p);
        tk_os_monitor_lock(&p->lock);
        p->failed = why;
        p->busy = false;
        tk_os_monitor_tell(&p->lock);
    }
    tk_os_monitor_unlock(&p->lock);
}

static const struct tk_compressor *packer_of(enum tk_compressing packing)
{
    static const struct tk_compressor *const packers[] = {[TK_PACKING_GZIP] = &tk_compressor_gzip,
                                                          [TK_PACKING_ZSTD] = &tk_compressor_zstd,
                                                          [TK_PACKING_LZ4] = &tk_compressor_lz4};
    return packers[packing];
}

int tk_compress_open(struct tk_compress **out, enum tk_compressing packing, struct tk_os_file *to,
                     struct tk_err *err)
{
    struct tk_compress *p = malloc(sizeof *p);
    *out = NULL;
    if (!p)
        return tk_err_nomem(err, "a compressed output");
    memset(p, 0, offsetof(struct tk_compress, block));
    if (!tk_os_monitor_init(&p->lock)) {
        free(p);
        return tk_err_nomem(err, "a compressed output");
    }
    p->packer = packer_of(packing);
    p->to = to;
    p->state = p->packer->open();
    p->running = p->state && tk_os_thread_start(&p->thread, work, p);
    if (!p->running) {
        tk_compress_close(p);
        return tk_err_nomem(err, "a compressed output");
    }
    *out = p;
    return TK_OK;
}

void tk_compress_threads(struct tk_compress *p, unsigned n)
{
    if (p->packer->threads)
        p->packer->threads(p->state, n);
}

/* Waits until the thread is idle. What failed so far. */
static struct tk_os_result wait_idle(struct tk_compress *p)
{
    tk_os_monitor_lock(&p->lock);
    while (p->busy)
        tk_os_monitor_wait(&p->lock);
    struct tk_os_result why = p->failed;
    tk_os_monitor_unlock(&p->lock);
    return why;
}

static struct tk_os_result hand_over(struct tk_compress *p, bool last)
{
    struct tk_os_result why = wait_idle(p);
    tk_os_monitor_lock(&p->lock);
    p->fill ^= 1;
    p->waiting = p->n;
    p->last = last;
    p->busy = true;
    tk_os_monitor_tell(&p->lock);
    tk_os_monitor_unlock(&p->lock);
    p->n = 0;
    return why;
}

struct tk_os_result tk_compress_write(struct tk_compress *p, const void *bytes, size_t n)
{
    const uint8_t *in = bytes;
    struct tk_os_result why = {0};
    while (n > 0 && !why.error) {
        size_t some = n < BLOCK_BYTES - p->n ? n : BLOCK_BYTES - p->n;
        memcpy(p->block[p->fill] + p->n, in, some);
        p->n += some;
        in += some;
        n -= some;
        if (p->n == BLOCK_BYTES)
            why = hand_over(p, false);
    }
    return why;
}

struct tk_os_result tk_compress_finish(struct tk_compress *p)
{
    struct tk_os_result why = hand_over(p, true), last = wait_idle(p);
    return why.error ? why : last;
}

void tk_compress_close(struct tk_compress *p)
{
    if (!p)
        return;
    if (p->running) {
        tk_os_monitor_lock(&p->lock);
        p->stop = true;
        tk_os_monitor_tell(&p->lock);
        tk_os_monitor_unlock(&p->lock);
        tk_os_thread_join(&p->thread);
    }
    if (p->state)
        p->packer->close(p->state);
    tk_os_monitor_destroy(&p->lock);
    free(p);
}
