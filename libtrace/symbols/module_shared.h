/*
 * The file of DWARF that several modules share, as dwz makes it: found by the link in the file of one, and
 * verified by its id. See module_split.h. (symbols 3.3)
 */
#ifndef TK_SYMBOLS_MODULE_SHARED_H
#define TK_SYMBOLS_MODULE_SHARED_H

#include "symbols/dwarf/dwarf.h"
#include "symbols/module_file.h"

struct tk_shared_file {
    struct tk_sym_file file;
    struct tk_image image;
    struct tk_dwarf_sections sections;
};

/* Is there one for a module? *why, which may be NULL before: a static text where it refers to one that was
 * not found, or that has sections which cannot be read. Close it in any case; it borrows nothing of the
 * module. */
bool tk_shared_file_open(struct tk_shared_file *f, struct tk_module_file *m, const char **why);

void tk_shared_file_close(struct tk_shared_file *f);

#endif
