/*
 * Rows of a table of two captures, joined by what they are called. difference.c makes tables of them.
 */
#ifndef TK_DIFFERENCE_DIFFERENCE_ROWS_H
#define TK_DIFFERENCE_DIFFERENCE_ROWS_H

#include "base/hash.h"
#include "base/vec.h"
#include "tracekit.h"

enum { TK_DIFFERENCE_KEYS = 4, TK_DIFFERENCE_VALUES = 6, TK_DIFFERENCE_KINDS = 16 };

/* Sums of the rows of a capture. */
struct tk_difference_side {
    int64_t values[TK_DIFFERENCE_VALUES];
    size_t rows;
};

struct tk_difference_row {
    struct tk_cell keys[TK_DIFFERENCE_KEYS]; /* of the results */
    struct tk_difference_side sides[2];
    size_t kind;   /* number of the first key, in order of first appearance, as far as there is room */
    size_t number; /* in order of first appearance */
};

/* Zero-initialise to begin. */
struct tk_difference {
    struct tk_result *results[2]; /* owned */
    TK_VEC(struct tk_difference_row) rows;
    struct tk_map index;
    struct tk_cell kinds[TK_DIFFERENCE_KINDS]; /* first keys, in order of first appearance */
    size_t n_kinds;
};

/*
 * Adds the rows of the only table of a result, which is owned from now on, to a side. Keys and values are
 * columns, up to the first that is NULL. Where the last but one key has a value, the last does not count: it
 * is an id that the name stands for. 0, or -1 if out of memory.
 */
int tk_difference_add(struct tk_difference *d, int side, struct tk_result *result, const char *const *keys,
                      const char *const *values);

void tk_difference_release(struct tk_difference *d);

#endif
