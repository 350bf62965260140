/*
 * The blocks of a container, unpacked in order and ahead of their use.
 *
 * Each stream of the container is unpacked by the pool as far ahead as it has places. Memory is bounded by
 * these and the windows of the streams (zstd).
 */
#ifndef TK_FORMAT_TRACY_CONTAINER_BLOCKS_H
#define TK_FORMAT_TRACY_CONTAINER_BLOCKS_H

#include "base/cursor.h"
#include "format/tracy/file/container.h"

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
