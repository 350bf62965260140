/*
 * Stack references: which callstacks allocations and bookmarks refer to, and which of these the capture does
 * not define. To be asked when all is read, as a definition may come after its use.
 */
#ifndef TK_MODEL_CODE_STACK_REFERENCES_H
#define TK_MODEL_CODE_STACK_REFERENCES_H

#include "base/hash.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "base/health/health.h"

struct tk_stack_use {
    uint64_t allocations, bookmarks; /* that refer to it */
    bool defined;
};

struct tk_stack_references {
    TK_VEC(struct tk_stack_use) uses;
    struct tk_map index; /* id -> place in uses */
    uint64_t most;       /* ids that are told apart */
    bool full;           /* there are more */
};

/* Facts that it wants. */
#define TK_STACK_REFERENCE_FACTS (TK_FACT_MASK(MEMORY) | TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(CALLSTACK))

/* Takes facts; ignores others than these. 0, or -1 if out of memory. */
int tk_stack_references_feed(struct tk_stack_references *r, const struct tk_fact *fact);

/* Notes what is not defined, where all ids could be told apart. */
void tk_stack_references_note(const struct tk_stack_references *r, struct tk_health *health);

void tk_stack_references_release(struct tk_stack_references *r);

#endif
