/*
 * Payloads of `.tracy` files put into blocks by the product's packer, for tests that make the payload
 * themselves.
 */
#ifndef TK_TRACY_BLOCKS_WRITER_H
#define TK_TRACY_BLOCKS_WRITER_H

#include "format/tracy/file/sections_out.h"
#include "sink_file.h"

#define TK_TW_BLOCK TK_TRACY_BLOCK

/* The first bytes of the file. The first two have one stream and a codec of their own. */
enum tk_tw_container { TK_TW_TLZ, TK_TW_TZST, TK_TW_MANY };

enum tk_tw_codec { TK_TW_LZ4, TK_TW_LZ4HC, TK_TW_ZSTD };

struct tk_tracy_packing tk_tw_packing(enum tk_tw_container container, enum tk_tw_codec codec, int level,
                                      unsigned streams);

/* tk_tracy_write_fn into a sink of the tests. */
int tk_tw_write_sink(void *sink, const void *p, size_t n, struct tk_err *err);

struct tk_tw_blocks {
    struct tk_uw_sink *sink; /* borrowed */
    struct tk_tracy_packer packer;
    struct tk_uw_bytes pending; /* not yet a block */
};

/* Writes the head. Errors stick in the sink. With TK_TW_TLZ and TK_TW_TZST `streams` is 1 and the codec fits.
 */
void tk_tw_blocks_open(struct tk_tw_blocks *blocks, struct tk_uw_sink *sink, enum tk_tw_container container,
                       enum tk_tw_codec codec, int level, unsigned streams);

/* Writes what has become whole blocks of `pending`. */
void tk_tw_blocks_drain(struct tk_tw_blocks *blocks);

/* Writes the rest as the last block and frees everything. */
void tk_tw_blocks_close(struct tk_tw_blocks *blocks);

#endif
