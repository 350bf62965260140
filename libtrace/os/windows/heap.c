/*
 * Free memory of the heap, which is one for all threads.
 */
#include "os/windows/win32.h"

#include "os/heap.h"

#include <stdlib.h>

void *tk_os_heap_table(size_t n)
{
    return malloc(n);
}

void tk_os_heap_return(void)
{
}

void tk_os_heap_share(void)
{
}

void tk_os_heap_trim(void)
{
    HeapCompact(GetProcessHeap(), 0);
}
