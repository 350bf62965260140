/*
 * Outputs beyond what tracekit.h offers: packed whatever they are called, and folders.
 */
#ifndef TK_IO_OUTPUT_H
#define TK_IO_OUTPUT_H

#include "io/pack.h"

/* As tk_output_open, packed as told and not as the name says. */
int tk_output_open_packed(struct tk_output **out, const char *path, bool force, enum tk_packing packing,
                          struct tk_err *err);

/*
 * Makes a folder where there is none (*made tells). One that is there must be empty unless `force`. TK_OK or
 * TK_EOUTPUT.
 */
int tk_folder_make(const char *path, bool force, bool *made, struct tk_err *err);

/* Takes a folder away if it is empty. */
void tk_folder_remove(const char *path);

#endif
