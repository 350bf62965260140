/*
 * Grows and fills vectors: the functions behind the macros of vec.h. Used throughout the library.
 */
#include "base/vec.h"

#include <stdint.h>
#include <string.h>

/* Room for the first elements: eight, and of large ones fewer, as there may be a vector for each thread. */
enum { FIRST_CAP = 8, FIRST_BYTES = 1024, FIRST_LEAST = 2 };

static size_t first_cap(size_t elem)
{
    const size_t fits = FIRST_BYTES / elem;
    return fits >= FIRST_CAP ? FIRST_CAP : fits > FIRST_LEAST ? fits : FIRST_LEAST;
}

int tk_vec_grow(void **v, size_t *cap, size_t want, size_t elem)
{
    if (want <= *cap)
        return 0;
    size_t grown = *cap < SIZE_MAX / 2 ? *cap + *cap / 2 : want;
    if (grown < first_cap(elem))
        grown = first_cap(elem);
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
