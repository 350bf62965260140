/*
 * Unpacks gzip members and streams of zlib, one after another. One of the compressions of decompress.h.
 */
#include "io/decompress.h"

#include <stdlib.h>
#include <zlib.h>

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
