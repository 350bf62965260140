/*
 * Interned texts: equal bytes with equal encoding are one object with a stable address, so texts compare by
 * pointer. Texts are bytes plus an encoding; they are not NUL-terminated.
 */
#ifndef TK_BASE_TEXT_INTERN_H
#define TK_BASE_TEXT_INTERN_H

#include "base/arena.h"
#include "tracekit/values.h"

struct tk_intern {
    struct tk_arena arena;
    const struct tk_str **slots; /* owned open-addressed table, by tk_hash_bytes with the encoding as seed;
                                    entries live in the arena */
    size_t mask, count;
    bool full;    /* the limit did not allow a text */
    bool failed;  /* memory or the limit was out for a text; stays so until the table is released */
    size_t limit; /* bytes of texts and what is kept alongside each; 0 for none */
    const struct tk_str
        *others;       /* static: stands for all texts that the limit did not allow; NULL: none does */
    uint64_t left_out; /* how often it was given out */
};

/*
 * The interned text of these bytes. The result lives as long as the table. NULL if out of memory; where the
 * limit is reached `others`, but for the empty text, which is always there. UTF-16 texts are converted to
 * UTF-8 here when they are valid; invalid ones keep their bytes and encoding.
 */
const struct tk_str *tk_intern(struct tk_intern *t, const void *p, size_t n, enum tk_encoding enc);

/* As tk_intern for a C string in UTF-8. */
const struct tk_str *tk_intern_c(struct tk_intern *t, const char *s);

/* As tk_intern whatever the limit is, for texts that another limit bounds. */
const struct tk_str *tk_intern_always(struct tk_intern *t, const void *p, size_t n, enum tk_encoding enc);

/* Sets the limit; also one of 0 is one. others: see there. */
static inline void tk_intern_bound(struct tk_intern *t, uint64_t bytes, const struct tk_str *others)
{
    t->limit = bytes == 0 ? 1 : bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
    t->others = others;
}

void tk_intern_release(struct tk_intern *t);

#endif
