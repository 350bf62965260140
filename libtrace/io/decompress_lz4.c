/*
 * Unpacks lz4 frames, one after another. One of the compressions of decompress.h.
 */
#include "io/decompress.h"
#include "io/lz4_error.h"

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
