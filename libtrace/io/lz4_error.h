/*
 * Error texts of LZ4 frames. The codes are not in the shared library, the names are.
 */
#ifndef TK_IO_LZ4_ERROR_H
#define TK_IO_LZ4_ERROR_H

#include <lz4frame.h>
#include <stdbool.h>
#include <string.h>

/* Is it that memory ran out? Of a result for which LZ4F_isError holds. */
static inline bool tk_lz4frame_no_memory(size_t result)
{
    return strcmp(LZ4F_getErrorName(result), "ERROR_allocation_failed") == 0;
}

#endif
