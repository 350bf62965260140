/*
 * LZ4 blocks that refer to the block before, and a zstd frame without end; see codec.h.
 */
#include "format/tracy/file/codec.h"

#include <lz4.h>
#include <zstd.h>

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
