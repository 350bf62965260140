/*
 * Grows and fills vectors: the functions behind the macros of vec.h. Used throughout the library.
 */
#include "base/vec.h"

#include <stdint.h>
#include <string.h>

enum { FIRST_CAP = 8 };

int tk_vec_grow(void **v, size_t *cap, size_t want, size_t elem)
{
    if (want <= *cap)
        return 0;
    size_t grown = *cap < SIZE_MAX / 2 ? *cap + *cap / 2 : want;
    if (grown < FIRST_CAP)
        grown = FIRST_CAP;
    if (grown < want)
        grown = want;
    if (grown > PTRDIFF_MAX / elem)
        return -1;
    /* The caller's pointer is a T *: it is read and written as bytes, not as a void *. */
    void *old;
    memcpy(&old, v, sizeof old);
    void *new = realloc(old, grown * elem);
    if (!new)
        return -1;
    memcpy(v, &new, sizeof new);
    *cap = grown;
    return 0;
}

int tk_vec_extend(void **v, size_t *n, size_t *cap, size_t want, size_t elem)
{
    char *all;
    if (tk_vec_grow(v, cap, want, elem))
        return -1;
    memcpy(&all, v, sizeof all);
    memset(all + *n * elem, 0, (want - *n) * elem);
    *n = want;
    return 0;
}
