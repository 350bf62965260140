/*
 * Cells of values that have a number for none.
 */
#ifndef TK_FORMAT_TRACY_STATE_CELLS_H
#define TK_FORMAT_TRACY_STATE_CELLS_H

#include "table/cell.h"

/* An id of which 0 is none. */
static inline struct tk_cell tk_tracy_id_cell(uint64_t v)
{
    return v ? tk_cell_of_uint(v) : (struct tk_cell){.kind = TK_NONE};
}

/* An end, which is not there while it is negative. */
static inline struct tk_cell tk_tracy_end_cell(int64_t v)
{
    return v >= 0 ? tk_cell_of_int(v) : (struct tk_cell){.kind = TK_NONE};
}

/* A number, the thread with it, or none. */
static inline struct tk_cell tk_tracy_thread_cell(uint32_t thread)
{
    return thread == UINT32_MAX ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_uint(thread);
}

#endif
