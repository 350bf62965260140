/*
 * Facts as bytes, for what is kept between questions (fact/kept.h): frames, regions, bookmarks, stalls, gaps,
 * and the extent of a capture.
 */
#ifndef TK_ENGINE_KEPT_FACTS_H
#define TK_ENGINE_KEPT_FACTS_H

#include "base/text/intern.h"
#include "fact/fact.h"
#include "fact/kept.h"

/* Those that can be kept, and of them those that readings bring along for it. */
#define TK_KEPT_BESIDE                                                                                       \
    (TK_FACT_MASK(FRAME) | TK_FACT_MASK(REGION) | TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(STALL) |             \
     TK_FACT_MASK(GAP) | TK_FACT_MASK(LATE_GAP))
#define TK_KEPT_FACTS (TK_KEPT_BESIDE | TK_FACT_MASK(EXTENT))

/* Appends a fact of such a kind. */
void tk_kept_fact_put(struct tk_kept_bytes *b, const struct tk_fact *fact);

/* The next one; its texts are interned in `texts`. TK_OK, TK_ENOMEM; *c has a fault where the bytes are none.
 */
int tk_kept_fact_take(struct tk_cur *c, struct tk_intern *texts, struct tk_fact *out);

#endif
