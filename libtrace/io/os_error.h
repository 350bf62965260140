/*
 * Errors of the system as causes: what was wanted, and why the system did not do it. Readers, writers and
 * scratch files use them.
 */
#ifndef TK_IO_OS_ERROR_H
#define TK_IO_OS_ERROR_H

#include "base/err.h"
#include "os/error.h"

/* The sentence, ": " and the text of a result, which is no success. TK_ENOMEM or TK_EPIPE where it says so,
 * else `code`. err may be NULL. */
int tk_os_error_set(struct tk_err *err, int code, struct tk_os_result why, const char *fmt, ...)
    TK_PRINTF(4, 5);

#endif
