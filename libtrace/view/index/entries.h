/*
 * Entries of an index as bytes: cells by column, and scopes one after the other. Lanes put them into chunks
 * of the store, windows read them back.
 */
#ifndef TK_INDEX_ENTRIES_H
#define TK_INDEX_ENTRIES_H

#include "view/index/store.h"

/* A cell: what all scopes shorter than a bin cover of it, at one row. */
struct tk_index_cell {
    int64_t bin;
    uint32_t timer; /* of the longest */
    uint16_t row;
    uint8_t cover; /* 1 to 254 of 254 parts */
    uint8_t count; /* scopes that end in it, as tk_index_count_code has it */
};

/* A scope. */
struct tk_index_scope {
    int64_t begin, end;
    uint32_t timer;
    uint16_t row;
    uint8_t flags; /* TK_INDEX_... of index.h */
};

/* Entries of a chunk. */
#define TK_INDEX_CELLS  2048u
#define TK_INDEX_SCOPES 1024u

/* Most bytes that they take. */
#define TK_INDEX_CELLS_BYTES  (TK_INDEX_CELLS * 16u)
#define TK_INDEX_SCOPES_BYTES (TK_INDEX_SCOPES * 32u)

/* A count in a byte: exact below 128, then a quarter of an octave wide, rounded down. And back. */
uint8_t tk_index_count_code(uint64_t count);
uint32_t tk_index_count_of(uint8_t code);

/* How many bytes n entries take, which are written to p. Cells are in order of bins, scopes of ends, and of
 * scopes `end` is not before the begin. */
size_t tk_index_cells_put(uint8_t *p, const struct tk_index_cell *v, size_t n);
size_t tk_index_scopes_put(uint8_t *p, const struct tk_index_scope *v, size_t n);

/* The entries of a chunk of `size` bytes; false where they are not what was written. */
bool tk_index_cells_get(struct tk_index_cell *v, const struct tk_index_chunk *chunk, const uint8_t *p);
bool tk_index_scopes_get(struct tk_index_scope *v, const struct tk_index_chunk *chunk, const uint8_t *p);

#endif
