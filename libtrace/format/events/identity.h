/*
 * Identities of processes, threads and asynchronous work: numbers or texts. Equal ones have equal keys.
 */
#ifndef TK_FORMAT_EVENTS_IDENTITY_H
#define TK_FORMAT_EVENTS_IDENTITY_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"

#include <stdbool.h>

struct tk_ev_id {
    const struct tk_str *text; /* NULL: the number counts. Interned */
    int64_t number;
};

/* Tuples of up to six words, numbered. Zero-initialise to begin. */
#define TK_EV_KEY_WORDS 6
struct tk_ev_key {
    uint64_t word[TK_EV_KEY_WORDS];
};
struct tk_ev_ids {
    TK_VEC(struct tk_ev_key) keys;
    struct tk_map index;
};

/* A tuple as one number, for as many as nobody can keep: two are the same but for a chance of 2^-64. Each
 * process has other numbers. */
static inline uint64_t tk_ev_key_hash(const struct tk_ev_key *key)
{
    return tk_hash_bytes(key->word, sizeof key->word, 1);
}

/* The number of a tuple, which is below `most`. TK_EV_IDS_FULL for one that is new where there are `most` of
 * them; UINT32_MAX if out of memory. */
#define TK_EV_IDS_FULL (UINT32_MAX - 1)
uint32_t tk_ev_ids_number(struct tk_ev_ids *ids, const struct tk_ev_key *key, uint64_t most);

void tk_ev_ids_release(struct tk_ev_ids *ids);

#endif
