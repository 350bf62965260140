/*
 * Head and block sizes.
 *
 *   74 6C 5A 04               LZ4, one stream                                                  tracy-file 1
 *   74 5A 73 74               zstd, one stream
 *   74 72 FD 50, u8, u8       0 LZ4 or 1 zstd, number of streams
 *   then blocks to the end    u32 size, that many bytes
 */
#include "base/cursor.h"
#include "base/health/health.h"
#include "fact/format.h"
#include "fact/progress.h"
#include "format/tracy/file/file_in.h"
#include "format/tracy/file/payload.h"
#include "io/file.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/*
 * LZ4 blocks that refer to the block before, and a zstd frame without end.
 */

/* What zstd returns if out of memory; the codes of its errors never change. */
#define NO_MEMORY ((size_t)-64)

static int unpack_lz4(struct tk_tracy_stream *s, const uint8_t *in, size_t n, uint8_t *out, size_t *got)
{
    int size =
        LZ4_decompress_safe_usingDict((const char *)in, (char *)out, (int)n, (int)TK_TRACY_BLOCK,
                                      (const char *)s->previous, s->previous ? (int)TK_TRACY_BLOCK : 0);
    if (size <= 0)
        return TK_EFORMAT;
    *got = (size_t)size;
    s->previous = out;
    return TK_OK;
}

static int open_zstd(struct tk_tracy_stream *s)
{
    if (s->zstd)
        return TK_OK;
    s->zstd = ZSTD_createDCtx();
    if (!s->zstd || ZSTD_isError(ZSTD_DCtx_setParameter(s->zstd, ZSTD_d_windowLogMax, TK_TRACY_WINDOW_LOG)))
        return TK_ENOMEM;
    return TK_OK;
}

/* Runs until the input is used up or nothing moves any more. */
static int drain(struct tk_tracy_stream *s, ZSTD_inBuffer *from, ZSTD_outBuffer *to)
{
    size_t in, out;
    do {
        in = from->pos;
        out = to->pos;
        size_t rc = ZSTD_decompressStream(s->zstd, to, from);
        if (ZSTD_isError(rc))
            return rc == NO_MEMORY ? TK_ENOMEM : TK_EFORMAT;
    } while (from->pos < from->size && (from->pos > in || to->pos > out));
    return from->pos == from->size ? TK_OK : TK_EFORMAT;
}

static int unpack_zstd(struct tk_tracy_stream *s, const uint8_t *in, size_t n, uint8_t *out, size_t *got)
{
    uint8_t more;
    ZSTD_inBuffer from = {in, n, 0};
    ZSTD_outBuffer to = {out, TK_TRACY_BLOCK, 0}, beyond = {&more, 1, 0};
    int rc = open_zstd(s);
    if (rc == TK_OK)
        rc = drain(s, &from, &to);
    /* What does not fit would come out with the next block. */
    if (rc == TK_OK && to.pos == to.size)
        rc = drain(s, &(ZSTD_inBuffer){in, 0, 0}, &beyond);
    *got = to.pos;
    return rc == TK_OK && (beyond.pos || !to.pos) ? TK_EFORMAT : rc;
}

int tk_tracy_stream_unpack(struct tk_tracy_stream *s, enum tk_tracy_codec codec, const uint8_t *in, size_t n,
                           uint8_t *out, size_t *got)
{
    *got = 0;
    return (codec == TK_TRACY_LZ4 ? unpack_lz4 : unpack_zstd)(s, in, n, out, got);
}

void tk_tracy_stream_release(struct tk_tracy_stream *s)
{
    ZSTD_freeDCtx(s->zstd);
    *s = (struct tk_tracy_stream){0};
}

#define MAGIC_BYTES 4
#define SIZE_BYTES  4
#define ZERO_BYTES  ((size_t)256 << 10) /* read at a time where zeros are stepped over */

