/*
 * Deep copies of cells, for code that keeps rows longer than their batch. Results keep their rows with it.
 */
#ifndef TK_TABLE_DEEP_COPY_H
#define TK_TABLE_DEEP_COPY_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "tracekit.h"

/* Zero-initialise to begin. The copies live as long as the copier. */
struct tk_copier {
    struct tk_arena arena;
    struct tk_map type_index;                    /* address of a type -> index in types */
    TK_VEC(const struct tk_record_type *) types; /* copies, in the arena */
};

/*
 * Copies a cell and all it points to; records become records of their fields' values with a type of their
 * own. near (may be NULL) is an earlier copy: an equal text shares its bytes. TK_OK, TK_ENOMEM, TK_ELIMIT
 * (nested deeper than TK_CELL_DEPTH).
 */
int tk_copy_cell(struct tk_copier *c, struct tk_cell *out, const struct tk_cell *in,
                 const struct tk_cell *near, struct tk_err *err);

/* A copy of a table's description with all its texts; NULL if out of memory. */
struct tk_table *tk_copy_table(struct tk_copier *c, const struct tk_table *table);

/* Forgets which types were copied already: addresses may mean other types from now on. */
void tk_copier_forget(struct tk_copier *c);

void tk_copier_release(struct tk_copier *c);

#endif
