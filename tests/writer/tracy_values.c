/* Strings of a description as the records of a `.tracy` name them, for the parts of the writer (tracy-file
 * 3). */
#include "tracy_values.h"

struct tk_tracy_ref tk_tw_ref(int string)
{
    if (string < 0)
        return (struct tk_tracy_ref){0, TK_TRACY_REF_NONE};
    if (string & 1)
        return (struct tk_tracy_ref){tk_tw_pointer_of(string), TK_TRACY_REF_POINTER};
    return (struct tk_tracy_ref){(uint64_t)string, TK_TRACY_REF_NUMBER};
}

uint64_t tk_tw_pointer_of(int string)
{
    return string < 0 ? 0 : (uint64_t)TK_TW_POINTER + (uint64_t)string;
}
