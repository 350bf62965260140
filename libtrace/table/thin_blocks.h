/*
 * Thin blocks: many blocks of memory that grow now and then, without holes between them. Those of a size,
 * which is a multiple of 32 bytes, lie one after the other, and where one goes, the last one of its size
 * takes its place. As blocks move so, each begins with the address of the only pointer to it, which is kept
 * right.
 */
#ifndef TK_STATS_THIN_BLOCKS_H
#define TK_STATS_THIN_BLOCKS_H

#include "base/vec.h"

#include <stdint.h>

#define TK_THIN_STEP 32u
#define TK_THIN_MOST 1024u /* bytes of a block */

/* Blocks of a size. */
struct tk_thin_size {
    TK_VEC(char *) chunks; /* owned; for 1, 2, 4 and more blocks, and then as many as 4 KB hold */
    uint32_t n;            /* blocks */
};

/* Zero-initialise to begin. */
struct tk_thin_blocks {
    TK_VEC(struct tk_thin_size) sizes; /* by steps, less one */
};

/*
 * Makes *ref, a block of `from` bytes (or 0: NULL), one of `to` bytes (or 0, and *ref NULL), at most
 * TK_THIN_MOST, with the same contents as far as both reach, except for the address at the beginning. Another
 * block may move. 0, or -1 if out of memory: then nothing changes.
 */
int tk_thin_blocks_resize(struct tk_thin_blocks *b, void *ref, size_t from, size_t to);

/* Frees all blocks; pointers to them are left as they are. */
void tk_thin_blocks_release(struct tk_thin_blocks *b);

#endif
