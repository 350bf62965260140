/*
 * Zones by source location when the reading is complete: sums, and their single times if needed.
 * csvexport_sums.c and csvexport_compare.c compute their rows from them.
 *
 * Sums of squares are accumulated in the order in which the zones of a location begin, which is that of the
 * other tool and changes the last digits. Zones inside one of the same location end before it, so their
 * squares wait until it ends.
 *
 * Times go to a temporary file in pieces, and come back location by location.
 */
#ifndef TK_EXPORT_PRESET_TRACY_CSVEXPORT_TIMES_H
#define TK_EXPORT_PRESET_TRACY_CSVEXPORT_TIMES_H

#include "presets/csvexport.h"
#include "io/scratch/spill.h"

/* Of a source location; times in ns. */
struct tk_csvexport_location_sums {
    uint64_t count; /* zones with an end that took time */
    int64_t total, min, max;
    int64_t self, self_min, self_max;
    double squares;
    uint32_t open;
    TK_VEC(int64_t) waiting; /* times of zones inside the outermost one, in order of start; 0: none */
    int64_t *piece;          /* owned: the last times; NULL before the first one */
    size_t n;                /* of them */
    struct tk_spilled spilled;
};

struct tk_csvexport_times {
    struct tk_csvexport *x;
    bool own; /* times that are kept are own times */
    struct tk_zones zones;
    TK_VEC(struct tk_csvexport_location_sums) v; /* by timer */
    struct tk_spill *spill;                      /* NULL: times are not kept */
    size_t most_waiting;
    int64_t last; /* the greatest end */
    struct tk_err *err;
};

/* Reads all zones. x is borrowed; to be released in any case. TK_OK or negative. */
int tk_csvexport_times_read(struct tk_csvexport_times *t, struct tk_csvexport *x, bool keep, bool own,
                            struct tk_err *err);

/* Appends the times of a location, count of them, to out. TK_OK, TK_EOUTPUT. */
int tk_csvexport_times_get(const struct tk_csvexport_times *t, const struct tk_csvexport_location_sums *l,
                           int64_t *out, struct tk_err *err);

/* Least first. */
void tk_csvexport_times_sort(int64_t *times, size_t n);

void tk_csvexport_times_release(struct tk_csvexport_times *t);

#endif
