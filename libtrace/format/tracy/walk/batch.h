/*
 * A batch in the making: facts, scopes and what they point to. It is handed out when it is full.
 */
#ifndef TK_FORMAT_TRACY_STATE_BATCH_H
#define TK_FORMAT_TRACY_STATE_BATCH_H

#include "base/arena.h"
#include "base/vec.h"
#include "fact/fact.h"

#define TK_TRACY_OPS   16384u /* begins and ends of a batch: what reads them next finds them in the cache */
#define TK_TRACY_FACTS 4096u  /* facts of a batch, roughly */

struct tk_tracy_batch {
    TK_VEC(struct tk_fact) facts;
    TK_VEC(struct tk_scope_run) runs;
    int64_t *time; /* owned; TK_TRACY_OPS of each, NULL until scopes are asked for */
    uint32_t *op;
    uint32_t *extra;            /* the same, where texts or callstacks of scopes are asked for; else NULL */
    const struct tk_str **text; /* of each begin and end, where asked for; NULL without one */
    uint32_t *stack;            /* likewise; 0 without one */
    int64_t *cpu;               /* with them, of GPU zones; INT64_MIN without one */
    size_t n_ops;
    struct tk_arena arena; /* texts, cells */
};

/* Appends a fact, zeroed but for what is given; NULL if out of memory. */
struct tk_fact *tk_tracy_batch_fact(struct tk_tracy_batch *out, enum tk_fact_kind kind, uint32_t thread,
                                    int64_t time);

/* Makes the room for scopes. TK_OK or TK_ENOMEM. */
int tk_tracy_batch_open_scopes(struct tk_tracy_batch *out, bool texts, bool stacks);

/* Is it time to hand the batch out? */
static inline bool tk_tracy_batch_full(const struct tk_tracy_batch *out)
{
    return out->facts.n >= TK_TRACY_FACTS || out->n_ops >= TK_TRACY_OPS || out->arena.total >= 1u << 20;
}

void tk_tracy_batch_clear(struct tk_tracy_batch *out);
void tk_tracy_batch_release(struct tk_tracy_batch *out);

#endif
