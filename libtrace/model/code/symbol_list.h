/*
 * Symbol list: the functions that addresses lie in, where the capture knows them, and where symbols of its
 * modules do. The capture may define them after their first use, so addresses are looked up when all is read.
 */
#ifndef TK_MODEL_CODE_SYMBOL_LIST_H
#define TK_MODEL_CODE_SYMBOL_LIST_H

#include "base/hash/hash.h"
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
    struct tk_map index;    /* address -> index in symbols, of those that the capture knows */
    struct tk_map found[2]; /* the same of those that were added, by exact */
};

/* Takes a TK_FACT_SYMBOL; ignores others, and those without a function. An address that is known keeps its
 * functions. 0, or -1 if out of memory. */
int tk_symbol_list_feed(struct tk_symbol_list *list, const struct tk_fact *fact);

/* Adds the functions of an address, n of them, that symbols of its module know; exact: it is no return
 * address. 0, or -1 if out of memory. */
int tk_symbol_list_add(struct tk_symbol_list *list, uint64_t address, bool exact,
                       const struct tk_symbol_place *places, uint32_t n);

/* What the capture knows of an address, or NULL. */
const struct tk_symbol *tk_symbol_at(const struct tk_symbol_list *list, uint64_t address);

/* What was added of it, or NULL. */
const struct tk_symbol *tk_symbol_found(const struct tk_symbol_list *list, uint64_t address, bool exact);

/* Place i of a symbol, the innermost inlined function first. */
static inline const struct tk_symbol_place *tk_symbol_place(const struct tk_symbol_list *list,
                                                            const struct tk_symbol *symbol, uint32_t i)
{
    return &list->places.v[symbol->first + i];
}

void tk_symbol_list_release(struct tk_symbol_list *list);

#endif
