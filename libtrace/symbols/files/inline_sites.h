/*
 * Inlined calls of a procedure of a PDB: where in its code they are, and from which lines that was made. The
 * reader of modules collects them and asks. See pdb_internal.h. (symbols 5)
 */
#ifndef TK_SYMBOLS_PDB_INLINE_SITES_H
#define TK_SYMBOLS_PDB_INLINE_SITES_H

#include "symbols/files/pdb_internal.h"

enum { TK_PDB_MOST_DEPTH = 256 };

/* A place in a source: the file by its place in the checksums of the module. */
struct tk_pdb_source {
    uint32_t file, line;
};

struct tk_pdb_row {
    uint64_t address, end; /* end: of the part that it belongs to */
    struct tk_pdb_source source;
    size_t order;
};

/* Code of an inlined call, from the start of its procedure. */
struct tk_pdb_range {
    uint64_t from, end;
    struct tk_pdb_source source;
};

/* An inlined call that holds an address. */
struct tk_pdb_hit {
    uint32_t function; /* id */
    uint32_t depth;
    uint32_t around; /* place of that around it, or UINT32_MAX */
    struct tk_pdb_source source;
};

/* A module while it is read. */
struct tk_pdb_reading {
    const struct tk_pdb *pdb;
    struct tk_pdb_names *names;
    struct tk_sym_question *const *questions; /* n, by address */
    size_t n;
    struct tk_bytes checksums;
    TK_VEC(struct tk_pdb_source) inlinees; /* where an inlined function begins */
    struct tk_map inlinee_index;           /* id -> place */
    TK_VEC(struct tk_pdb_row) rows;        /* by address */
    TK_VEC(struct tk_pdb_range) ranges;    /* of one inlined call */
    TK_VEC(struct tk_pdb_hit) hits;
    uint32_t *innermost; /* owned: by question, the place of its hit, or UINT32_MAX */
    uint32_t depth;      /* inlined calls that are open */

    /* the procedure: where it begins, and its questions */
    uint64_t base;
    size_t first, n_inside;
};

/* Takes the record of an inlined call, whose notes begin at an offset of it. 0, or -1 if out of memory. */
int tk_pdb_site_open(struct tk_pdb_reading *r, struct tk_bytes record, size_t notes);

/* Adds the frames of the inlined calls that hold question i, innermost first. */
void tk_pdb_sites_answer(struct tk_pdb_reading *r, size_t i);

void tk_pdb_reading_release(struct tk_pdb_reading *r);

#endif
