/*
 * Rows of a result that are kept or dropped one by one, for what chooses them by conditions. Used by the
 * library; what programs call is in tracekit.h.
 */
#ifndef TK_TABLE_RESULT_H
#define TK_TABLE_RESULT_H

#include "base/err.h"
#include "tracekit/sinks.h"

/* Keeps the rows for which `pass` is true, in their order. TK_OK or TK_ENOMEM. */
int tk_result_keep(struct tk_result *result, size_t table, bool (*pass)(void *ctx, const struct tk_cell *row),
                   void *ctx, struct tk_err *err);

#endif
