/*
 * A file of Parquet from the rows of one table: groups of rows as they fill up, and the footer. The writer
 * "parquet" of tables calls it.
 */
#ifndef TK_SINK_PARQUET_PARQUET_H
#define TK_SINK_PARQUET_PARQUET_H

#include "sink/write/buffer.h"

struct tk_parquet;

struct tk_parquet_options {
    bool zstd;          /* pages are compressed */
    bool as_they_come;  /* rows keep their order; else scopes are by thread and start in each group */
    const char *source; /* what the capture is called, for the metadata; NULL: nothing */
};

/* Begins the file of a table, which lives as long; all goes to out, whose status tells of failures. TK_OK or
 * TK_ENOMEM. */
int tk_parquet_new(struct tk_parquet **file, const struct tk_table *table,
                   const struct tk_parquet_options *opt, struct tk_buffer *out);

void tk_parquet_rows(struct tk_parquet *file, const struct tk_rows *rows);

/* Writes what is left, and the footer. */
void tk_parquet_end(struct tk_parquet *file);

/* How many cells of a column have fewer digits than they had. */
uint64_t tk_parquet_rounded(const struct tk_parquet *file, size_t column);

/* How many cells of a column its type did not hold. */
uint64_t tk_parquet_lost(const struct tk_parquet *file, size_t column);

/* NULL is allowed. */
void tk_parquet_free(struct tk_parquet *file);

#endif
