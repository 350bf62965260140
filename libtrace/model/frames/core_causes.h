/*
 * Core causes: what ran on the core of a thread while that was on none, as far as context switches show.
 */
#ifndef TK_MODEL_HITCHES_CORE_CAUSES_H
#define TK_MODEL_HITCHES_CORE_CAUSES_H

#include "model/threads/switch_list.h"

struct tk_core_cause {
    int64_t off;   /* cycles of the longest stretch that the thread was on no core */
    uint32_t core; /* that it had been on */
    const struct tk_str
        *name; /* of the thread that ran there longest meanwhile; NULL: none, or without a name */
};

/* For a thread of the capture between two times. false: it was never off a core that is known. */
bool tk_core_cause_find(const struct tk_switch_list *list, const struct tk_dict *dict, uint32_t thread,
                        int64_t from, int64_t to, struct tk_core_cause *out);

#endif
