/*
 * The texts in the bytes of a field: characters of one, two or four bytes, arguments of formats, CBOR.
 * Between an event, and who replaces its texts or looks at them.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_FIELD_TEXTS_H
#define TK_EDIT_UTRACE_TEXTS_FIELD_TEXTS_H

#include "edit/anonymise/text_out.h"

#include <stddef.h>

/* What the bytes of a field are. */
enum tk_edit_holds {
    TK_EDIT_HOLDS_NUMBERS,  /* no texts: they stay */
    TK_EDIT_HOLDS_TEXT,     /* one text, with or without NULs at its end */
    TK_EDIT_HOLDS_ARGS,     /* arguments of a format (events 0.7) */
    TK_EDIT_HOLDS_CBOR,     /* values (events 0.6) */
    TK_EDIT_HOLDS_IDENTITY, /* a number that nobody else has */
    TK_EDIT_HOLDS_SECRET,   /* one that says what a text would: it becomes 0 */
    TK_EDIT_HOLDS_UNKNOWN   /* what nobody understands */
};

/* Takes a text, in UTF-8 (three bytes for half a surrogate pair), and appends what is to stand there. */
typedef void tk_edit_text_fn(void *ctx, const uint8_t *p, size_t n, struct tk_anon_text *out);

/* Appends the bytes of a field with its texts replaced; `width` bytes a character of TEXT. What ends early or
 * is no CBOR ends there. TEXT, ARGS and CBOR alone. */
void tk_edit_texts_map(enum tk_edit_holds holds, unsigned width, const uint8_t *p, size_t n,
                       tk_edit_text_fn *fn, void *ctx, struct tk_anon_text *out);

#endif
