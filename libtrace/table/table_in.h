/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_TABLE_TABLE_IN_H
#define TK_TABLE_TABLE_IN_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "table/sink.h"
#include "table/sketch.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Deep copies of cells, for code that keeps rows longer than their batch. Results keep their rows with it.
 */

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

/*
 * Rows as bytes, for those that are only sorted, cut and sent on: a quarter of what they take as cells, or
 * less.
 */

/* Zero-initialise to begin. */
struct tk_packed_rows {
    TK_VEC(uint8_t) bytes;         /* row after row */
    TK_VEC(struct tk_cell) values; /* copies of cells that are more than a number; equal texts are one */
    struct tk_map index;           /* hash of a text -> place in values */
    size_t *order;                 /* owned: where rows begin in bytes; NULL: as they came */
};

/* Appends a row of n cells; what they point to is copied by the copier, which outlives the rows. TK_OK,
 * TK_ENOMEM or TK_ELIMIT. */
int tk_packed_rows_add(struct tk_packed_rows *p, struct tk_copier *copier, const struct tk_cell *row,
                       size_t n, struct tk_err *err);

/* Where the row with a number begins; `before` is where the one before it ended, which counts as long as
 * there is no order. */
static inline size_t tk_packed_rows_at(const struct tk_packed_rows *p, size_t row, size_t before)
{
    return p->order ? p->order[row] : before;
}

/* The n cells of the row that begins at a place; returns where it ends. */
size_t tk_packed_rows_get(const struct tk_packed_rows *p, size_t at, struct tk_cell *row, size_t n);

/* Puts the first n_rows rows, each of n cells, in order, stably. 0, or -1 if out of memory. */
int tk_packed_rows_sort(struct tk_packed_rows *p, const struct tk_row_order *o, size_t n, size_t n_rows);

/* Keeps those of the first *n_rows rows for which `pass` is true, in their order. 0, or -1 if out of
 * memory. */
int tk_packed_rows_keep(struct tk_packed_rows *p, size_t n, size_t *n_rows,
                        bool (*pass)(void *ctx, const struct tk_cell *row), void *ctx);

/* Takes as the order of rows the `kept` of the first n_rows rows (each of n cells) whose numbers are in
 * `order`, which holds places afterwards and is owned by the rows. 0, or -1: out of memory. */
int tk_packed_rows_take(struct tk_packed_rows *p, size_t n, size_t n_rows, size_t *order, size_t kept);

void tk_packed_rows_release(struct tk_packed_rows *p);

/*
 * Rows in groups: those with equal keys stand together.
 */

/* The key of a row's cells in n columns; rows whose cells are equal have equal keys. */
uint64_t tk_row_groups_key(const struct tk_cell *row, const uint32_t *columns, size_t n);

/*
 * Puts the numbers of the rows that are kept into `order` (space for n): groups in the order of their first
 * rows, of each the first `most` rows in their order. Returns how many these are, or SIZE_MAX: out of memory.
 */
size_t tk_row_groups_order(const uint64_t *keys, size_t n, size_t most, size_t *order);

/*
 * Ranges of counters, which grow by steps at both ends, and sums of counters of eight bytes at a time; for
 * the kinds of sketches.
 */

/* n buckets from `first` on. */
struct tk_sketch_span {
    uint32_t first, n;
};

/* Widened by whole steps to hold the buckets from `least` to `greatest`. */
static inline struct tk_sketch_span tk_sketch_span_with(struct tk_sketch_span now, uint32_t least,
                                                        uint32_t greatest, uint32_t step)
{
    uint32_t low = least / step * step, high = greatest / step * step + step;
    const uint32_t first = now.n ? now.first : low;
    low = low < first ? low : first;
    high = high > first + now.n ? high : first + now.n;
    return (struct tk_sketch_span){low, high - low};
}

/* Makes n elements of an array the ones from `before` on of `all` elements, of which the others are 0. */
static inline void tk_sketch_span_shift(void *v, size_t size, uint32_t n, uint32_t before, uint32_t all)
{
    char *p = v;
    memmove(p + before * size, p, n * size);
    memset(p, 0, before * size);
    memset(p + (before + n) * size, 0, (all - before - n) * size);
}

static inline uint64_t tk_sketch_eight(const uint8_t *counts)
{
    uint64_t x;
    memcpy(&x, counts, sizeof x);
    return x;
}

/* The sum of eight bytes. */
static inline uint64_t tk_sketch_sum_of_bytes(uint64_t x)
{
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
    return ((x & even) + (x >> 8 & even)) * UINT64_C(0x0001000100010001) >> 48;
}

/* The sum of sixteen halves. */
static inline uint64_t tk_sketch_sum_of_halves(uint64_t x)
{
    const uint64_t half = UINT64_C(0x0f0f0f0f0f0f0f0f);
    return tk_sketch_sum_of_bytes((x & half) + (x >> 4 & half));
}

/*
 * Thin counts: the counters of a thin sketch, and what is read from them. Half a byte for
 * each bucket; and a list of buckets, in order, each of which stands for 16 values more.
 */

#define TK_THIN_HALF 15u /* the most that half a byte holds */
#define TK_THIN_FULL 16u /* values of a place in the list */

/* The list. */
static inline uint16_t *tk_thin_counts_full(const struct tk_sketch *s)
{
    return (uint16_t *)(void *)(s->block->counts + s->range / 2);
}

/* The counter of a bucket, `at` from the first on. */
static inline uint32_t tk_thin_counts_half(const struct tk_sketch *s, uint32_t at)
{
    return (uint32_t)s->block->counts[at / 2] >> at % 2 * 4 & TK_THIN_HALF;
}

/* The first place in the list whose bucket is not before one. */
uint32_t tk_thin_counts_place(const struct tk_sketch *s, uint32_t bucket);

/* How many values a bucket has. */
uint64_t tk_thin_counts_at(const struct tk_sketch *s, uint32_t bucket);

/* The bucket, counted from the first on, that has the value of a rank; the range where there are fewer. */
uint32_t tk_thin_counts_ranked(const struct tk_sketch *s, uint64_t rank);

#endif
