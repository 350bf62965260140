/*
 * The footer of a file of Parquet: schema, places and statistics of all chunks, and the description of the
 * table.
 */
#ifndef TK_SINK_PARQUET_FOOTER_H
#define TK_SINK_PARQUET_FOOTER_H

#include "sink/columns/chunk.h"

/* A group of rows that was written. */
struct tk_footer_group {
    uint64_t at, rows;
    bool sorted; /* by the columns of the footer */
};

struct tk_footer {
    const struct tk_table *table;
    const struct tk_group_column *columns; /* what became of them */
    const struct tk_footer_group *groups;
    size_t n_groups;
    const struct tk_chunk *chunks; /* of the first group, one a column, then of the next one */
    const struct tk_buffer *ranges;
    uint32_t sorted_by[2]; /* TK_NO_COLUMN: there is none */
    bool zstd;
    const char *source; /* NULL: not known */
};

/* Appends it without its length. */
void tk_footer_put(struct tk_buffer *b, const struct tk_footer *f);

#endif
