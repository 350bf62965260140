/*
 * Free memory of the GNU C library; others keep little.
 */
#include "os/heap.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

void tk_os_heap_share(void)
{
    mallopt(M_ARENA_MAX, 1);
}

void tk_os_heap_trim(void)
{
    malloc_trim(0);
}
#else
void tk_os_heap_share(void)
{
}

void tk_os_heap_trim(void)
{
}
#endif
