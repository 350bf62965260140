/*
 * Detects the compression of a file by its first bytes. file.c calls it; spool.c then unpacks the file.
 *
 *   28 b5 2f fd            a zstd frame (RFC 8878, 3.1.1)
 *   04 22 4d 18            an lz4 frame
 *   1f 8b 08               a gzip member (RFC 1952, 2.3)
 *   5X 2a 4d 18, u32 size  a frame to skip, of zstd and lz4 alike: what follows it decides
 */
#include "io/decompress.h"

#include "base/cursor.h"
#include "io/io_in.h"

#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/*
 * Unpacks gzip members and streams of zlib, one after another. One of the compressions of decompress.h.
 */

enum { GZIP_ONLY = 16 }; /* added to the window size: a gzip head is expected */

struct gzip {
    z_stream z;
    bool ended; /* the member is complete: what follows begins another one */
};

static void *open_inflate(int bits)
{
    struct gzip *g = calloc(1, sizeof *g);
    if (g && inflateInit2(&g->z, bits) != Z_OK) {
        free(g);
        g = NULL;
    }
    return g;
}

static void *open_gzip(void)
{
    return open_inflate(MAX_WBITS + GZIP_ONLY);
}

static void *open_zlib(void)
{
    return open_inflate(MAX_WBITS);
}

static void *open_deflate(void)
{
    return open_inflate(-MAX_WBITS);
}

static enum tk_decompress_state step_gzip(void *state, struct tk_decompress_io *io, const char **why)
{
    struct gzip *g = state;
    if (g->ended)
        inflateReset(&g->z);
    g->z.next_in = (z_const Bytef *)io->in;
    g->z.avail_in = (uInt)io->in_n;
    g->z.next_out = io->out;
    g->z.avail_out = (uInt)io->out_n;
    int rc = inflate(&g->z, Z_NO_FLUSH);
    io->in = g->z.next_in;
    io->in_n = g->z.avail_in;
    io->out = g->z.next_out;
    io->out_n = g->z.avail_out;
    g->ended = rc == Z_STREAM_END;
    if (g->ended)
        return TK_UNPACK_BETWEEN;
    /* Z_BUF_ERROR only says that nothing could be done this time. */
    if (rc == Z_OK || rc == Z_BUF_ERROR)
        return TK_UNPACK_INSIDE;
    *why = g->z.msg ? g->z.msg : "no reason given";
    return rc == Z_MEM_ERROR ? TK_UNPACK_NO_MEMORY : TK_UNPACK_BROKEN;
}

static void close_gzip(void *state)
{
    struct gzip *g = state;
    inflateEnd(&g->z);
    free(g);
}

const struct tk_decompressor tk_decompress_gzip = {"gzip", open_gzip, step_gzip, close_gzip};
const struct tk_decompressor tk_decompress_zlib = {"zlib", open_zlib, step_gzip, close_gzip};
const struct tk_decompressor tk_decompress_deflate = {"deflate", open_deflate, step_gzip, close_gzip};

/*
 * Unpacks lz4 frames, one after another. One of the compressions of decompress.h.
 */

static void *open_lz4(void)
{
    LZ4F_dctx *state;
    return LZ4F_isError(LZ4F_createDecompressionContext(&state, LZ4F_VERSION)) ? NULL : state;
}

static enum tk_decompress_state step_lz4(void *state, struct tk_decompress_io *io, const char **why)
{
    size_t in_n = io->in_n, out_n = io->out_n;
    size_t rc = LZ4F_decompress(state, io->out, &out_n, io->in, &in_n, NULL);
    if (LZ4F_isError(rc)) {
        *why = LZ4F_getErrorName(rc);
        return tk_lz4frame_no_memory(rc) ? TK_UNPACK_NO_MEMORY : TK_UNPACK_BROKEN;
    }
    io->in += in_n;
    io->in_n -= in_n;
    io->out += out_n;
    io->out_n -= out_n;
    return rc == 0 ? TK_UNPACK_BETWEEN : TK_UNPACK_INSIDE;
}

static void close_lz4(void *state)
{
    LZ4F_freeDecompressionContext(state);
}

const struct tk_decompressor tk_decompress_lz4 = {"lz4", open_lz4, step_lz4, close_lz4};

/*
 * Unpacks zstd frames, one after another. One of the compressions of decompress.h.
 */

static void *open_zstd(void)
{
    return ZSTD_createDStream();
}