static const struct magic {
    uint8_t bytes[MAGIC_BYTES];
    const char *text;
    enum tk_tracy_codec codec;
    bool many; /* codec and number of streams follow */
} magics[] = {
    {{0x74, 0x6c, 0x5a, 0x04}, "tlZ", TK_TRACY_LZ4, false},
    {{0x74, 0x5a, 0x73, 0x74}, "tZst", TK_TRACY_ZSTD, false},
    {{0x74, 0x72, 0xfd, 0x50}, "tr", TK_TRACY_LZ4, true},
};

static const struct magic *find_magic(const uint8_t *p, size_t n)
{
    for (size_t i = 0; n >= MAGIC_BYTES && i < sizeof magics / sizeof magics[0]; i++)
        if (memcmp(p, magics[i].bytes, MAGIC_BYTES) == 0)
            return &magics[i];
    return NULL;
}

int tk_tracy_container_probe(const uint8_t *head, size_t n)
{
    return find_magic(head, n) ? 100 : 0;
}

static int parse_head(struct tk_tracy_container *box, struct tk_cur *c, const struct magic *magic,
                      struct tk_err *err)
{
    box->magic = magic->text;
    box->codec = magic->codec;
    box->streams = 1;
    tk_take(c, MAGIC_BYTES, "magic");
    if (magic->many) {
        uint8_t codec = tk_u8(c, "codec");
        box->streams = tk_u8(c, "number of streams");
        if (!tk_cur_ok(c))
            return tk_err_set(err, TK_EFORMAT, "the file ends inside its header (%s)", c->fault);
        if (codec > TK_TRACY_ZSTD)
            return tk_err_set(err, TK_EFORMAT,
                              "compression %u of the capture is not known (0 is LZ4, 1 is zstd)", codec);
        if (!box->streams)
            return tk_err_set(err, TK_EFORMAT, "the header of the capture states 0 streams");
        box->codec = codec == TK_TRACY_ZSTD ? TK_TRACY_ZSTD : TK_TRACY_LZ4;
    }
    box->head = (uint32_t)tk_cur_at(c);
    return TK_OK;
}

static int read_head(struct tk_tracy_container *box, struct tk_context *ctx, struct tk_err *err)
{
    uint8_t p[MAGIC_BYTES + 2];
    size_t got = 0;
    int rc = tk_file_read(ctx->file, 0, p, sizeof p, &got, err);
    const struct magic *magic = rc == TK_OK ? find_magic(p, got) : NULL;
    struct tk_cur c = tk_cur_of(p, got);
    if (rc == TK_OK && !magic)
        rc = tk_err_set(err, TK_EFORMAT, "the file is not a Tracy capture");
    return rc == TK_OK ? parse_head(box, &c, magic, err) : rc;
}

/* The walk ends at `at`, before the end of the file. */
static void note_rest(struct tk_tracy_container *box, struct tk_context *ctx, uint64_t at, uint64_t left,
                      uint32_t size)
{
    bool huge = size > TK_TRACY_BLOCK_STORED;
    if (huge) {
        tk_health_note(
            &ctx->health, TK_HEALTH_PACKET_HEADER_DAMAGED, at, 1,
            "block %zu claims %lu bytes, more than a block can have; the rest of the file was not read",
            box->n, (unsigned long)size);
    } else {
        tk_health_note(&ctx->health, TK_HEALTH_FILE_TRUNCATED, at, 1, "the file ends inside block %zu",
                       box->n);
        box->truncated = true;
    }
    ctx->health.ledger[huge ? TK_LEDGER_UNREADABLE : TK_LEDGER_TRUNCATED] += left;
}

/* The first byte from an offset on that is no zero, or the end of the file, is box->zeros. Behind a
 * preallocated file there may be many. TK_OK, TK_EIO, TK_ENOMEM or TK_ECANCELED. */
static int step_over_zeros(struct tk_tracy_container *box, struct tk_context *ctx, uint64_t at,
                           struct tk_err *err)
{
    uint8_t *p = malloc(ZERO_BYTES);
    int rc = p ? TK_OK : tk_err_nomem(err, "zeros of a capture");
    size_t got = 1, n = 1;
    for (box->zeros = at; rc == TK_OK && got && n == got; box->zeros += n) {
        rc = tk_file_read(ctx->file, box->zeros, p, ZERO_BYTES, &got, err);
        for (n = 0; rc == TK_OK && n < got && !p[n];)
            n++;
        if (rc == TK_OK)
            rc = tk_progress(ctx, box->zeros, ctx->size, err);
    }
    free(p);
    return rc;
}

