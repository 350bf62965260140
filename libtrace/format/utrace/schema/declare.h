/*
 * One declaration record (wire 3.7, 3.8), and where records begin.
 */
#ifndef TK_FORMAT_UTRACE_SCHEMA_DECLARE_H
#define TK_FORMAT_UTRACE_SCHEMA_DECLARE_H

#include "format/utrace/schema/schema.h"

/*
 * Parses a record. Fields and names go into the schema's arena and strings. TK_OK; TK_EFORMAT with *why
 * (static text); TK_ENOMEM.
 */
int tk_ut_declare_parse(struct tk_ut_schema *s, const uint8_t *p, size_t n, struct tk_ut_type *out,
                        const char **why);

/* Do these n bytes look like a record, by the lengths in it? */
bool tk_ut_declare_fits(const struct tk_ut_schema *s, const uint8_t *p, size_t n);

/*
 * Moves *p to a sound declaration in its frame of thread 0 (wire 3.6). TK_ITEM; TK_OK: there is none before
 * the end; TK_UT_MORE: not to be said yet, only when it is not the `last` of the thread.
 */
int tk_ut_declare_next(const struct tk_ut_schema *s, const uint8_t **p, const uint8_t *end, bool last);

/*
 * The size of the declaration whose frame of at least 4 bytes is at p: *size, as it is stated, if that fits
 * what it says of its content; else as the content says, if another declaration or the end follows there;
 * else as it is stated or up to the next declaration. TK_ITEM; TK_UT_MORE: not all there, or not to be said
 * yet.
 */
int tk_ut_declare_size(const struct tk_ut_schema *s, const uint8_t *p, const uint8_t *end, bool last,
                       size_t *size);

#endif
