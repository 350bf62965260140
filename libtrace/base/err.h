/*
 * Errors: a status code and a list of causes, innermost first, in a struct of the caller. Nothing is
 * allocated, so running out of memory is reported like any other error.
 */
#ifndef TK_BASE_ERR_H
#define TK_BASE_ERR_H

#include "tracekit/errors.h"

#include <stdarg.h>

#if defined(__GNUC__)
#define TK_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TK_PRINTF(fmt, args)
#endif

/* Starts a new list with one cause. Returns `code`, so that a caller can return the call. err may be NULL. */
int tk_err_set(struct tk_err *err, int code, const char *fmt, ...) TK_PRINTF(3, 4);
int tk_err_vset(struct tk_err *err, int code, const char *fmt, va_list ap) TK_PRINTF(3, 0);

/*
 * Adds an outer cause and returns the code of the list. When it is full the new one takes the place of the
 * last one, so innermost and outermost are kept. Without a list the code is not known: TK_EIO (functions that
 * let callers pass NULL put a list of their own in its place).
 */
int tk_err_add(struct tk_err *err, const char *fmt, ...) TK_PRINTF(2, 3);

/* TK_ENOMEM with the usual sentence; `what` says for what the memory was wanted. Here, so that a compiler
 * that looks for mistakes sees that it is never TK_OK. */
static inline int tk_err_nomem(struct tk_err *err, const char *what)
{
    tk_err_set(err, TK_ENOMEM, "out of memory for %s", what);
    return TK_ENOMEM;
}

/* TK_EUSAGE: what was requested is in a part of the library that this build leaves out, by TK_WITH_`option`.
 */
int tk_err_left_out(struct tk_err *err, const char *option);

/* Appends ": " and a reason, which begins with a small letter, to the last cause. err may be NULL. */
void tk_err_because(struct tk_err *err, const char *reason);

/*
 * Public structs that callers fill, which begin with `size_t size`. A caller compiled with an older version
 * passes a shorter struct.
 */

/*
 * Copies a caller's struct, as much of it as the caller knows, over one of `size` bytes that has the usual
 * values; NULL: those stay. `what` is its subject in a sentence. TK_OK; TK_EUSAGE where its size is 0.
 */
int tk_struct_size_take(void *to, size_t size, const void *from, const char *what, struct tk_err *err);

#endif
