/*
 * Paths of source files as symbols have them, of any system: joined, without "." and with as few ".." as
 * possible. Readers make the files of their frames with it.
 */
#ifndef TK_SYMBOLS_READER_SOURCE_PATH_H
#define TK_SYMBOLS_READER_SOURCE_PATH_H

#include "base/cursor.h"

/* Zero-initialise to begin. */
struct tk_sym_path {
    char text[4096];
    size_t n;
};

/* Appends a path; an absolute one takes the place of what is there. What is too long is left out. */
void tk_sym_path_add(struct tk_sym_path *p, struct tk_bytes s);

#endif
