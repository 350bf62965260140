/*
 * The container of a .tracy file: which codec, how many streams, where its blocks lie (tracy-file 1).
 */
#ifndef TK_FORMAT_TRACY_FILE_CONTAINER_H
#define TK_FORMAT_TRACY_FILE_CONTAINER_H

#include "base/cursor.h"
#include "base/vec.h"
#include "fact/format.h"

#define TK_TRACY_BLOCK 65536u /* bytes that each block but the last unpacks to */

/* Most bytes that a block can take in the file: the larger bound of the two codecs, rounded up. */
#define TK_TRACY_BLOCK_STORED (TK_TRACY_BLOCK + 1024u)

enum tk_tracy_codec { TK_TRACY_LZ4, TK_TRACY_ZSTD };

struct tk_tracy_container {
    enum tk_tracy_codec codec;
    unsigned streams;        /* 1 .. 255 */
    const char *magic;       /* as text, static */
    uint32_t head;           /* bytes before the first block */
    TK_VEC(uint64_t) blocks; /* file offset of each whole block, and of what follows the last one */
    size_t n;                /* blocks */
    uint64_t zeros;          /* offset behind zeros that were seen */
    bool truncated;          /* the file ends inside a block */
};

/* tk_format.probe */
int tk_tracy_container_probe(const uint8_t *head, size_t n);

/*
 * Reads the head and walks the sizes of the blocks; fills the ledger and notes where the walk ends early.
 * TK_OK; TK_EFORMAT with a sentence when the head makes no sense, TK_EIO, TK_ENOMEM, TK_ELIMIT (packets).
 */
int tk_tracy_container_open(struct tk_tracy_container *box, struct tk_context *ctx, struct tk_err *err);

void tk_tracy_container_release(struct tk_tracy_container *box);

/*
 * The blocks of a container, unpacked in order and ahead of their use.
 *
 * Each stream of the container is unpacked by the pool as far ahead as it has places. Memory is bounded by
 * these and the windows of the streams (zstd).
 */

struct tk_tracy_blocks;

/* Begins at the first block. ctx and box are borrowed. TK_OK or TK_ENOMEM. */
int tk_tracy_blocks_open(struct tk_tracy_blocks **out, struct tk_context *ctx,
                         const struct tk_tracy_container *box, struct tk_err *err);

/*
 * The next bytes of the unpacked stream, borrowed until the next call. TK_ITEM; TK_OK behind the last block
 * that can be unpacked; TK_EIO, TK_ENOMEM.
 */
int tk_tracy_blocks_next(struct tk_tracy_blocks *b, struct tk_bytes *out, struct tk_err *err);

/* 1 + the worker of the pool who is to unpack the next bytes, and has them at hand then (tk_task.home). */
unsigned tk_tracy_blocks_home(const struct tk_tracy_blocks *b);

/*
 * After TK_OK: the block that cannot be unpacked, why (static), and whether the file became shorter; box->n
 * and NULL when there was none.
 */
size_t tk_tracy_blocks_bad(const struct tk_tracy_blocks *b, const char **why, bool *gone);

/* After TK_OK: is the last block that was unpacked a full one, so that more may have followed it? */
bool tk_tracy_blocks_full(const struct tk_tracy_blocks *b);

/* NULL is allowed. */
void tk_tracy_blocks_close(struct tk_tracy_blocks *b);

#endif
