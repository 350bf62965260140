/*
 * Label sums: what timers spent in scopes of each text, such as the metadata of a scope or the asset that it
 * is about.
 */
#ifndef TK_MODEL_SUMS_LABEL_SUMS_H
#define TK_MODEL_SUMS_LABEL_SUMS_H

#include "base/hash.h"
#include "base/vec.h"
#include "model/sums/interval_sums.h"

struct tk_label_sum {
    const struct tk_str *label;
    struct tk_interval_sum sum; /* its part is not used */
};

/* Of one worker. Zero-initialise to begin. */
struct tk_label_sums {
    TK_VEC(struct tk_label_sum) v;
    struct tk_places index;               /* of v, by address of the label and timer */
    TK_VEC(struct tk_label_sum *) sorted; /* after a merge: those of v in order, each label and timer once */
};

/* Adds slices with texts (TK_SLICE_TEXT and TK_SLICE_OUTER). 0, or -1 without memory. */
int tk_label_sums_take(struct tk_label_sums *l, const struct tk_requested_timers *requested,
                       const struct tk_slices *s);

/*
 * Puts together what n workers have: late timers become those that they are, timers that are not requested
 * and empty labels are left out. They are in `sorted`. 0, or -1 without memory.
 */
int tk_label_sums_merge(struct tk_label_sums *into, struct tk_label_sums *workers, unsigned n,
                        const struct tk_requested_timers *requested, struct tk_dict *dict);

void tk_label_sums_release(struct tk_label_sums *l);

#endif
