/*
 * One column of a group of rows as a column chunk of Parquet: its pages, and what the footer says of it.
 */
#ifndef TK_SINK_PARQUET_CHUNK_H
#define TK_SINK_PARQUET_CHUNK_H

#include "sink/columns/group.h"

enum { TK_PARQUET_PLAIN = 0, TK_PARQUET_RLE = 3, TK_PARQUET_DELTA = 5, TK_PARQUET_DICTIONARY = 8 };

/* Values of the column between which all others are. */
struct tk_chunk_range {
    bool known;
    uint64_t least[2], most[2]; /* numbers: with a sign, and without; reals: their bits, in the first */
    size_t text;                /* texts: where both stand in the texts of ranges, the smallest first */
    uint32_t n_least, n_most;
    bool exact_least, exact_most; /* else they were cut */
    bool rising;                  /* numbers with a sign: none is below the one before */
};

struct tk_chunk {
    uint64_t dictionary, data; /* where these pages begin in the file; 0: there is no dictionary */
    uint64_t raw, packed;      /* bytes of the pages with their headers, before and after compression */
    uint64_t n_nulls;
    uint8_t encoding; /* of the data: TK_PARQUET_... */
    struct tk_chunk_range range;
};

struct tk_chunk_writer;

/* zstd: pages are compressed. TK_OK or TK_ENOMEM. */
int tk_chunk_writer_new(struct tk_chunk_writer **out, bool zstd, struct tk_err *err);
void tk_chunk_writer_free(struct tk_chunk_writer *w);

/*
 * Writes the pages of a column, with the rows in an order (NULL: as they are). ranges: where texts are kept
 * that the footer shows. TK_OK, TK_ENOMEM, TK_ELIMIT (a page above 2 GiB); other failures are those of out.
 */
int tk_chunk_write(struct tk_chunk_writer *w, const struct tk_group *g, uint32_t column, const uint32_t *rows,
                   struct tk_buffer *out, struct tk_buffer *ranges, struct tk_chunk *chunk);

#endif
