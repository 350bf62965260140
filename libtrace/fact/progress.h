/*
 * Progress: a callback gets how far a reading is, and may cancel it.
 */
#ifndef TK_FACT_PROGRESS_H
#define TK_FACT_PROGRESS_H

#include "base/err.h"
#include "fact/format.h"
#include "tracekit/captures.h"

/* TK_OK or TK_ECANCELED. */
static inline int tk_progress(const struct tk_context *ctx, uint64_t done, uint64_t total, struct tk_err *err)
{
    const struct tk_options *options = ctx->options;
    if (!options || !options->progress || options->progress(options->progress_ctx, done, total) == 0)
        return TK_OK;
    return tk_err_set(err, TK_ECANCELED, "the reading was cancelled");
}

#endif
