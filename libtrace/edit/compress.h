/*
 * How packets of a .utrace are compressed, as options name it.
 */
#ifndef TK_EDIT_COMPRESS_H
#define TK_EDIT_COMPRESS_H

#include "edit/utrace/edit_utrace.h"

/* Reads "raw", "lz4", or "lz4hc" with ":LEVEL"; NULL: as they are. TK_OK or TK_EUSAGE. */
int tk_edit_compress_read(struct tk_edit_request *request, const char *text, struct tk_err *err);

#endif
