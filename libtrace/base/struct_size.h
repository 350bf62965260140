/*
 * Public structs that callers fill, which begin with `size_t size`. A caller compiled with an older version
 * passes a shorter struct.
 */
#ifndef TK_BASE_STRUCT_SIZE_H
#define TK_BASE_STRUCT_SIZE_H

#include "base/err.h"

/*
 * Copies a caller's struct, as much of it as the caller knows, over one of `size` bytes that has the usual
 * values; NULL: those stay. `what` is its subject in a sentence. TK_OK; TK_EUSAGE where its size is 0.
 */
int tk_struct_size_take(void *to, size_t size, const void *from, const char *what, struct tk_err *err);

#endif
