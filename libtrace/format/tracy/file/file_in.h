/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_TRACY_FILE_FILE_IN_H
#define TK_FORMAT_TRACY_FILE_FILE_IN_H

#include "format/tracy/file/payload.h"

/*
 * One compressed stream of a container: blocks in, 64 KiB out (tracy-file 1).
 */

/* Largest zstd window that is accepted, as a power of two: 128 MiB, what level 22 requests. */
#define TK_TRACY_WINDOW_LOG 27

/* Zero-initialise to begin. Used by one thread at a time. */
struct tk_tracy_stream {
    const uint8_t *previous;  /* LZ4: the block before, unpacked; borrowed. NULL before the first */
    struct ZSTD_DCtx_s *zstd; /* owned */
};

/*
 * Unpacks the next block of the stream, n bytes, to `out` with space for TK_TRACY_BLOCK; *got bytes come out.
 * TK_OK, TK_EFORMAT (does not unpack; the stream is of no use any more), TK_ENOMEM.
 */
int tk_tracy_stream_unpack(struct tk_tracy_stream *s, enum tk_tracy_codec codec, const uint8_t *in, size_t n,
                           uint8_t *out, size_t *got);

void tk_tracy_stream_release(struct tk_tracy_stream *s);

#endif
