/*
 * One declaration record (wire 3.7, 3.8), and where records begin.
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

/* Do these n bytes look like a record, by the lengths in it? */
bool tk_ut_declare_fits(const struct tk_ut_schema *s, const uint8_t *p, size_t n);

/* Where a sound declaration in its frame of thread 0 (wire 3.6) begins, from p on; `end` when there is none.
 */
const uint8_t *tk_ut_declare_next(const struct tk_ut_schema *s, const uint8_t *p, const uint8_t *end);

/*
 * The size of the declaration whose frame of at least 4 bytes is at p: as its content says, if another
 * declaration or the end follows there; else as it is stated; else up to the next declaration.
 */
size_t tk_ut_declare_size(const struct tk_ut_schema *s, const uint8_t *p, const uint8_t *end);

#endif
