/*
 * Cells: what sinks and results do with one value, whatever table it stands in.
 */
#ifndef TK_TABLE_CELL_H
#define TK_TABLE_CELL_H

#include <stdbool.h>

#include "tracekit.h"

/* Lists and records inside each other, the outermost counted; whoever makes cells stays below. What is deeper
 * is TK_ELIMIT for sinks. */
#define TK_CELL_DEPTH 32

/*
 * Element i (< array->n) of a TK_ARRAY as a cell of kind BOOL, INT, UINT, HEX, REAL32 or REAL. Undefined
 * numbers (TK_BYTES) come as UINT; an impossible width gives TK_NONE.
 */
void tk_cell_element(const struct tk_cell *array, uint32_t i, struct tk_cell *out);

/*
 * Order of two cells: negative, 0, positive. Numbers of all kinds compare by value, texts and bytes by their
 * bytes; numbers stand before texts, texts before lists and records (which are all equal).
 */
int tk_cell_compare(const struct tk_cell *a, const struct tk_cell *b);

/* 0: a value; 1: NaN; 2: no value. What sorts last whichever way is sorted, in this order. */
unsigned tk_cell_absence(const struct tk_cell *c);

/* The text of a TK_TEXT cell. */
static inline struct tk_str tk_cell_text(const struct tk_cell *c)
{
    return (struct tk_str){.p = c->v.p, .n = c->n, .enc = c->enc};
}

#endif
