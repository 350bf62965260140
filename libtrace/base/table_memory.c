/*
 * Memory of hash tables. See table_memory.h.
 */
#include "base/table_memory.h"

#include "os/atomic.h"

#include <stdint.h>
#include <stdlib.h>

static struct tk_atomic proposed; /* a function; 0: none */

void *tk_table_memory(size_t n)
{
    void *(*memory)(size_t n) = (void *(*)(size_t))(uintptr_t)tk_atomic_get(&proposed);
    return memory ? memory(n) : malloc(n);
}

void tk_table_memory_by(void *(*memory)(size_t n))
{
    tk_atomic_claim(&proposed, (size_t)(uintptr_t)memory);
}
