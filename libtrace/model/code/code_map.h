/*
 * Code map: the modules of a capture, and the functions that addresses lie in, as the capture or the symbols
 * of its modules know them. Tables feed it, announce all addresses that they will ask for, and settle it;
 * then they ask. (symbols 1.2, 1.3)
 */
#ifndef TK_MODEL_CODE_CODE_MAP_H
#define TK_MODEL_CODE_CODE_MAP_H

#include "fact/format.h"
#include "fact/symbolizer.h"
#include "model/code/module_list.h"
#include "model/code/symbol_list.h"

/* An address that will be asked. */
struct tk_code_address {
    uint64_t address;
    bool exact; /* false: it is a return address */
};

/* Zero-initialise to begin. */
struct tk_code_map {
    struct tk_module_list modules;
    struct tk_symbol_list symbols;
    TK_VEC(struct tk_code_address) wanted;
    struct tk_map seen[2];  /* address -> place in wanted; by exact */
    TK_VEC(uint32_t) found; /* by place in wanted: 1 + index of the symbol of its module; 0: none */
};

#define TK_CODE_MAP_FACTS (TK_FACT_MASK(MODULE) | TK_FACT_MASK(SYMBOL))

/* Is address i of a sample one where the thread was, or where it entered the kernel? All others are return
 * addresses. */
static inline bool tk_code_is_exact(const uint64_t *addresses, uint32_t i)
{
    return i == 0 || (addresses[i - 1] >> 63 && !(addresses[i] >> 63));
}

/* Takes the facts above; ignores others. 0, or -1 if out of memory. */
int tk_code_map_feed(struct tk_code_map *map, const struct tk_fact *fact);

/* An address will be asked. Before it is settled. 0, or -1 if out of memory. */
int tk_code_map_want(struct tk_code_map *map, uint64_t address, bool exact);

/* All is read and told: looks addresses up. 0, or -1 if out of memory. */
int tk_code_map_settle(struct tk_code_map *map, const struct tk_context *ctx);

/* The place of an address in wanted; TK_MAP_NONE: it was not announced. */
static inline uint32_t tk_code_number(const struct tk_code_map *map, uint64_t address, bool exact)
{
    return tk_map_get(&map->seen[exact], address);
}

/* What symbols of its module know of the address at a place in wanted, or NULL. */
const struct tk_symbol *tk_code_found(const struct tk_code_map *map, uint32_t number);

/* The functions that an address lies in, or NULL. One that is open has none, but an offset in its image. */
const struct tk_symbol *tk_code_symbol(const struct tk_code_map *map, uint64_t address, bool exact);

/* The image of an address that the capture tells, without a module, or NULL. */
static inline const struct tk_str *tk_code_image(const struct tk_code_map *map, uint64_t address)
{
    const struct tk_symbol *symbol = tk_symbol_at(&map->symbols, address);
    return symbol ? symbol->image : NULL;
}

void tk_code_map_release(struct tk_code_map *map);

#endif
