/*
 * Smallest and greatest values, for statistics in the footer of Parquet.
 */
#ifndef TK_SINK_PARQUET_CHUNK_RANGE_H
#define TK_SINK_PARQUET_CHUNK_RANGE_H

#include "sink/columns/chunk.h"

/* Of n values of a column that are there, in their order. ranges: where texts are kept. */
void tk_chunk_range_of(struct tk_chunk_range *r, const struct tk_group_column *c, const uint64_t *v, size_t n,
                       struct tk_buffer *ranges);

#endif
