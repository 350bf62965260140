/*
 * Beside: files that others write (a database) under a name beside the final one, put in place when complete.
 */
#ifndef TK_IO_BESIDE_H
#define TK_IO_BESIDE_H

#include "base/err.h"

/* A name in the folder of path for the unfinished file; free() it. An existing file at path is refused
 * without `force`. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_beside_name(char **out, const char *path, bool force, struct tk_err *err);

/* Puts the unfinished file under its name. TK_OK or TK_EOUTPUT. */
int tk_beside_commit(const char *beside, const char *path, bool force, struct tk_err *err);

/* Takes the unfinished file away. */
void tk_beside_remove(const char *beside);

#endif
