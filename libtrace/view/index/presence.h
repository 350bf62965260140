/*
 * Where timers are: how many scopes of each end in each part of the time. Counted by workers while lanes are
 * built, each for itself; a search shows it.
 */
#ifndef TK_INDEX_PRESENCE_H
#define TK_INDEX_PRESENCE_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Most parts, a power of two. They are 2^shift cycles long; when there would be more, two become one. */
#define TK_PRESENCE_PARTS 2048u

struct tk_presence_part {
    uint32_t *counts; /* owned: by timer */
    size_t n;
};

struct tk_presence {
    struct tk_presence_part *parts; /* owned: TK_PRESENCE_PARTS */
    int64_t first;                  /* number of parts[0] */
    size_t n;
    unsigned shift;
    size_t held;   /* counts in all parts */
    size_t budget; /* most of them; two parts become one where there would be more */
};

/* Begins empty. 0, or -1 without memory. */
int tk_presence_init(struct tk_presence *p, unsigned shift, size_t budget);
void tk_presence_release(struct tk_presence *p);

/* Counts n scopes of a timer that end at a time, in part `part` of that. 0, or -1 without memory. */
int tk_presence_add(struct tk_presence *p, int64_t part, uint32_t timer, uint32_t n);

/* The same as one scope, in the common case at once. */
static inline int tk_presence_count(struct tk_presence *p, int64_t time, uint32_t timer)
{
    const int64_t part = time >= 0 ? time >> p->shift : ~(~time >> p->shift);
    const uint64_t at = (uint64_t)part - (uint64_t)p->first;
    if (at < p->n && timer < p->parts[at].n) {
        p->parts[at].counts[timer] += 1;
        return 0;
    }
    return tk_presence_add(p, part, timer, 1);
}

/* Adds all of another one's counts, with their timers through `timer_of` (NULL: as they are). */
int tk_presence_join(struct tk_presence *p, const struct tk_presence *from,
                     uint32_t (*timer_of)(void *ctx, uint32_t timer), void *ctx);

#endif
