/*
 * A copy of a text that ends with NUL. Below all that keeps a name that it was given.
 */
#ifndef TK_BASE_TEXT_COPY_H
#define TK_BASE_TEXT_COPY_H

#include <stdlib.h>
#include <string.h>

/* To be freed. NULL: out of memory. */
static inline char *tk_text_copy(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

#endif
