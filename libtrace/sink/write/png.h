/*
 * PNG files: writing rows of pixels as one, and reading one row by row. picture.h is what others use.
 */
#ifndef TK_SINK_WRITE_PNG_H
#define TK_SINK_WRITE_PNG_H

#include "sink/write/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TK_RGB = 3 }; /* bytes of a pixel */

/* Where rows come from, the highest first. */
struct tk_pixel_rows {
    void *self;
    int (*next)(void *self, uint8_t *rgb); /* fills a row; 0, or -1: there is none */
    uint32_t width, height;
};

/* Appends a PNG file of the rows, each pixel of which is the mean of `step` by `step`. 0, or -1. */
int tk_rows_png(struct tk_buffer *b, const struct tk_pixel_rows *rows, uint32_t step);

/* Is it a PNG file, by how it begins? Sets its size in pixels. */
bool tk_png_is(const uint8_t *p, size_t n, uint32_t *width, uint32_t *height);

#endif
