/*
 * Tables of symbols of ELF and Mach-O files: names of functions by address, without lines. They answer what
 * no debug information does. (symbols 3.3, 3.4)
 */
#ifndef TK_SYMBOLS_PLAIN_SYMBOL_TABLE_H
#define TK_SYMBOLS_PLAIN_SYMBOL_TABLE_H

#include "symbols/files/image.h"
#include "symbols/files/answers.h"

/* Names functions of questions, sorted, that have no answer yet, or a line without a function. Addresses are
 * those of the image. */
void tk_symbol_table_resolve(const struct tk_image *image, struct tk_sym_question *questions, size_t n,
                             struct tk_sym_answers *answers);

#endif
