/*
 * The numbers of a column, each once, where there are few: what a dictionary of Parquet is made of.
 */
#ifndef TK_SINK_PARQUET_NUMBERS_H
#define TK_SINK_PARQUET_NUMBERS_H

#include "sink/write/buffer.h"

#define TK_NUMBERS_MOST  ((size_t)32768)
#define TK_NUMBERS_SLOTS (4 * TK_NUMBERS_MOST)

struct tk_numbers {
    uint64_t list[TK_NUMBERS_MOST];
    size_t n;
    struct {
        uint32_t round, place; /* place in the list, where the round is that of now */
    } slots[TK_NUMBERS_SLOTS];
    uint32_t round;
};

/*
 * Puts the place of each of n values in the list to `places`. false where there are too many different ones,
 * more than a quarter of all.
 */
bool tk_numbers_find(struct tk_numbers *d, const uint64_t *v, size_t n, uint64_t *places);

#endif
