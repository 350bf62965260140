/*
 * Ranges of addresses that .debug_aranges tells of units: of those of DWARF 2, whose own attributes have room
 * for a single one. See dwarf.h.
 */
#ifndef TK_SYMBOLS_DWARF_ARANGES_H
#define TK_SYMBOLS_DWARF_ARANGES_H

#include "symbols/dwarf/unit.h"

/* Reads the set at *at: calls `take` for each of its ranges, and moves *at behind it. *unit is the offset of
 * its unit in .debug_info. false: there is no further set. */
bool tk_dw_aranges_next(struct tk_bytes section, size_t *at, uint64_t *unit, tk_dw_take_range *take,
                        void *to);

#endif
