/*
 * Pieces of many streams, kept in one temporary file without a name. They are read back stream by stream.
 */
#ifndef TK_IO_SCRATCH_SPILL_H
#define TK_IO_SCRATCH_SPILL_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>

struct tk_spill;

struct tk_spill_piece {
    uint64_t offset;
    size_t n;
};

/* Where a stream's pieces are. Zero-initialise; release with tk_vec_release(&s->pieces). */
struct tk_spilled {
    TK_VEC(struct tk_spill_piece) pieces;
};

/* dir may be NULL: TMPDIR, else /tmp. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_spill_open(struct tk_spill **out, const char *dir, struct tk_err *err);

/* Appends a piece of a stream. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_spill_write(struct tk_spill *s, struct tk_spilled *stream, const void *p, size_t n,
                   struct tk_err *err);

/* Reads piece i of a stream into p, which has space for it. TK_OK or TK_EOUTPUT. */
int tk_spill_read(const struct tk_spill *s, const struct tk_spilled *stream, size_t i, void *p,
                  struct tk_err *err);

/* Bytes that are free where the file is. */
uint64_t tk_spill_space(const struct tk_spill *s);

/* NULL is allowed. */
void tk_spill_close(struct tk_spill *s);

/*
 * Sorts more records than memory holds. Records that do not fit are sorted and spilled (spill.h) run by run;
 * reading merges the runs.
 */

struct tk_external_sort;

/* As for qsort. Records that are equal keep their order. */
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

/*
 * Columns of records that grow without end, and are read once: each keeps its latest records in memory and
 * spills the others (spill.h). A record can still be changed when it was spilled; what changed is sorted at
 * the end and laid over the column while it is read.
 *
 * All columns of a store share its budget of memory: when their records take more, all are spilled. Use by
 * one thread.
 */

#define TK_SPILL_COLUMN_PIECE   ((size_t)512 << 10) /* most bytes that a column holds in memory */
#define TK_SPILL_COLUMN_CHANGED 48 /* most bytes of a record that can be changed when spilled */

struct tk_spill_columns;

struct tk_spill_column {
    struct tk_spill_columns *store; /* borrowed */
    size_t size;                    /* bytes of a record */
    uint8_t *v;                     /* owned: the records in memory */
    size_t n, capacity;             /* of them */
    uint64_t first;                 /* records that were spilled */
    struct tk_spilled spilled, changes;
    uint32_t id;                            /* in the store; 0: nothing was added yet */
    struct tk_spill_column *next, **before; /* columns of the store with records in memory */
};

/* A store of columns. dir may be NULL: TMPDIR, else /tmp. TK_OK or TK_ENOMEM. */
int tk_spill_columns_open(struct tk_spill_columns **out, const char *dir, size_t budget);

/* Columns that are left may only be released afterwards. NULL is allowed. */
void tk_spill_columns_close(struct tk_spill_columns *s);

/* The first error of any column, TK_OK before; err gets a copy of its causes. */
int tk_spill_columns_error(const struct tk_spill_columns *s, struct tk_err *err);

/* Bytes of records in memory now, and written to the temporary file so far. */
size_t tk_spill_columns_held(const struct tk_spill_columns *s);
uint64_t tk_spill_columns_spilled(const struct tk_spill_columns *s);

/* Is so little of the disk free that the caller had better end? What is there can still be sealed and read.
 */
bool tk_spill_columns_are_tight(const struct tk_spill_columns *s);

/* Begins an empty column of records of `size` bytes, TK_SPILL_COLUMN_PIECE at most. Its address must not
 * change. */
void tk_spill_column_begin(struct tk_spill_column *c, struct tk_spill_columns *s, size_t size);
void tk_spill_column_release(struct tk_spill_column *c);

static inline uint64_t tk_spill_column_count(const struct tk_spill_column *c)
{
    return c->first + c->n;
}

/* Makes space for one more record; false when out of memory or disk space (tk_spill_columns_error). */
bool tk_spill_column_make_space(struct tk_spill_column *c);

/* A new record, not set, valid until the next one of any column; NULL when out of memory or disk space
 * (tk_spill_columns_error). */
static inline void *tk_spill_column_add(struct tk_spill_column *c)
{
    if (c->n == c->capacity && !tk_spill_column_make_space(c))
        return NULL;
    return c->v + c->n++ * c->size;
}

/* Appends n bytes to a column of records of one byte. false as above. */
bool tk_spill_column_add_bytes(struct tk_spill_column *c, const void *p, size_t n);

/* A record that is still in memory, else NULL. */
static inline void *tk_spill_column_held(struct tk_spill_column *c, uint64_t index)
{
    return index >= c->first ? c->v + (size_t)(index - c->first) * c->size : NULL;
}

/* Gives record `index`, which is there, another value; the last one counts. Records of
 * TK_SPILL_COLUMN_CHANGED bytes at most. false as above. */
bool tk_spill_column_change(struct tk_spill_column *c, uint64_t index, const void *record);

/* Reads a record as it was added or changed while in memory (not as it was changed later). false as above. */
bool tk_spill_column_get(struct tk_spill_column *c, uint64_t index, void *record);

/* To be called before columns are read, when something was added to or changed in any of them. More may be
 * afterwards, and then it is called again. TK_OK, TK_EOUTPUT or TK_ENOMEM. */
int tk_spill_columns_seal(struct tk_spill_columns *s, struct tk_err *err);

/* Reads a column from its first record to its last. */
struct tk_spill_column_reading {
    const struct tk_spill_column *column; /* borrowed */
    uint8_t *capacity;                    /* owned */
    const uint8_t *v;
    size_t n, at, piece;
    uint64_t index;
    uint8_t *changed; /* owned */
    size_t n_changed, changed_at, changed_piece;
    uint8_t record[TK_SPILL_COLUMN_CHANGED];
    struct tk_err *err; /* borrowed */
};

/* The first error is known by tk_spill_column_read, as TK_E... of what it returns. Close it. */
void tk_spill_column_reading_open(struct tk_spill_column_reading *r, const struct tk_spill_column *c,
                                  struct tk_err *err);

/* The next record, borrowed until the next call: TK_ITEM, TK_OK at the end, TK_EOUTPUT or TK_ENOMEM. */
int tk_spill_column_read(struct tk_spill_column_reading *r, const void **record);

/* The next bytes, `most` at most, of a column of bytes: as above, with *n. */
int tk_spill_column_read_bytes(struct tk_spill_column_reading *r, size_t most, const uint8_t **p, size_t *n);

void tk_spill_column_reading_close(struct tk_spill_column_reading *r);

#endif