static enum tk_decompress_state step_zstd(void *state, struct tk_decompress_io *io, const char **why)
{
    ZSTD_inBuffer in = {.src = io->in, .size = io->in_n};
    ZSTD_outBuffer out = {.dst = io->out, .size = io->out_n};
    size_t rc = ZSTD_decompressStream(state, &out, &in);
    io->in += in.pos;
    io->in_n -= in.pos;
    io->out += out.pos;
    io->out_n -= out.pos;
    if (ZSTD_isError(rc)) {
        *why = ZSTD_getErrorName(rc);
        return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation ? TK_UNPACK_NO_MEMORY : TK_UNPACK_BROKEN;
    }
    return rc == 0 ? TK_UNPACK_BETWEEN : TK_UNPACK_INSIDE;
}

static void close_zstd(void *state)
{
    ZSTD_freeDStream(state);
}

const struct tk_decompressor tk_decompress_zstd = {"zstd", open_zstd, step_zstd, close_zstd};

/*
 * Unpacks raw LZ4 blocks.
 *
 * A block is a row of sequences: token (high 4 bits: literals, low 4 bits: match length - 4), [literal length
 * bytes], literals, u16 offset back, [match length bytes]. A length of 15 goes on in bytes that are added,
 * the last of which is below 255. The last sequence ends with its literals. (LZ4 block format description,
 * "Compressed block format".)
 */

bool tk_lz4_block(uint8_t *out, size_t out_n, const uint8_t *in, size_t in_n)
{
    if (out_n > LZ4_MAX_INPUT_SIZE || in_n > INT_MAX)
        return false;
    int n = LZ4_decompress_safe((const char *)in, (char *)out, (int)in_n, (int)out_n);
    return n >= 0 && (size_t)n == out_n;
}

/* A length that begins with 4 bits; *whole becomes false when its last byte is missing. */
static size_t read_length(struct tk_cur *c, size_t bits, bool *whole)
{
    size_t n = bits;
    uint8_t more = bits == 15 ? 255 : 0;
    while (more == 255) {
        if (tk_cur_left(c) == 0) {
            *whole = false;
            break;
        }
        more = tk_u8(c, "length");
        n += more;
    }
    return n;
}

static size_t least_lz4block(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t tk_lz4_cut_block(uint8_t *out, size_t out_n, const uint8_t *in, size_t in_n)
{
    struct tk_cur c = tk_cur_of(in, in_n);
    size_t at = 0;
    bool whole = true;
    while (whole && at < out_n && tk_cur_left(&c) > 0) {
        uint8_t token = tk_u8(&c, "token");
        size_t n = read_length(&c, token >> 4, &whole);
        n = least_lz4block(n, least_lz4block(tk_cur_left(&c), out_n - at));
        const uint8_t *p = tk_take(&c, n, "literals");
        if (n)
            memcpy(out + at, p, n);
        at += n;
        if (tk_cur_left(&c) < 2)
            break;
        size_t back = tk_u16(&c, "offset");
        if (back == 0 || back > at)
            break;
        /* A match whose length is cut off is at least as long as what can be read of it. */
        n = least_lz4block(4 + read_length(&c, token & 15, &whole), out_n - at);
        for (; n > 0; n--, at++)
            out[at] = out[at - back];
    }
    return at;
}

static const struct {
    uint32_t magic, mask;
    const struct tk_decompressor *unpacker;
} magics[] = {
    {0xfd2fb528, 0xffffffff, &tk_decompress_zstd},
    {0x184d2204, 0xffffffff, &tk_decompress_lz4},
    {0x00088b1f, 0x00ffffff, &tk_decompress_gzip},
};

enum { SKIPPED_MAGIC = 0x184d2a50, SKIPPED_HEAD = 8 };

static const struct tk_decompressor *by_magic(uint32_t magic)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        if ((magic & magics[i].mask) == magics[i].magic)
            return magics[i].unpacker;
    }
    return NULL;
}

const struct tk_decompressor *tk_decompressor_of(const uint8_t *p, size_t n)
{
    struct tk_cur c = tk_cur_of(p, n);
    const struct tk_decompressor *undecided = NULL;
    while (tk_cur_left(&c) >= 4) {
        uint32_t magic = tk_load32(c.p);
        if ((magic & 0xfffffff0) != SKIPPED_MAGIC || tk_cur_left(&c) < SKIPPED_HEAD) {
            const struct tk_decompressor *found = by_magic(magic);
            return found ? found : undecided;
        }
        /* Both skip such frames, so either will do when what follows is too far away to be seen. */
        undecided = &tk_decompress_zstd;
        tk_u32(&c, "magic");
        tk_take(&c, tk_u32(&c, "size"), "frame");
    }
    return undecided;
}
