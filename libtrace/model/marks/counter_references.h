/*
 * Counter references: which counters, statistics, series and memory tags have values and no definition. To be
 * asked when all is read, as a definition may come after its use.
 */
#ifndef TK_MODEL_COUNTERS_COUNTER_REFERENCES_H
#define TK_MODEL_COUNTERS_COUNTER_REFERENCES_H

#include "base/hash.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "base/health/health.h"

struct tk_counter_use {
    uint64_t id;
    bool named;
};

/* Of a kind of counter; zero-initialise. */
struct tk_counter_uses {
    TK_VEC(struct tk_counter_use) uses;
    struct tk_map index; /* id -> place in uses */
};

struct tk_counter_references {
    struct tk_counter_uses kinds[TK_COUNTER_KINDS];
    uint64_t most; /* counters of a kind that are told apart, the limit: others are none */
};

/* Takes facts of counters and their values; ignores others. 0, or -1 if out of memory. */
int tk_counter_references_feed(struct tk_counter_references *r, const struct tk_fact *fact);

/* Notes those without a definition, once whoever tells them. */
void tk_counter_references_note(const struct tk_counter_references *r, struct tk_health *health);

void tk_counter_references_release(struct tk_counter_references *r);

/* Notes that n of a kind have no definition, the one of this id as the first. */
void tk_counter_note_unnamed(struct tk_health *health, enum tk_counter_kind kind, uint64_t n, uint64_t first);

/* The fact that says values of a kind. */
enum tk_fact_kind tk_counter_value_fact(enum tk_counter_kind kind);

/* What one of a kind is called. Static. */
const char *tk_counter_noun(enum tk_counter_kind kind);

#endif
