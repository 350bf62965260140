/*
 * What spill_column.c and spill_column_read.c share: changes of spilled records, as they are stored in order
 * of their index.
 */
#ifndef TK_IO_SCRATCH_SPILL_COLUMN_CHANGE_H
#define TK_IO_SCRATCH_SPILL_COLUMN_CHANGE_H

#include "io/scratch/spill_column.h"

enum { TK_SPILL_COLUMN_CHANGES = 256 }; /* most changes of a piece */

struct tk_spill_column_change {
    uint64_t index;
    uint8_t record[TK_SPILL_COLUMN_CHANGED];
};

/* The temporary file of a store; NULL where nothing was spilled. */
struct tk_spill *tk_spill_columns_file(const struct tk_spill_columns *s);

#endif
