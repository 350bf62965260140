/*
 * Part runs: sums by part and timer that are hardly going to change, packed into some bytes each, so that
 * there may be millions. A sum may come in several pieces, which are added when they are read.
 */
#ifndef TK_MODEL_SUMS_PACKED_SUMS_H
#define TK_MODEL_SUMS_PACKED_SUMS_H

#include "model/sums/interval_sums.h"

/* Sums in order of their parts. */
struct tk_packed_sum {
    uint8_t *p; /* owned, n bytes */
    size_t n;
    size_t at;     /* where reading stands */
    uint32_t part; /* of the sum read last, or appended last */
    size_t cap;    /* where sums are appended */
};

/* Zero-initialise to begin. */
struct tk_packed_sums {
    TK_VEC(struct tk_packed_sum) v;
};

/* Packs all sums, which are empty then. 0, or -1 without memory. */
int tk_packed_sums_pack(struct tk_packed_sums *runs, struct tk_interval_sums *sums);

/* Appends a sum whose part is not before that of the one appended last; nothing else may have been done to
 * the runs. 0, or -1 without memory. */
int tk_packed_sums_append(struct tk_packed_sums *runs, const struct tk_interval_sum *sum);

/* Begins to read all runs at their first sums, also a second time. */
void tk_packed_sums_rewind(struct tk_packed_sums *runs);

/* The next sum of a run whose part is before `end`. false: there is none. */
bool tk_packed_sum_next(struct tk_packed_sum *run, uint32_t end, struct tk_interval_sum *out);

void tk_packed_sums_release(struct tk_packed_sums *runs);

#endif
