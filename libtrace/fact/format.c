/*
 * What is said of a capture in the words of its format. See format.h.
 */
#include "fact/format.h"

int tk_format_lacks(const struct tk_context *ctx, enum tk_hint hint, const char *sentence, struct tk_err *err)
{
    const char *how = ctx->format ? ctx->format->hints[hint] : NULL;
    return tk_err_set(err, TK_EMATCH, "%s%s%s", sentence, how ? "; " : "", how ? how : "");
}
