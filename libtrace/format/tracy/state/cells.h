/*
 * Cells of records.
 */
#ifndef TK_FORMAT_TRACY_STATE_CELLS_H
#define TK_FORMAT_TRACY_STATE_CELLS_H

#include "tracekit.h"

static inline struct tk_cell tk_tracy_text_cell(const struct tk_str *s)
{
    return s ? (struct tk_cell){.kind = TK_TEXT, .enc = s->enc, .n = s->n, .v.p = s->p}
             : (struct tk_cell){.kind = TK_NONE};
}

static inline struct tk_cell tk_tracy_uint_cell(uint64_t v)
{
    return (struct tk_cell){.kind = TK_UINT, .v.u = v};
}

static inline struct tk_cell tk_tracy_int_cell(int64_t v)
{
    return (struct tk_cell){.kind = TK_INT, .v.i = v};
}

static inline struct tk_cell tk_tracy_hex_cell(uint64_t v)
{
    return (struct tk_cell){.kind = TK_HEX, .v.u = v};
}

static inline struct tk_cell tk_tracy_real_cell(double v)
{
    return (struct tk_cell){.kind = TK_REAL, .v.r = v};
}

static inline struct tk_cell tk_tracy_size_cell(uint64_t v)
{
    return (struct tk_cell){.kind = TK_SIZE, .v.u = v};
}

static inline struct tk_cell tk_tracy_bool_cell(bool v)
{
    return (struct tk_cell){.kind = TK_BOOL, .v.u = v};
}

/* An id of which 0 is none. */
static inline struct tk_cell tk_tracy_id_cell(uint64_t v)
{
    return v ? tk_tracy_uint_cell(v) : (struct tk_cell){.kind = TK_NONE};
}

/* An end, which is not there while it is negative. */
static inline struct tk_cell tk_tracy_end_cell(int64_t v)
{
    return v >= 0 ? tk_tracy_int_cell(v) : (struct tk_cell){.kind = TK_NONE};
}

/* A number, the thread with it, or none. */
static inline struct tk_cell tk_tracy_thread_cell(uint32_t thread)
{
    return thread == UINT32_MAX ? (struct tk_cell){.kind = TK_NONE} : tk_tracy_uint_cell(thread);
}

#endif
