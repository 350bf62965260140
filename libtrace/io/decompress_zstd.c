/*
 * Unpacks zstd frames, one after another. One of the compressions of decompress.h.
 */
#include "io/decompress.h"

#include <zstd.h>
#include <zstd_errors.h>

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
