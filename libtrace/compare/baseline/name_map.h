/*
 * Name map: the names that threads and timers of a baseline have in the candidate, from a small JSON file
 * (schemas/map.schema.json). Renamed timers are then compared under their new names.
 */
#ifndef TK_COMPARE_BASELINE_NAME_MAP_H
#define TK_COMPARE_BASELINE_NAME_MAP_H

#include "compare/baseline/baseline.h"

/* "thread" renames classes of threads, and queues of a GPU; "timer" timers and passes of a GPU. */
struct tk_name_pair {
    const struct tk_str *from, *to;
    bool thread;
    bool used; /* some run has it */
};

/* Zero-initialise to begin. */
struct tk_name_map {
    TK_VEC(struct tk_name_pair) v;
    struct tk_intern names;
};

/* TK_OK; TK_EUSAGE (no JSON, unknown keys, wrong types, nothing in it); TK_ENOMEM. To be released also
 * then. */
int tk_name_map_parse(struct tk_name_map *map, const char *text, size_t n, struct tk_err *err);

/* Renames what is in all runs. TK_OK; TK_EMATCH when no run has what a pair is about; TK_EUSAGE when two
 * timers of a run would become one; TK_ENOMEM. After a failure the baseline is only to be released. */
int tk_name_map_apply(struct tk_name_map *map, struct tk_baseline *b, struct tk_err *err);

void tk_name_map_release(struct tk_name_map *map);

#endif
