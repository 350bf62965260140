/*
 * Errors of reached limits. It joins the list of causes (err.h) and the names of limits (limits.h).
 */
#include "base/health/limit_error.h"

int tk_err_limit(struct tk_err *err, enum tk_limit limit, const char *fmt, ...)
{
    if (!err)
        return TK_ELIMIT;
    va_list ap;
    va_start(ap, fmt);
    tk_err_vset(err, TK_ELIMIT, fmt, ap);
    va_end(ap);
    tk_limit_tell(err->text[0], TK_ERR_TEXT, limit);
    return TK_ELIMIT;
}
