/*
 * One declaration record (wire 3.7, 3.8); private to the schema.
 */
#ifndef TK_UTRACE_DECLARE_H
#define TK_UTRACE_DECLARE_H

#include "utrace/schema.h"

/*
 * Parses a record. Fields and names go into the schema's arena and strings. TK_OK; TK_EFORMAT with *why
 * (static text); TK_ENOMEM.
 */
int tk_ut_declare_parse(struct tk_ut_schema *s, const uint8_t *p, size_t n, struct tk_ut_type *out,
                        const char **why);

#endif
