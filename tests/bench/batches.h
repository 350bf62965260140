/*
 * All CPU batches of a capture as plain bytes in memory: what the bare loop over their numbers runs on.
 */
#ifndef TK_BENCH_BATCHES_H
#define TK_BENCH_BATCHES_H

#include "scan.h"

/* Bytes that may be read behind the last batch. */
enum { TK_BATCHES_PADDING = 32 };

struct tk_batches {
    uint8_t *data; /* owned; batch after batch in the order in which they end in the file */
    size_t size;
    size_t capacity;
    size_t *ends; /* owned; the end of each batch in data */
    size_t count;
    size_t ends_space;
    unsigned shift; /* of a cycle difference in its number: 1 or 2, by the version of the batches */
};

/* Collects from a capture of protocols 5 to 7. Returns 0, or -1 with a message on standard error. */
int tk_batches_collect(struct tk_batches *batches, struct tk_prescan *scan);
void tk_batches_release(struct tk_batches *batches);

#endif
