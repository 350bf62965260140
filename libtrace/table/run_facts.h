/*
 * Facts about a run that its capture does not hold: keys and values, in the order of the keys.
 */
#ifndef TK_TABLE_RUN_FACTS_H
#define TK_TABLE_RUN_FACTS_H

#include "base/text/intern.h"
#include "base/vec.h"

struct tk_run_fact {
    const struct tk_str *key, *value;
};

/* Zero-initialised there is nothing. */
struct tk_run_info {
    struct tk_intern names;
    TK_VEC(struct tk_run_fact) v;
};

#endif
