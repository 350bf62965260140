/*
 * Packets inside of packets, compressed (import 5.1).
 */
#ifndef TK_FORMAT_PERFETTO_PACKED_UNPACK_H
#define TK_FORMAT_PERFETTO_PACKED_UNPACK_H

#include "base/cursor.h"

enum tk_pf_unpacked {
    TK_PF_UNPACKED,
    TK_PF_UNPACK_BROKEN,    /* what came before the fault is there */
    TK_PF_UNPACK_TOO_LARGE, /* likewise */
    TK_PF_UNPACK_NO_MEMORY
};

/* Unpacks a stream of zlib or of zstd into a buffer that grows, at most to `most` bytes or 64 MiB. */
enum tk_pf_unpacked tk_pf_unpack(struct tk_bytes packed, bool zstd, uint64_t most, uint8_t **buf, size_t *cap,
                                 struct tk_bytes *out);

#endif
