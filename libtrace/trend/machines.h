/*
 * Machines: which runs can be compared with each other, and what a machine of a pool adds to a series.
 */
#ifndef TK_COMPARE_TREND_MACHINES_H
#define TK_COMPARE_TREND_MACHINES_H

#include "trend/curve.h"

struct tk_trend_machines {
    uint32_t *of_run;                    /* number of the machine of each run, in the order of names */
    uint32_t n;                          /* machines */
    uint8_t *skipped;                    /* by night: left out, as its machine has too few */
    TK_VEC(struct tk_trend_span) epochs; /* owned; nights between changes of machine */
    double *offsets, *guess;             /* by machine, of the series at hand */
};

/* Numbers the machines, and cuts the history where they change for good. 0, or -1 if out of memory. The
 * arrays are the arena's, but for the epochs. */
int tk_trend_machines(struct tk_trend_machines *m, const struct tk_history *h, struct tk_arena *arena);

/*
 * Offsets of machines of a pool to m->offsets, against the one with most runs: from the local level of all.
 * x: values by run (NAN: none); rows: runs to look at, ascending. All 0 where there is one machine.
 */
void tk_trend_offsets(struct tk_trend_machines *m, const double *x, const uint32_t *rows, size_t n,
                      struct tk_trend_room *room);

#endif