/* Nothing but zeros stands from `at` on. */
static void note_zeros(struct tk_context *ctx, uint64_t at)
{
    tk_health_note(&ctx->health, TK_HEALTH_PACKET_HEADER_DAMAGED, at, 1,
                   "only zeros follow from here to the end of the file");
    ctx->health.ledger[TK_LEDGER_SKIPPED] += ctx->size - at;
}

/*
 * One block; TK_ITEM while there may be more. Four bytes at a time: what lies between, most of the file, is
 * not touched.
 */
static int walk_block(struct tk_tracy_container *box, struct tk_context *ctx, uint64_t *at,
                      struct tk_err *err)
{
    uint8_t p[SIZE_BYTES];
    size_t got = 0;
    uint64_t left = ctx->size - *at;
    int rc = left ? tk_file_read(ctx->file, *at, p, sizeof p, &got, err) : TK_OK;
    if (rc != TK_OK || !left)
        return rc;
    struct tk_cur c = tk_cur_of(p, got);
    uint32_t size = tk_u32(&c, "block size");
    if (tk_cur_ok(&c) && !size && *at >= box->zeros)
        rc = step_over_zeros(box, ctx, *at, err);
    if (rc != TK_OK)
        return rc;
    if (tk_cur_ok(&c) && !size && box->zeros == ctx->size) {
        note_zeros(ctx, *at);
        return TK_OK;
    }
    if (!tk_cur_ok(&c) || size > left - SIZE_BYTES || size > TK_TRACY_BLOCK_STORED) {
        note_rest(box, ctx, *at, left, size);
        return TK_OK;
    }
    if (box->n >= ctx->limits.packets)
        return tk_err_limit(err, TK_LIMIT_packets, "the capture has too many blocks");
    *at += SIZE_BYTES + size;
    box->n++;
    return tk_vec_push(&box->blocks, *at) ? tk_err_nomem(err, "the index of blocks") : TK_ITEM;
}

static int walk_blocks(struct tk_tracy_container *box, struct tk_context *ctx, struct tk_err *err)
{
    uint64_t at = box->head;
    int rc = tk_vec_push(&box->blocks, at) ? tk_err_nomem(err, "the index of blocks") : TK_ITEM;
    while (rc == TK_ITEM)
        rc = walk_block(box, ctx, &at, err);
    ctx->health.ledger[TK_LEDGER_HEADER] = box->head;
    ctx->health.ledger[TK_LEDGER_FRAMING] = SIZE_BYTES * (uint64_t)box->n;
    ctx->health.ledger[TK_LEDGER_EVENTS] = at - box->head - SIZE_BYTES * (uint64_t)box->n;
    return rc;
}

/* Not even the first block is there. */
static int refuse_empty(const struct tk_tracy_container *box, const struct tk_context *ctx,
                        struct tk_err *err)
{
    if (box->truncated)
        return tk_err_set(err, TK_EFORMAT, "the file ends inside its first block");
    if (ctx->size == box->head)
        return tk_err_set(err, TK_EFORMAT, "the file ends after its header: nothing was recorded");
    if (box->zeros == ctx->size)
        return tk_err_set(err, TK_EFORMAT, "only zeros follow the header");
    return tk_err_set(err, TK_EFORMAT,
                      "the first block of the capture claims more bytes than a block can have");
}

int tk_tracy_container_open(struct tk_tracy_container *box, struct tk_context *ctx, struct tk_err *err)
{
    *box = (struct tk_tracy_container){0};
    int rc = read_head(box, ctx, err);
    if (rc == TK_OK)
        rc = walk_blocks(box, ctx, err);
    if (rc == TK_OK && !box->n)
        rc = refuse_empty(box, ctx, err);
    return rc;
}

void tk_tracy_container_release(struct tk_tracy_container *box)
{
    tk_vec_release(&box->blocks);
}
