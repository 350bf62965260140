/*
 * Rows of a table that are made of an input, for targets that write them and read them back with a reader of
 * their own. Alongside rig.h.
 */
#ifndef TK_TESTS_FUZZ_MADE_ROWS_H
#define TK_TESTS_FUZZ_MADE_ROWS_H

#include "rig.h"

#define MADE_COLUMNS 6u
#define MADE_ROWS    6000u
#define MADE_BYTES   24u /* of a text */

struct made {
    struct tk_column columns[MADE_COLUMNS];
    struct tk_table table;
    size_t n_rows;
    struct tk_cell *cells; /* row after row */
    char *texts;           /* those of the cells */
};

/* Columns of all kinds that a writer has a type for, and rows whose values are few, rising, or anything;
 * cells may be missing. Texts are UTF-8. */
void made_of(struct made *m, const uint8_t *data, size_t size);
void made_free(struct made *m);

const struct tk_cell *made_cell(const struct made *m, size_t row, uint32_t column);

/* Whole numbers and truth values as 64 bits, floats as 32 of them. */
uint64_t made_bits(const struct made *m, size_t row, uint32_t column);

/* Is it a column of texts or bytes? */
bool made_text(const struct made *m, uint32_t column);

/* Hands the rows on in batches of one to a thousand. */
void made_send(const struct made *m, void (*take)(void *to, const struct tk_rows *rows), void *to);

#endif
