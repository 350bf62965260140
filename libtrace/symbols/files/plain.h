/*
 * Symbols as text, as Breakpad and the tracers of consoles have them: FILE, FUNC, INLINE, lines, PUBLIC.
 * Addresses count from the first byte of the module. (symbols 3.4, 3.5)
 */
#ifndef TK_SYMBOLS_FILES_PLAIN_H
#define TK_SYMBOLS_FILES_PLAIN_H

#include "base/cursor.h"
#include "symbols/files/image.h"
#include "symbols/files/symbol_file.h"

/*
 * Symbols as text, as Breakpad and the tracers of consoles have them: FILE, FUNC, INLINE, lines, PUBLIC.
 * Addresses count from the first byte of the module. (symbols 3.4, 3.5)
 */

/* The first line. */
struct tk_breakpad_head {
    struct tk_bytes system, machine, id, name;
};

/* Is it such a file? */
bool tk_breakpad_head(struct tk_bytes bytes, struct tk_breakpad_head *head);

/* Has the id in hexadecimal these bytes: as they are, or as a GUID with an age, whose groups are numbers? */
bool tk_breakpad_has_id(struct tk_bytes id, const uint8_t *wanted, uint32_t n);

void tk_breakpad_resolve(struct tk_bytes bytes, struct tk_sym_question *questions, size_t n,
                         struct tk_sym_answers *answers);

/*
 * Tables of symbols of ELF and Mach-O files: names of functions by address, without lines. They answer what
 * no debug information does. (symbols 3.3, 3.4)
 */

/* Names functions of questions, sorted, that have no answer yet, or a line without a function. Addresses are
 * those of the image. */
void tk_symbol_table_resolve(const struct tk_image *image, struct tk_sym_question *questions, size_t n,
                             struct tk_sym_answers *answers);

#endif
