/*
 * Arrays of records that are on disk, in pieces of which some are in memory. Stores put there what their
 * budget has no room for.
 */
#ifndef TK_SQL_ROWS_PIECES_H
#define TK_SQL_ROWS_PIECES_H

#include "io/scratch/spill.h"

#include <stddef.h>

enum { TK_SQL_PIECE = 1024, TK_SQL_SLOTS = 32 }; /* records of a piece; pieces that are in memory at a time */

/* Zero-initialise but for `size`. */
struct tk_sql_pieces {
    size_t size;               /* bytes of a record */
    uint64_t n;                /* records */
    uint8_t *last;             /* owned: the piece that is filled */
    struct tk_spilled written; /* the pieces before */
    struct {
        uint64_t piece; /* 1 + its number; 0: none */
        uint8_t *v;     /* owned */
    } slots[TK_SQL_SLOTS];
};

/* Adds a record. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_sql_pieces_add(struct tk_sql_pieces *p, struct tk_spill *file, const void *record, struct tk_err *err);

/* Copies record i, which is there. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_sql_pieces_get(struct tk_sql_pieces *p, const struct tk_spill *file, uint64_t i, void *record,
                      struct tk_err *err);

void tk_sql_pieces_release(struct tk_sql_pieces *p);

#endif
