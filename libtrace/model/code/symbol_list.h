/*
 * Symbol list: the functions that addresses lie in, where the capture knows them, and where symbols of its
 * modules do. The capture may define them after their first use, so addresses are looked up when all is read.
 */
#ifndef TK_MODEL_CODE_SYMBOL_LIST_H
#define TK_MODEL_CODE_SYMBOL_LIST_H

#include "base/hash.h"
#include "base/vec.h"
#include "fact/fact.h"

struct tk_symbol {
    size_t first;               /* index in places */
    uint32_t n;                 /* at least 1 */
    const struct tk_str *image; /* NULL: not known */
    uint64_t offset;            /* in it, where open */
    bool open;                  /* the capture left the functions to be found out */
};

/* Zero-initialise to begin. */
struct tk_symbol_list {
    TK_VEC(struct tk_symbol) symbols;
    TK_VEC(struct tk_symbol_place) places;
    struct tk_map index; /* address -> index in symbols, of those that the capture knows */
};

/* Takes a TK_FACT_SYMBOL; ignores others, and those without a function. An address that is known keeps its
 * functions. 0, or -1 if out of memory. */
int tk_symbol_list_feed(struct tk_symbol_list *list, const struct tk_fact *fact);

/* Adds functions of addresses, n of them, that symbols of their module know. Their index in symbols, or
 * TK_MAP_NONE if out of memory. */
uint32_t tk_symbol_list_add(struct tk_symbol_list *list, const struct tk_symbol_place *places, uint32_t n);

/* Has a symbol the same functions, which are n? */
bool tk_symbol_is(const struct tk_symbol_list *list, const struct tk_symbol *symbol,
                  const struct tk_symbol_place *places, uint32_t n);

/* What the capture knows of an address, or NULL. */
const struct tk_symbol *tk_symbol_at(const struct tk_symbol_list *list, uint64_t address);

/* Place i of a symbol, the innermost inlined function first. */
static inline const struct tk_symbol_place *tk_symbol_place(const struct tk_symbol_list *list,
                                                            const struct tk_symbol *symbol, uint32_t i)
{
    return &list->places.v[symbol->first + i];
}

void tk_symbol_list_release(struct tk_symbol_list *list);

#endif
