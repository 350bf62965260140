/*
 * Part runs: sums by part and timer that are hardly going to change, packed into some bytes each, so that
 * there may be millions. A sum may come in several pieces, which are added when they are read.
 */
#ifndef TK_MODEL_SUMS_PACKED_SUMS_H
#define TK_MODEL_SUMS_PACKED_SUMS_H

#include "model/sums/interval_sums.h"

/* Sums in order of their parts. */
struct tk_part_run {
    uint8_t *p; /* owned, n bytes */
    size_t n;
    size_t at;     /* where reading stands */
    uint32_t part; /* of the sum read last */
};

/* Zero-initialise to begin. */
struct tk_part_runs {
    TK_VEC(struct tk_part_run) v;
};

/* Packs all sums, which are empty then. 0, or -1 without memory. */
int tk_part_runs_pack(struct tk_part_runs *runs, struct tk_part_sums *sums);

/* Begins to read all runs at their first sums, also a second time. */
void tk_part_runs_rewind(struct tk_part_runs *runs);

/* The next sum of a run whose part is before `end`. false: there is none. */
bool tk_part_run_next(struct tk_part_run *run, uint32_t end, struct tk_part_sum *out);

void tk_part_runs_release(struct tk_part_runs *runs);

#endif
