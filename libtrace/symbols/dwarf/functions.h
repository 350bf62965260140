/*
 * Functions of a unit of DWARF: which of them hold the addresses that are asked, inlined ones too, and what
 * they are called. See dwarf.h.
 */
#ifndef TK_SYMBOLS_DWARF_FUNCTIONS_H
#define TK_SYMBOLS_DWARF_FUNCTIONS_H

#include "symbols/dwarf/unit.h"

#define TK_DW_NO_FUNCTION UINT32_MAX

/* A function that holds an address, or a call of one that was inlined. */
struct tk_dw_function {
    uint64_t entry;     /* offset in .debug_info */
    uint64_t call_file; /* inlined: where it was called; TK_DW_NONE: not known */
    uint32_t call_line;
    uint32_t parent; /* that it was inlined in, or TK_DW_NO_FUNCTION */
    uint32_t holder; /* itself; where its ranges are not told, the one around it that has its addresses */
    bool inlined;
};

/* What encloses names: a namespace, a type, a function. In ascending order of entries. */
struct tk_dw_scope {
    uint32_t entry;  /* from the start of the unit */
    uint32_t parent; /* place, or TK_DW_NO_FUNCTION */
};

struct tk_dw_scopes {
    TK_VEC(struct tk_dw_scope) v;
    uint64_t unit_at;
};

struct tk_dw_functions {
    TK_VEC(struct tk_dw_function) v;
    struct tk_dw_scopes scopes;
};

/* Walks all entries of a unit. addresses: n of them, ascending; innermost[i], which is TK_DW_NO_FUNCTION at
 * first, becomes the place of the innermost function that holds them. 0; -1: the unit is broken, and what was
 * found up to there is there. Addresses may be NULL, for the scopes alone. */
int tk_dw_functions_walk(struct tk_dw_functions *f, const struct tk_dw_unit *unit, const uint64_t *addresses,
                         uint32_t *innermost, size_t n);

void tk_dw_functions_release(struct tk_dw_functions *f);

struct tk_dw_others;

/* What names are looked up with: the unit at work, and units that its entries refer to. */
struct tk_dw_names {
    struct tk_sym_answers *answers;
    const struct tk_dw_unit *unit;
    const struct tk_dw_scopes *scopes;
    struct tk_dw_others *others,
        *shared;         /* borrowed: of the file of the unit, and of the one that it shares */
    struct tk_map known; /* entry -> place */
    TK_VEC(const struct tk_str *) texts;
};

/* The name of a function, with the namespaces and types around it: "forge::Pool::grow". NULL: not known. */
const struct tk_str *tk_dw_name(struct tk_dw_names *names, uint64_t entry);

void tk_dw_names_release(struct tk_dw_names *names);

#endif
