/*
 * The temporary file of an index: chunks of entries, packed, and lists that say where they are. Lanes write
 * to it while they are built, by several workers; windows read it.
 */
#ifndef TK_INDEX_STORE_H
#define TK_INDEX_STORE_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a chunk is. Entries of a list come in order of their keys: bins of cells, ends of scopes. */
struct tk_index_chunk {
    uint64_t offset;
    uint32_t stored;     /* bytes in the file */
    uint32_t size;       /* bytes when unpacked */
    uint32_t n;          /* entries */
    int64_t first, last; /* least and greatest key */
};

/* The chunks of one kind of a lane, in order. */
struct tk_index_chunks {
    TK_VEC(struct tk_index_chunk) v;
};

struct tk_index_store;

/* folder may be NULL: TMPDIR, else /tmp. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_index_store_open(struct tk_index_store **out, const char *folder, unsigned workers,
                        struct tk_err *err);

/*
 * Packs size bytes, where that makes them fewer and `packs` is set, and appends them to a list; `chunk` has
 * n and the keys. Called by several workers at one time, for lists of their own. TK_OK, TK_ENOMEM, or
 * TK_EOUTPUT, of which the cause is kept (tk_index_store_failed).
 */
int tk_index_store_add(struct tk_index_store *s, struct tk_index_chunks *list, struct tk_index_chunk chunk,
                       const void *p, size_t size, bool packs, unsigned worker);

/* The first failure to write, TK_OK where there was none. */
int tk_index_store_failed(struct tk_index_store *s, struct tk_err *err);

/* Reads a chunk: its bytes, borrowed until the next call. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_index_store_read(struct tk_index_store *s, const struct tk_index_chunk *chunk, const uint8_t **out,
                        struct tk_err *err);

/* Bytes of the file. */
uint64_t tk_index_store_bytes(const struct tk_index_store *s);

/* The first chunk of a list whose last key is not before one. */
size_t tk_index_chunks_from(const struct tk_index_chunks *list, int64_t key);

/* NULL is allowed. */
void tk_index_store_close(struct tk_index_store *s);

#endif
