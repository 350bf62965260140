/*
 * Stretches: parts of the time that may overlap, such as regions, or be in many pieces, such as the frames of
 * a type; and what of a scope lies in each.
 */
#ifndef TK_MODEL_SUMS_INTERVAL_SETS_H
#define TK_MODEL_SUMS_INTERVAL_SETS_H

#include "model/sums/interval_sums.h"

struct tk_interval_member {
    int64_t begin, end; /* cycles since the start; [begin, end) */
    int64_t reach;      /* the greatest end of all up to this one; set by tk_interval_set_sort */
    uint32_t part;
};

/* Stretches of which those of one part do not overlap, unless it has one only. Zero-initialise to begin. */
struct tk_interval_set {
    TK_VEC(struct tk_interval_member) v;
    bool one_part; /* all are of one part, and a scope counts once in it */
};

/* Puts them in order of start. 0, or -1 without memory. */
int tk_interval_set_sort(struct tk_interval_set *s);

/* Adds what of slice i (with begin and end) lies in the stretches, with all that was inside it. *hint is
 * where the last slice was found, 0 at first. 0, or -1 without memory. */
int tk_interval_set_put(const struct tk_interval_set *s, size_t *hint, struct tk_interval_sums *sums,
                        const struct tk_select *select, const struct tk_slices *slices, size_t i);

void tk_interval_set_release(struct tk_interval_set *s);

#endif
