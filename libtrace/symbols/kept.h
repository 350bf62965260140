/*
 * Answers about symbols that are there already: of files that were sent along, and of the cache of the user.
 * symbols.c asks them before it looks for files of symbols. (symbols 6.2 to 6.4)
 */
#ifndef TK_SYMBOLS_KEPT_H
#define TK_SYMBOLS_KEPT_H

#include "symbols/symbols.h"

/* Opens the files of answers among the places of the search, and that beside the capture (NULL: none). 0, or
 * -1 if out of memory. */
int tk_kept_open(struct tk_symbols *s, const char *capture);

/* Takes what is kept of a module. 1: that is enough, its file need not be found; 0; -1 if out of memory. */
int tk_kept_find(struct tk_symbols *s, struct tk_module_symbols *m);

/* Writes what is new to the cache. */
void tk_kept_save(struct tk_symbols *s);

/* The bytes of a file of all answers so far, to be sent along and to be freed; `strip`: files without their
 * folders. NULL if out of memory. */
uint8_t *tk_kept_bytes(struct tk_symbols *s, bool strip, size_t *n);

void tk_kept_release(struct tk_symbols *s);

#endif
