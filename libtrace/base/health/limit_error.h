/*
 * Errors of reached limits: the cause, the name of the limit and how to raise it. Readers and builders return
 * them as TK_ELIMIT.
 */
#ifndef TK_HEALTH_LIMIT_ERROR_H
#define TK_HEALTH_LIMIT_ERROR_H

#include "base/err.h"
#include "base/health/limits.h"

/* TK_ELIMIT, with the name of the limit and how to raise it behind the text. */
int tk_err_limit(struct tk_err *err, enum tk_limit limit, const char *fmt, ...) TK_PRINTF(3, 4);

#endif
