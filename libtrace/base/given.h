/*
 * Pointers without which a public function can do nothing: other languages pass null where they have no
 * value. The first statement of such a function.
 */
#ifndef TK_BASE_GIVEN_H
#define TK_BASE_GIVEN_H

#include "base/err.h"

static inline bool tk_any_null(const void *const *p, size_t n)
{
    size_t i = 0;
    while (i < n && p[i])
        i++;
    return i < n;
}

#define TK_POINTERS(...) ((const void *const[]){__VA_ARGS__})
#define TK_ANY_NULL(...)                                                                                     \
    tk_any_null(TK_POINTERS(__VA_ARGS__), sizeof TK_POINTERS(__VA_ARGS__) / sizeof(void *))

/* Returns TK_EUSAGE from the function around it where one of the pointers is null. */
#define TK_GIVEN(err, ...)                                                                                   \
    do {                                                                                                     \
        if (TK_ANY_NULL(__VA_ARGS__))                                                                        \
            return tk_err_set((err), TK_EUSAGE, "%s: none of these may be NULL: %s", __func__,               \
                              #__VA_ARGS__);                                                                 \
    } while (0)

/* The same of a function that makes something: *out is NULL then. */
#define TK_GIVEN_OUT(err, out, ...)                                                                          \
    do {                                                                                                     \
        if (out)                                                                                             \
            *(out) = NULL;                                                                                   \
        TK_GIVEN(err, out, __VA_ARGS__);                                                                     \
    } while (0)

/* Are there n texts, each of them given? */
static inline bool tk_texts_given(const char *const *texts, size_t n)
{
    size_t i = 0;
    while (texts && i < n && texts[i])
        i++;
    return !n || i == n;
}

/* The same of a list of texts. */
#define TK_TEXTS_GIVEN(err, texts, n)                                                                        \
    do {                                                                                                     \
        if (!tk_texts_given((texts), (n)))                                                                   \
            return tk_err_set((err), TK_EUSAGE, "%s: there is a NULL in %s", __func__, #texts);              \
    } while (0)

#endif
