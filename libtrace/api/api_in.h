/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_API_API_IN_H
#define TK_API_API_IN_H

#include "fact/format.h"

/*
 * The table of formats: every kind of capture that can be read.
 */

/* NULL-terminated, static. */
extern const struct tk_format *const tk_formats[];

/* The first bytes of a file that formats see, at most. */
#define TK_FORMAT_HEAD 4096

/* The format that is surest of these first n bytes; NULL and TK_EFORMAT with a sentence about what the file
 * is when none wants it. */
const struct tk_format *tk_format_find(const uint8_t *head, size_t n, struct tk_err *err);

#endif
