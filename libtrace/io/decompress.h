/*
 * Compressions of whole files, each a set of functions of the same shape. spool.c unpacks inputs with them.
 */
#ifndef TK_IO_DECOMPRESS_H
#define TK_IO_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Input and space for output; a step moves the pointers and takes away from the sizes what it used. */
struct tk_decompress_io {
    const uint8_t *in;
    size_t in_n;
    uint8_t *out;
    size_t out_n;
};

enum tk_decompress_state {
    TK_UNPACK_INSIDE,   /* inside a frame: more input is needed, or more space */
    TK_UNPACK_BETWEEN,  /* a frame is complete and given out; another one may follow */
    TK_UNPACK_BROKEN,   /* this is not such data; *why says why (static) */
    TK_UNPACK_NO_MEMORY /* out of memory */
};

struct tk_decompressor {
    const char *name;    /* "zstd", "lz4", "gzip" */
    void *(*open)(void); /* NULL if out of memory */
    enum tk_decompress_state (*step)(void *state, struct tk_decompress_io *io, const char **why);
    void (*close)(void *state);
};

/* The compression that the first n bytes of a file tell, or NULL. */
const struct tk_decompressor *tk_decompressor_of(const uint8_t *p, size_t n);

extern const struct tk_decompressor tk_decompress_zstd;
extern const struct tk_decompressor tk_decompress_lz4;
extern const struct tk_decompressor tk_decompress_gzip;
extern const struct tk_decompressor tk_decompress_zlib;    /* of parts of files, never of whole ones */
extern const struct tk_decompressor tk_decompress_deflate; /* of members of ZIP archives */

/*
 * Raw LZ4 blocks (no frame), as packets hold them.
 */

/* Decodes a block that must give exactly out_n bytes. */
bool tk_lz4_block(uint8_t *out, size_t out_n, const uint8_t *in, size_t in_n);

/* Decodes what there is of a block whose end is missing; returns the bytes that are certain (<= out_n). */
size_t tk_lz4_cut_block(uint8_t *out, size_t out_n, const uint8_t *in, size_t in_n);

#endif
