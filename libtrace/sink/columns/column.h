/*
 * One column of a batch in the making: values of cells in the buffers that Arrow wants. batch.c makes one for
 * each column of a table.
 */
#ifndef TK_SINK_COLUMNS_COLUMN_H
#define TK_SINK_COLUMNS_COLUMN_H

#include "sink/write/buffer.h"

struct tk_column_build {
    char format;              /* of Arrow, one of "blLfgUZ" */
    uint8_t kind;             /* enum tk_kind of the column */
    enum tk_unit unit;        /* of the table */
    size_t n, n_nulls;        /* values so far */
    struct tk_buffer valid;   /* a bit a value, the lowest first */
    struct tk_buffer offsets; /* U, Z: int64, one more than values */
    struct tk_buffer data;
};

/* The format of Arrow that cells of a kind have. */
char tk_column_format(uint8_t kind);

/* What cells of a kind, and their unit, are called in metadata. Static, or of the column. */
const char *tk_column_kind_name(uint8_t kind);
const char *tk_column_unit_name(const struct tk_column *column, enum tk_unit unit);

/* Begins a column. err is borrowed until its release. TK_OK or TK_ENOMEM. */
int tk_column_build_init(struct tk_column_build *c, uint8_t kind, enum tk_unit unit, struct tk_err *err);

/* Appends a cell. What fails is told by tk_column_build_status. scratch is overwritten. */
void tk_column_build_add(struct tk_column_build *c, const struct tk_cell *cell, struct tk_buffer *scratch);

/* TK_OK, TK_ENOMEM or TK_ELIMIT. */
int tk_column_build_status(const struct tk_column_build *c);

void tk_column_build_release(struct tk_column_build *c);

#endif
