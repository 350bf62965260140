/*
 * Free memory of the GNU C library; others keep little.
 */
#include "os/posix/posix.h"

#include "os/heap.h"

#include <stdlib.h>
#include <sys/mman.h>

#ifdef MADV_HUGEPAGE
enum { LARGE_PAGE = 2 << 20 };

void *tk_os_heap_table(size_t n)
{
    void *p = NULL;
    if (n < LARGE_PAGE)
        return malloc(n);
    if (posix_memalign(&p, LARGE_PAGE, n) != 0)
        return NULL;
    (void)madvise(p, n - n % LARGE_PAGE, MADV_HUGEPAGE);
    return p;
}
#else
void *tk_os_heap_table(size_t n)
{
    return malloc(n);
}
#endif

#ifdef __GLIBC__
#include <malloc.h>

enum { LARGE = 64 << 10 };

/* The library would move the border between small and large up to 32 MiB as large pieces are freed, and keep
 * those. */
void tk_os_heap_return(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, 8 * LARGE);
}

void tk_os_heap_share(void)
{
    mallopt(M_ARENA_MAX, 1);
    tk_os_heap_return();
}

void tk_os_heap_trim(void)
{
    malloc_trim(0);
}
#else
void tk_os_heap_return(void)
{
}

void tk_os_heap_share(void)
{
}

void tk_os_heap_trim(void)
{
}
#endif
