/*
 * The container of a .tracy file that is written: its head, and blocks of 64 KiB that one or several streams
 * compress in turn (tracy-file 1). payload.h cuts the payload into the blocks.
 */
#ifndef TK_FORMAT_TRACY_WRITE_PACKER_H
#define TK_FORMAT_TRACY_WRITE_PACKER_H

#include "base/err.h"
#include "format/tracy/file/container.h"
#include "io/scratch/pool.h"

/* The first bytes of the file. The first two have one stream and a codec of their own. */
enum tk_tracy_mark { TK_TRACY_MARK_LZ4, TK_TRACY_MARK_ZSTD, TK_TRACY_MARK_STREAMS };

struct tk_tracy_packing {
    enum tk_tracy_mark mark;
    enum tk_tracy_codec codec;
    int level;            /* of zstd; of LZ4: 0 is the fast one, others are those of LZ4 HC */
    unsigned streams;     /* 1 to 255 */
    struct tk_pool *pool; /* whose threads compress while blocks are filled; borrowed; NULL: nobody does. The
                             file is the same */
};

/* What Tracy's own tools of a version choose: one stream of LZ4 before 0.11, four of zstd level 3 since. */
struct tk_tracy_packing tk_tracy_packing_of(uint32_t version);

/* Takes bytes of the file. TK_OK or a negative TK_E... with its cause. */
typedef int tk_tracy_write_fn(void *ctx, const void *p, size_t n, struct tk_err *err);

struct tk_tracy_packed_stream {
    uint8_t *capacity; /* owned: the block that is filled, the one under way, and that before it, in turn */
    size_t filled;     /* bytes of the block that waits */
    const uint8_t *block; /* the one under way, n bytes, */
    size_t n;
    uint8_t *packed; /* and what became of it, `size` bytes, 0 where it failed; owned */
    size_t size;
    unsigned turn;
    union LZ4_stream_u *lz4; /* owned, one of the three */
    union LZ4_streamHC_u *lz4hc;
    struct ZSTD_CCtx_s *zstd;
};

struct tk_tracy_packer {
    struct tk_tracy_packing packing;
    tk_tracy_write_fn *write;
    void *ctx; /* borrowed */
    unsigned turn;
    unsigned waiting;                       /* blocks that are filled, */
    unsigned first, running;                /* those that are under way, and the turn of the first of them */
    struct tk_tracy_packed_stream *streams; /* owned */
    struct tk_task task;
};

/* Writes the head. TK_OK, TK_EUSAGE (a packing that no file can have), TK_ENOMEM or what `write` said. Close
 * it in any case. */
int tk_tracy_packer_open(struct tk_tracy_packer *p, const struct tk_tracy_packing *packing,
                         tk_tracy_write_fn *write, void *ctx, struct tk_err *err);

/* Where the next block is to be put: space for TK_TRACY_BLOCK bytes. */
uint8_t *tk_tracy_packer_space(struct tk_tracy_packer *p);

/* Packs and writes the n bytes in that space, at once or with later ones: TK_TRACY_BLOCK of them but for the
 * last block. TK_OK, TK_ENOMEM or what `write` said. */
int tk_tracy_packer_block(struct tk_tracy_packer *p, size_t n, struct tk_err *err);

/* Writes all that is not written yet. As tk_tracy_packer_block. */
int tk_tracy_packer_flush(struct tk_tracy_packer *p, struct tk_err *err);

/* Frees everything; a packer of zeros may be closed. */
void tk_tracy_packer_close(struct tk_tracy_packer *p);

#endif
