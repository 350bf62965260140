/*
 * Code map: the modules of a capture, and the functions that addresses lie in, as the capture or the symbols
 * of its modules know them. Tables feed it, announce all addresses that they will ask for, and settle it;
 * then they ask. (symbols 1.2, 1.3)
 */
#ifndef TK_MODEL_CODE_CODE_MAP_H
#define TK_MODEL_CODE_CODE_MAP_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "fact/format.h"
#include "fact/symbolizer.h"
#include "model/code/module_list.h"
#include "query/builder.h"
#include "table/cell.h"

/*
 * Symbol list: the functions that addresses lie in, where the capture knows them, and where symbols of its
 * modules do. The capture may define them after their first use, so addresses are looked up when all is read.
 */

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

/* An address that will be queried. */
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

/* An address will be queried. Before it is settled. 0, or -1 if out of memory. */
int tk_code_map_want(struct tk_code_map *map, uint64_t address, bool exact);

/* All is read and reported: looks addresses up. 0, or -1 if out of memory. */
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

/* The image of an address that the capture says, without a module, or NULL. */
static inline const struct tk_str *tk_code_image(const struct tk_code_map *map, uint64_t address)
{
    const struct tk_symbol *symbol = tk_symbol_at(&map->symbols, address);
    return symbol ? symbol->image : NULL;
}

void tk_code_map_release(struct tk_code_map *map);

/*
 * Where an address lies: the module, or the image that the capture says, and how far in it; and the text
 * that stands for an address whose function is not known. The tables of code show it. (symbols 6.5)
 */

struct tk_code_place {
    struct tk_str module; /* without folders; p NULL: not known */
    uint64_t offset;      /* in it */
    bool has_offset;
};

/* module: the one that the address lies in, or NULL. When the map is settled. */
struct tk_code_place tk_code_place_of(const struct tk_code_map *map, const struct tk_module *module,
                                      uint64_t address);

/* Cells of both; no values where they are not known. */
struct tk_cell tk_code_module_cell(const struct tk_code_place *place);
struct tk_cell tk_code_offset_cell(const struct tk_code_place *place);

/* "mesh.dll+0x1130", or the address where the offset is not known: for one address. NULL if out of memory. */
const struct tk_str *tk_code_bare_text(struct tk_intern *texts, const struct tk_code_place *place,
                                       uint64_t address);

/* How the text below begins. */
#define TK_NO_FUNCTION "(no function in "

/* "(no function in mesh.dll)": for all addresses of a module whose function is not known, which sums of
 * samples have as one, since addresses differ from run to run and say little one by one. NULL if out of
 * memory. */
const struct tk_str *tk_code_no_function(struct tk_intern *texts, const struct tk_str *module);

/*
 * What lies behind a row "(no function in mesh.dll)": its offsets, and how many samples each has. Tables that
 * sum up samples show them.
 */

struct tk_code_offset {
    uint64_t offset;
    uint64_t excl, incl; /* samples right there, and with it in their stack */
    uint64_t stack;      /* that was added last */
    uint32_t row;
};

/* Zero-initialise to begin. */
struct tk_code_offsets {
    TK_VEC(struct tk_code_offset) v; /* when settled: by row, the most frequent first */
    struct tk_map index;             /* row and offset -> place in v */
};

#define TK_CODE_OFFSETS_HELP                                                                                 \
    "without a function: the most frequent offsets in the module, or addresses, with samples"

/* Samples of a stack, numbered from 1, which has an offset of a row; own: it is the innermost. A stack counts
 * once, however often it has it. 0, or -1 if out of memory. */
int tk_code_offsets_add(struct tk_code_offsets *o, uint32_t row, uint64_t offset, uint64_t stack, bool own,
                        uint64_t samples);

/* All are added. 0, or -1 if out of memory. */
int tk_code_offsets_settle(struct tk_code_offsets *o);

/* "0x1130 (41), 0x11a2 (7), 12 more", by exclusive samples; by inclusive ones in a row that has no others. No
 * value for a row without offsets, and where there is no memory for
 * the text, which the status of `emit` says. */
struct tk_cell tk_code_offsets_cell(const struct tk_code_offsets *o, uint32_t row, struct tk_emit *emit);

void tk_code_offsets_release(struct tk_code_offsets *o);

#endif
