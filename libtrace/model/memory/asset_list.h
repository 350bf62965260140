/*
 * Asset list: what threads work for (TK_FACT_CONTEXT), as numbers, and the stack of it for each thread. Each
 * entry of a stack holds what is in effect there, so that a saved stack is one number.
 * (events 6.6)
 */
#ifndef TK_MODEL_MEMORY_ASSET_LIST_H
#define TK_MODEL_MEMORY_ASSET_LIST_H

#include "model/capture/definition_list.h"

/* An asset, or a package where only that is known. */
struct tk_asset {
    struct tk_fact_context info; /* op TK_CONTEXT_ASSET or TK_CONTEXT_PACKAGE */
    uint64_t scopes;             /* begun */
    uint32_t next;               /* 1 + index of another one with the same hash; 0: none */
};

struct tk_asset_package {
    uint64_t name;
    uint32_t type;
};

struct tk_asset_list {
    TK_VEC(struct tk_asset) assets; /* in order of first use */
    struct tk_map index;            /* hash -> index in assets */
    struct tk_map saved;            /* id of a saved stack -> asset in effect */
    struct tk_map package_index;    /* id of a package -> index in packages */
    TK_VEC(struct tk_asset_package) packages;
    struct tk_definition_list names;
    uint64_t unknown_saves; /* restored without having been saved */
    struct tk_row_limit room;
};

/* What is in effect: 1 + index of an asset, 0 for none. */
struct tk_asset_stack {
    TK_VEC(uint32_t) entries;
};

void tk_asset_list_init(struct tk_asset_list *list, struct tk_health *health, uint64_t rows,
                        const char *table);

/* Takes a TK_FACT_CONTEXT of a thread with its stack. 0, or -1 if out of memory. */
int tk_asset_list_feed(struct tk_asset_list *list, struct tk_asset_stack *stack,
                       const struct tk_fact_context *context);

static inline uint32_t tk_asset_now(const struct tk_asset_stack *stack)
{
    return stack->entries.n ? stack->entries.v[stack->entries.n - 1] : 0;
}

/* Names of an asset (number as tk_asset_now); NULL where they are not known. To be asked when all is read. */
const struct tk_str *tk_asset_name(const struct tk_asset_list *list, uint32_t asset);
const struct tk_str *tk_asset_class(const struct tk_asset_list *list, uint32_t asset);
const struct tk_str *tk_asset_package(const struct tk_asset_list *list, uint32_t asset);

void tk_asset_list_release(struct tk_asset_list *list);

#endif
