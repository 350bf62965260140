/*
 * Raw LZ4 blocks (no frame), as packets hold them.
 */
#ifndef TK_IO_INPUT_LZ4BLOCK_H
#define TK_IO_INPUT_LZ4BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes a block that must give exactly out_n bytes. */
bool tk_lz4_block(uint8_t *out, size_t out_n, const uint8_t *in, size_t in_n);

/* Decodes what there is of a block whose end is missing; returns the bytes that are certain (<= out_n). */
size_t tk_lz4_cut_block(uint8_t *out, size_t out_n, const uint8_t *in, size_t in_n);

#endif
