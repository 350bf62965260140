/*
 * Units that entries of other units refer to, in the same file or in one that several files share: the last
 * ones are kept, for names of inlined functions come from the same few again and again. See functions.h.
 */
#ifndef TK_SYMBOLS_DWARF_OTHER_UNITS_H
#define TK_SYMBOLS_DWARF_OTHER_UNITS_H

#include "symbols/dwarf/functions.h"

enum { TK_DW_MOST_OTHERS = 64 };

/* A unit that is kept, with what names need of it. */
struct tk_dw_other {
    struct tk_dw_unit unit;
    struct tk_dw_abbrevs abbrevs;
    struct tk_dw_functions walk;
    bool sound;
};

struct tk_dw_others {
    const struct tk_dwarf_sections *s; /* borrowed */
    struct tk_dw_fuel *fuel;           /* borrowed */
    uint64_t mark;                     /* of entries of its units: TK_DW_SHARED, or 0 */
    TK_VEC(uint64_t) starts;           /* of all units, once one is asked for */
    struct tk_dw_other *v[TK_DW_MOST_OTHERS];
    struct tk_dw_other *last;
    uint32_t n, next; /* next: that makes room */
    uint64_t scopes;  /* of all that are kept */
};

/* The unit around an entry, and the scopes in it. NULL: there is none, or it is broken, or out of memory. It
 * is there until the next call. */
const struct tk_dw_unit *tk_dw_others_find(struct tk_dw_others *o, uint64_t entry,
                                           const struct tk_dw_scopes **scopes);

void tk_dw_others_release(struct tk_dw_others *o);

#endif
