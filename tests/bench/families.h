/*
 * Events of every family that is not about CPU scopes, to be mixed into a capture: for measuring what they
 * cost somebody who does not ask for them.
 */
#ifndef TK_BENCH_FAMILIES_H
#define TK_BENCH_FAMILIES_H

#include "random.h"
#include "utrace_writer.h"

enum { TK_FAMILIES_TYPES = 40, TK_FAMILIES_FIELDS = 8 };

struct tk_families {
    struct tk_uw_type types[TK_FAMILIES_TYPES];
    struct tk_uw_field fields[TK_FAMILIES_TYPES][TK_FAMILIES_FIELDS];
    char names[TK_FAMILIES_TYPES][160];
    unsigned count;
    uint64_t events; /* written so far */
};

/* Declares the types. */
void tk_families_declare(struct tk_families *families, struct tk_uw *uw);

/* Writes an event of each type on a lane; times are `now`, other numbers are drawn. */
void tk_families_write(struct tk_families *families, struct tk_uw_lane *lane, struct tk_random *random,
                       uint64_t now);

#endif
