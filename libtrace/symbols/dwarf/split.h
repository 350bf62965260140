/*
 * Split units of DWARF: what a skeleton unit leaves out, in a .dwp or a .dwo file. See dwarf.h.
 */
#ifndef TK_SYMBOLS_DWARF_SPLIT_H
#define TK_SYMBOLS_DWARF_SPLIT_H

#include "symbols/dwarf/unit.h"

/* Opens the unit that a skeleton stands for; `own` gets its sections and `abbrevs` its abbreviations, which
 * have to stay as long as the unit. 0; -1: it is not there. */
int tk_dw_split_open(struct tk_dw_unit *unit, struct tk_dwarf_sections *own, struct tk_dw_abbrevs *abbrevs,
                     const struct tk_dwarf *dwarf, const struct tk_dw_unit *skeleton);

#endif
