/*
 * Which captures of a store stay: rules for its disk. Only files that a recorder named by the clock are
 * removed, never one that is being written, or that somebody has given another name.
 */
#ifndef TK_LIVE_STORE_KEEP_H
#define TK_LIVE_STORE_KEEP_H

#include "live/listing.h"

struct tk_keep_rules {
    double days;         /* older ones go; 0: none for their age */
    uint64_t most_bytes; /* of all; 0: any number */
    uint64_t free_bytes; /* of the disk; 0: any number */
    const char *prefix;  /* that names begin with; NULL: none. Borrowed. */
};

enum tk_keep_reason { TK_KEEP_DAYS, TK_KEEP_BYTES, TK_KEEP_FREE };

/* A file was removed. */
typedef void tk_keep_fn(void *ctx, const char *name, uint64_t bytes, enum tk_keep_reason reason);

/* Is it a name that a recorder gives: PREFIX + YYYYMMDD_HHMMSS[_NN]? */
bool tk_keep_is_ours(const char *name, const char *prefix);

/* Applies the rules to a folder, the oldest files first. What cannot be removed stays. */
void tk_keep_apply(const struct tk_keep_rules *rules, const char *folder, int64_t now, tk_keep_fn *told,
                   void *ctx);

#endif
