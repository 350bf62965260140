/*
 * Compresses bytes on their way to a file, in a thread of its own, so that the caller does not wait for
 * it. output.c writes through it.
 */
#ifndef TK_IO_OUTPUT_COMPRESS_H
#define TK_IO_OUTPUT_COMPRESS_H

#include "base/err.h"
#include "os/file.h"

struct tk_compress;

enum tk_compressing { TK_PACKING_NONE, TK_PACKING_GZIP, TK_PACKING_ZSTD, TK_PACKING_LZ4 };

/* What a file of this name is packed with: by its end, .gz, .zst or .lz4. */
enum tk_compressing tk_compressing_of(const char *path);

/* Packs what is written to a file (borrowed). TK_OK or TK_ENOMEM. */
int tk_compress_open(struct tk_compress **out, enum tk_compressing packing, struct tk_os_file *to,
                     struct tk_err *err);

/* So many threads may pack, where the kind of packing can share its work; before the first write. */
void tk_compress_threads(struct tk_compress *p, unsigned n);

/* Takes n bytes. A failure is of this write or of an earlier one. */
struct tk_os_result tk_compress_write(struct tk_compress *p, const void *bytes, size_t n);

/* Writes what closes the packed data; nothing may be written afterwards. */
struct tk_os_result tk_compress_finish(struct tk_compress *p);

/* Waits for the thread and frees; what was not finished is of no use. NULL is allowed. */
void tk_compress_close(struct tk_compress *p);

#endif
