/*
 * Compresses bytes on their way to a descriptor, in a thread of its own, so that the caller does not wait for
 * it. output.c writes through it.
 */
#ifndef TK_IO_OUTPUT_COMPRESS_H
#define TK_IO_OUTPUT_COMPRESS_H

#include "base/err.h"

struct tk_compress;

enum tk_compressing { TK_PACKING_NONE, TK_PACKING_GZIP, TK_PACKING_ZSTD, TK_PACKING_LZ4 };

/* What a file of this name is packed with: by its end, .gz, .zst or .lz4. */
enum tk_compressing tk_compressing_of(const char *path);

/* Packs what is written to a descriptor (borrowed). TK_OK or TK_ENOMEM. */
int tk_compress_open(struct tk_compress **out, enum tk_compressing packing, int fd, struct tk_err *err);

/* Takes n bytes. 0, or an errno: of this write or of an earlier one. */
int tk_compress_write(struct tk_compress *p, const void *bytes, size_t n);

/* Writes what closes the packed data; nothing may be written afterwards. 0, or an errno. */
int tk_compress_finish(struct tk_compress *p);

/* Waits for the thread and frees; what was not finished is of no use. NULL is allowed. */
void tk_compress_close(struct tk_compress *p);

#endif
