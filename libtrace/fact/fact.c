/*
 * Names of facts.
 */
#include "fact/fact.h"

#include "fact/format.h"

/*
 * What is said of a capture in the words of its format.
 */

int tk_format_lacks(const struct tk_context *ctx, enum tk_hint hint, const char *sentence, struct tk_err *err)
{
    const char *how = ctx->format ? ctx->format->hints[hint] : NULL;
    return tk_err_set(err, TK_EMATCH, "%s%s%s", sentence, how ? "; " : "", how ? how : "");
}

const char *tk_timer_kind_name(enum tk_timer_kind kind)
{
    static const char *const names[] = {"spec", "metadata", "scoped_event", "coroutine",
                                        "gpu",  "zone",     "gpu_work",     "gpu_wait"};
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : "";
}
