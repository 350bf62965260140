/*
 * Cells: short ways to make one value of a row. Texts and arrays stay where they are; the caller sees to it
 * that they outlive the row.
 */
#ifndef TK_MODEL_CELL_H
#define TK_MODEL_CELL_H

#include "tracekit.h"

#include <string.h>

static inline struct tk_cell tk_cell_of_bool(bool b)
{
    return (struct tk_cell){.kind = TK_BOOL, .v.u = b ? 1 : 0};
}

static inline struct tk_cell tk_cell_of_int(int64_t i)
{
    return (struct tk_cell){.kind = TK_INT, .v.i = i};
}

static inline struct tk_cell tk_cell_of_uint(uint64_t u)
{
    return (struct tk_cell){.kind = TK_UINT, .v.u = u};
}

static inline struct tk_cell tk_cell_of_size(uint64_t bytes)
{
    return (struct tk_cell){.kind = TK_SIZE, .v.u = bytes};
}

static inline struct tk_cell tk_cell_of_real(double r)
{
    return (struct tk_cell){.kind = TK_REAL, .v.r = r};
}

/* A point in time, already in the unit of the table (tk_clock_time). */
static inline struct tk_cell tk_cell_of_time(int64_t t)
{
    return (struct tk_cell){.kind = TK_TIME, .v.i = t};
}

/* A length of time, already in the unit of the table (tk_clock_span, tk_clock_between). */
static inline struct tk_cell tk_cell_of_span(int64_t t)
{
    return (struct tk_cell){.kind = TK_SPAN, .v.i = t};
}

/* A mean of lengths of time in the unit of the table. */
static inline struct tk_cell tk_cell_of_mean(double t)
{
    return (struct tk_cell){.kind = TK_MEAN, .v.r = t};
}

/* A text; no value for NULL. */
static inline struct tk_cell tk_cell_of_text(const struct tk_str *s)
{
    if (!s)
        return (struct tk_cell){.kind = TK_NONE};
    return (struct tk_cell){.kind = TK_TEXT, .enc = s->enc, .n = s->n, .v.p = s->p};
}

/* A NUL-terminated text in UTF-8; no value for NULL. */
static inline struct tk_cell tk_cell_of_c(const char *s)
{
    if (!s)
        return (struct tk_cell){.kind = TK_NONE};
    return (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)strlen(s), .v.p = s};
}

static inline struct tk_cell tk_cell_of_record(const struct tk_record *rec)
{
    return (struct tk_cell){.kind = TK_RECORD, .v.p = rec};
}

#endif
