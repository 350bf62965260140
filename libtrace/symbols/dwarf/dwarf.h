/*
 * DWARF 2 to 5: the functions that addresses lie in, with those inlined there, and their lines. It reads the
 * sections of an image; one unit is in memory at a time. (symbols 5)
 */
#ifndef TK_SYMBOLS_DWARF_DWARF_H
#define TK_SYMBOLS_DWARF_DWARF_H

#include "base/cursor.h"
#include "symbols/files/symbol_file.h"

/* The sections of a file; empty where it has none. Borrowed. */
struct tk_dwarf_sections {
    struct tk_bytes info, abbrev, str, line, line_str, ranges, rnglists, addr, str_offsets, aranges;
    const struct tk_dwarf_sections *shared; /* of the file that several share, as dwz makes it; or NULL */
};

/* A file of split units (.dwo, .dwp) for what is left out of the units of another one. */
struct tk_dwarf_split {
    struct tk_dwarf_sections sections; /* those with the names that end in .dwo */
    struct tk_bytes index;             /* .debug_cu_index of a .dwp; empty: the file is one unit */
};

struct tk_dwarf {
    struct tk_dwarf_sections sections;
    struct tk_sym_file *file; /* that the sections are of, to be reported what is read; may be NULL */
    const struct tk_dwarf_split *package; /* a .dwp, or NULL */

    /* Opens a .dwo file of a name, as the unit says it; with `more` the next one of that name, or the next
     * units of the same file. NULL where there is none. What it gave before is given up. May be NULL. */
    const struct tk_dwarf_split *(*split)(void *ctx, const char *name, size_t n, bool more);
    void *ctx;
};

/*
 * Answers those of n questions that have no answer yet, which are sorted by address. Where lines are known
 * but no function the frame has no function. A unit that cannot be read is lost, and the answers count it.
 */
void tk_dwarf_resolve(const struct tk_dwarf *dwarf, struct tk_sym_question *questions, size_t n,
                      struct tk_sym_answers *answers);

#endif
