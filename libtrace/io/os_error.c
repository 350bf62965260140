/*
 * Errors of the system as causes.
 */
#include "io/os_error.h"

int tk_os_error_set(struct tk_err *err, int code, struct tk_os_result why, const char *fmt, ...)
{
    if (why.error == TK_OS_CLOSED_PIPE)
        code = TK_EPIPE;
    if (why.error == TK_OS_NO_MEMORY)
        code = TK_ENOMEM;
    va_list ap;
    va_start(ap, fmt);
    tk_err_vset(err, code, fmt, ap);
    va_end(ap);
    tk_err_because(err, tk_os_text(why));
    return code;
}
