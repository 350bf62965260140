/*
 * The sections of DWARF of a file. What is said of a module, of its split units and of what it shares is read
 * from them. See module_file.h.
 */
#ifndef TK_SYMBOLS_MODULE_SECTIONS_H
#define TK_SYMBOLS_MODULE_SECTIONS_H

#include "symbols/files/image.h"
#include "symbols/dwarf/dwarf.h"

/* The sections of DWARF of an image, whose names end in `suffix`. *why, which was NULL: one cannot be read.
 */
struct tk_dwarf_sections tk_module_sections(struct tk_image *image, const char *suffix, const char **why);

#endif
