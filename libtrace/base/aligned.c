/*
 * Rounds up what malloc gave, and keeps that in front: not every system has aligned_alloc.
 */
#include "base/aligned.h"

#include <stdint.h>
#include <stdlib.h>

void *tk_aligned_alloc(size_t align, size_t n)
{
    void *whole = n <= SIZE_MAX / 2 - align ? malloc(n + sizeof(void *) + align - 1) : NULL;
    if (!whole)
        return NULL;
    const uintptr_t begin = (uintptr_t)whole + sizeof(void *);
    void **p = (void **)((begin + align - 1) & ~(uintptr_t)(align - 1));
    p[-1] = whole;
    return p;
}

void tk_aligned_free(void *p)
{
    if (p)
        free(((void **)p)[-1]);
}
