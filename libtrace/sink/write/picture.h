/*
 * Pictures: pixels of captures as PNG files. Exports write them, pages carry them.
 */
#ifndef TK_SINK_WRITE_PICTURE_H
#define TK_SINK_WRITE_PICTURE_H

#include "sink/write/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pixels as BC1 (DXT1) blocks of 4 x 4, row by row of blocks. Borrowed. */
struct tk_blocks {
    const uint8_t *data;
    size_t n;               /* bytes */
    uint32_t width, height; /* pixels */
    bool flipped;           /* the first row is the lowest one */
};

/* Do the sizes fit the bytes: whole blocks, at most TK_PICTURE_PIXELS pixels? */
#define TK_PICTURE_PIXELS (1u << 24)
bool tk_blocks_valid(const struct tk_blocks *blocks);

/* Appends a PNG file of valid blocks, the highest row first. A pixel of it is the mean of `step` by `step`
 * pixels, 1 for all as they are. Running out of memory shows in the buffer. 0, or -1 if the compressor has no
 * memory. */
int tk_picture_png(struct tk_buffer *b, const struct tk_blocks *blocks, uint32_t step);

/* The same of a PNG file with 8 bits a channel, which is neither interlaced nor has a palette: colours and
 * greys, without transparency. -1 also if it is another file, damaged, or of more than TK_PICTURE_PIXELS. */
int tk_picture_shrink(struct tk_buffer *b, const uint8_t *p, size_t n, uint32_t step);

/* What kind of picture file bytes are, by how they begin: "png", "jpg" or NULL; of a PNG its size in pixels.
 */
const char *tk_picture_kind(const uint8_t *p, size_t n, uint32_t *width, uint32_t *height);

#endif
