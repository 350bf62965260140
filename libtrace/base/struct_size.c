/*
 * Copies public structs of any known size. The functions of tracekit.h take their structs with it.
 */
#include "base/struct_size.h"

#include <string.h>

int tk_struct_size_take(void *to, size_t size, const void *from, const char *what, struct tk_err *err)
{
    size_t known = size;
    if (from)
        memcpy(&known, from, sizeof known);
    if (known == 0)
        return tk_err_set(err, TK_EUSAGE, "the size of %s is 0 (see TK_INIT)", what);
    if (from)
        memcpy(to, from, known < size ? known : size);
    memcpy(to, &size, sizeof size);
    return TK_OK;
}
