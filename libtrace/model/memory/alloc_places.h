/*
 * Places: which function, module and source file allocated, by callstack. The engine finds them beforehand
 * (TK_PRESCAN_PLACES), since symbols may stand behind the allocations: so sums by them can be kept step by
 * step, and what was the most at one time is known.
 */
#ifndef TK_MODEL_MEMORY_ALLOC_PLACES_H
#define TK_MODEL_MEMORY_ALLOC_PLACES_H

#include "model/memory/memory_names.h"

enum tk_alloc_place_text { TK_PLACE_FUNCTION, TK_PLACE_MODULE, TK_PLACE_FILE, TK_PLACE_TEXTS };

/* Numbers of texts, from 1; 0: not known. */
struct tk_alloc_place {
    uint32_t texts[TK_PLACE_TEXTS];
};

/* Zero-initialise to begin. */
struct tk_alloc_places {
    struct tk_memory_names names;         /* those of callstacks alone; owns the texts */
    TK_VEC(uint32_t) of;                  /* place by number of the callstack in names */
    TK_VEC(struct tk_alloc_place) places; /* all different; 0: nothing is known, 1: not in the capture */
    TK_VEC(const struct tk_str *) texts;  /* by number of a text, less 1 */
    struct tk_map text_index;             /* address of a text -> its number */
    struct tk_map pairs, index;           /* function and module -> number; that and file -> place */
    bool settled;
};

#define TK_ALLOC_PLACE_FACTS (TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS)

/* The context and the rules of which functions are allocators (tk_query.allocators) are borrowed. */
void tk_alloc_places_init(struct tk_alloc_places *p, struct tk_context *ctx, const char *allocators);

/* Takes the facts above; ignores others. 0, or -1 if out of memory. */
int tk_alloc_places_feed(struct tk_alloc_places *p, const struct tk_fact *fact);

/* All is read, and its source is still open: finds the places of all callstacks, and keeps these alone. 0, or
 * -1 if out of memory. */
int tk_alloc_places_settle(struct tk_alloc_places *p);

/* The number of the place of a callstack. When settled. */
uint32_t tk_alloc_place_of(const struct tk_alloc_places *p, uint64_t callstack);

/* The text of a number, or NULL for 0. */
static inline const struct tk_str *tk_alloc_place_text(const struct tk_alloc_places *p, uint32_t number)
{
    return number ? p->texts.v[number - 1] : NULL;
}

void tk_alloc_places_release(struct tk_alloc_places *p);

#endif
