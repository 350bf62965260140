/*
 * A compressor for each kind of compression, used by one thread. compress.c calls it.
 */
#ifndef TK_IO_OUTPUT_COMPRESSOR_H
#define TK_IO_OUTPUT_COMPRESSOR_H

#include "os/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where packed bytes go. */
typedef struct tk_os_result tk_compressed_fn(void *ctx, const void *p, size_t n);

struct tk_compressor {
    /* NULL if out of memory. */
    void *(*open)(void);
    /* Packs n bytes and hands on what comes out; `last`: ends the data. */
    struct tk_os_result (*pack)(void *state, const uint8_t *p, size_t n, bool last, tk_compressed_fn *packed,
                                void *ctx);
    /* So many threads may work for it (at least 1), from the first byte on; the bytes do not depend on it.
     * NULL: it has one. */
    void (*threads)(void *state, unsigned n);
    void (*close)(void *state);
};

extern const struct tk_compressor tk_compressor_gzip;
extern const struct tk_compressor tk_compressor_zstd;
extern const struct tk_compressor tk_compressor_lz4;

#endif
