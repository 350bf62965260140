/*
 * The IPC format of Apache Arrow from the rows of one table, as a stream, or as a file, which has an index at
 * its end. The writers "arrow" and "arrows" of tables call it.
 */
#ifndef TK_SINK_COLUMNS_COLUMNAR_H
#define TK_SINK_COLUMNS_COLUMNAR_H

#include "sink/write/buffer.h"

/*
 * The IPC format of Apache Arrow from the rows of one table, as a stream, or as a file, which has an index at
 * its end. The writers "arrow" and "arrows" of tables call it.
 */

struct tk_arrow;

struct tk_arrow_options {
    bool file;          /* else a stream */
    bool zstd;          /* buffers are compressed */
    const char *source; /* what the capture is called, for the metadata; NULL: nothing */
};

/* Begins with the schema of a table, which lives as long; all goes to out, whose status reports failures.
 * TK_OK or TK_ENOMEM. */
int tk_arrow_new(struct tk_arrow **arrow, const struct tk_table *table, const struct tk_arrow_options *opt,
                 struct tk_buffer *out);

void tk_arrow_rows(struct tk_arrow *arrow, const struct tk_rows *rows);

/* Writes what is left, and the end. */
void tk_arrow_end(struct tk_arrow *arrow);

/* How many cells of a column have fewer digits than they had. */
uint64_t tk_arrow_rounded(const struct tk_arrow *arrow, size_t column);

/* How many cells of a column its type did not hold. */
uint64_t tk_arrow_lost(const struct tk_arrow *arrow, size_t column);

/* NULL is allowed. */
void tk_arrow_free(struct tk_arrow *arrow);

/*
 * A file of Parquet from the rows of one table: groups of rows as they fill up, and the footer. The writer
 * "parquet" of tables calls it.
 */

struct tk_parquet;

struct tk_parquet_options {
    bool zstd;          /* pages are compressed */
    bool as_they_come;  /* rows keep their order; else scopes are by thread and start in each group */
    const char *source; /* what the capture is called, for the metadata; NULL: nothing */
};

/* Begins the file of a table, which lives as long; all goes to out, whose status reports failures. TK_OK or
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
