/*
 * Sorts more records than memory holds. Records that do not fit are sorted and spilled (spill.h) run by run;
 * reading merges the runs.
 */
#ifndef TK_IO_SCRATCH_EXTERNAL_SORT_H
#define TK_IO_SCRATCH_EXTERNAL_SORT_H

#include "io/scratch/spill.h"

struct tk_external_sort;

/* As for qsort. Records that are equal come in no promised order, so there should be none. */
typedef int tk_external_sort_compare(const void *a, const void *b);

/*
 * Records of `size` bytes each (1 to TK_EXTERNAL_SORT_PIECE). Takes `memory` bytes, at least four pieces of
 * TK_EXTERNAL_SORT_PIECE, whatever comes. dir may be NULL: TMPDIR, else /tmp. TK_OK or TK_ENOMEM.
 */
#define TK_EXTERNAL_SORT_PIECE ((size_t)64 << 10)
int tk_external_sort_open(struct tk_external_sort **out, const char *dir, size_t size,
                          tk_external_sort_compare *compare, size_t memory, struct tk_err *err);

/* Adds a record, which is copied. Not after tk_external_sort_start. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_external_sort_add(struct tk_external_sort *s, const void *record, struct tk_err *err);

/* Begins to read at the first record; also a second time. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_external_sort_start(struct tk_external_sort *s, struct tk_err *err);

/* The next record, borrowed until the next call. TK_ITEM, TK_OK at the end, TK_EOUTPUT. */
int tk_external_sort_next(struct tk_external_sort *s, const void **record, struct tk_err *err);

/* NULL is allowed. */
void tk_external_sort_close(struct tk_external_sort *s);

#endif
