/*
 * DWARF of a module with what its units leave out in .dwp and .dwo files. See module_file.h.
 */
#ifndef TK_SYMBOLS_MODULE_SPLIT_H
#define TK_SYMBOLS_MODULE_SPLIT_H

#include "symbols/module_file.h"

/* Answers questions, whose addresses are those of the image, by its DWARF. */
void tk_module_dwarf_resolve(struct tk_module_file *m, struct tk_sym_question *questions, size_t n,
                             struct tk_sym_answers *answers);

#endif
