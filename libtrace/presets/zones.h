/*
 * Zones one by one, for presets: the scopes of threads, each with its parent, in the order of their ends.
 * They follow the rules of Tracy's tools: times are passed on unchanged, and a zone that never ends is passed
 * on, too.
 */
#ifndef TK_EXPORT_PRESET_ZONES_H
#define TK_EXPORT_PRESET_ZONES_H

#include "base/stack.h"
#include "query/dict.h"

/* An open zone. */
struct tk_zone {
    int64_t begin;             /* ns, as all times here */
    uint32_t timer;            /* of the dictionary */
    uint32_t slot;             /* for the taker; 0 when it begins */
    int64_t counted;           /* sum of the times of direct children that have an end and took time */
    int64_t children;          /* the same of all, one without an end taken as ended at -1 */
    const struct tk_str *text; /* of a begin where it has one, else NULL */
    uint64_t number;           /* for the taker; 0 when it begins */
};

/* A taker of zones. 0, or negative, which ends the walk. */
struct tk_zone_taker {
    int (*begin)(void *self, struct tk_zone *zone, uint32_t thread);                  /* may be NULL */
    int (*end)(void *self, const struct tk_zone *zone, uint32_t thread, int64_t end); /* it has one */
    int (*lost)(void *self, const struct tk_zone *zone, uint32_t thread); /* it has none; may be NULL */
};

struct tk_zone_lane {
    uint32_t thread;
    TK_STACK(struct tk_zone) open;
};

/* Zero-initialise, then set taker, self, kind and dict. */
struct tk_zones {
    const struct tk_zone_taker *taker;
    void *self;
    uint8_t kind;                      /* enum tk_lane_kind: which lanes */
    struct tk_dict *dict;              /* borrowed: the clock, and who timers are that were told late */
    TK_VEC(struct tk_zone_lane) lanes; /* by lane */
};

/* Takes a run; ignores those of other kinds. 0, TK_ENOMEM, or what the taker said. */
int tk_zones_take(struct tk_zones *z, const struct tk_scope_run *run);

/* All is read: zones that are open have no end. As tk_zones_take. */
int tk_zones_finish(struct tk_zones *z);

void tk_zones_release(struct tk_zones *z);

#endif
