/*
 * Sorter: more records than memory holds, in order. What does not fit is sorted and spilled (spill.h) run by
 * run; reading merges the runs.
 */
#ifndef TK_IO_SCRATCH_EXTERNAL_SORT_H
#define TK_IO_SCRATCH_EXTERNAL_SORT_H

#include "io/scratch/spill.h"

struct tk_sorter;

/* As for qsort. Records that are equal come in no promised order, so there should be none. */
typedef int tk_sorter_compare(const void *a, const void *b);

/*
 * Records of `size` bytes each (1 to TK_SORTER_PIECE). Takes `memory` bytes, at least four pieces of
 * TK_SORTER_PIECE, whatever comes. dir may be NULL: TMPDIR, else /tmp. TK_OK or TK_ENOMEM.
 */
#define TK_SORTER_PIECE ((size_t)64 << 10)
int tk_sorter_open(struct tk_sorter **out, const char *dir, size_t size, tk_sorter_compare *compare,
                   size_t memory, struct tk_err *err);

/* Adds a record, which is copied. Not after tk_sorter_start. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_sorter_add(struct tk_sorter *s, const void *record, struct tk_err *err);

/* Begins to read at the first record; also a second time. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_sorter_start(struct tk_sorter *s, struct tk_err *err);

/* The next record, borrowed until the next call. TK_ITEM, TK_OK at the end, TK_EOUTPUT. */
int tk_sorter_next(struct tk_sorter *s, const void **record, struct tk_err *err);

/* NULL is allowed. */
void tk_sorter_close(struct tk_sorter *s);

#endif
