/*
 * Operations on one cell, whatever its table, and short constructors. Builders make cells with it, sinks and
 * results read them.
 */
#ifndef TK_TABLE_CELL_H
#define TK_TABLE_CELL_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"

#include <stdbool.h>
#include <string.h>

/* Lists and records inside each other, the outermost counted; whoever makes cells stays below. What is deeper
 * is TK_ELIMIT for sinks. */
#define TK_CELL_DEPTH 32

/*
 * Element i (< array->n) of a TK_ARRAY as a cell of kind BOOL, INT, UINT, HEX, REAL32 or REAL. Undefined
 * numbers (TK_BYTES) come as UINT; an impossible width gives TK_NONE.
 */
void tk_cell_element(const struct tk_cell *array, uint32_t i, struct tk_cell *out);

/*
 * Order of two cells: negative, 0, positive. Numbers of all kinds compare by value, texts and bytes by their
 * bytes; numbers stand before texts, texts before lists and records (which are all equal).
 */
int tk_cell_compare(const struct tk_cell *a, const struct tk_cell *b);

/* 0: a value; 1: NaN; 2: no value. What sorts last whichever way is sorted, in this order. */
unsigned tk_cell_absence(const struct tk_cell *c);

/* The text of a TK_TEXT cell. */
static inline struct tk_str tk_cell_text(const struct tk_cell *c)
{
    return (struct tk_str){.p = c->v.p, .n = c->n, .enc = c->enc};
}

/*
 * Making cells. Texts and arrays stay where they are; the caller sees to it that they outlive the row.
 */

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

/* A number that people read in hex: an address, a hash. */
static inline struct tk_cell tk_cell_of_hex(uint64_t u)
{
    return (struct tk_cell){.kind = TK_HEX, .v.u = u};
}

static inline struct tk_cell tk_cell_of_size(uint64_t bytes)
{
    return (struct tk_cell){.kind = TK_SIZE, .v.u = bytes};
}

static inline struct tk_cell tk_cell_of_real(double r)
{
    return (struct tk_cell){.kind = TK_REAL, .v.r = r};
}

/* A point in time, in the unit of the row: cycles in rows of a format, else that of the table
 * (tk_clock_time). */
static inline struct tk_cell tk_cell_of_time(int64_t t)
{
    return (struct tk_cell){.kind = TK_TIME, .v.i = t};
}

/* A length of time, in the unit of the row (tk_clock_span, tk_clock_between). */
static inline struct tk_cell tk_cell_of_span(int64_t t)
{
    return (struct tk_cell){.kind = TK_DURATION, .v.i = t};
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

/* A text; no value for NULL and for the empty one. */
static inline struct tk_cell tk_cell_of_nonempty(const struct tk_str *s)
{
    return tk_cell_of_text(s && s->n ? s : NULL);
}

/* A NUL-terminated text in UTF-8; no value for NULL. */
static inline struct tk_cell tk_cell_of_c(const char *s)
{
    if (!s)
        return (struct tk_cell){.kind = TK_NONE};
    return (struct tk_cell){.kind = TK_TEXT, .enc = TK_ENC_UTF8, .n = (uint32_t)strlen(s), .v.p = s};
}

/* Is it a whole number that a double does not hold exactly? None is up to 2^53. */
static inline bool tk_cell_rounds(const struct tk_cell *c)
{
    const bool sign = c->kind == TK_INT || c->kind == TK_TIME || c->kind == TK_DURATION;
    if (!sign && c->kind != TK_UINT && c->kind != TK_SIZE)
        return false;
    const uint64_t v = sign && c->v.i < 0 ? UINT64_C(0) - c->v.u : c->v.u;
    if (v <= UINT64_C(1) << 53)
        return false;
    const double nearest = (double)v;
    return nearest >= 0x1p64 || (uint64_t)nearest != v;
}

static inline struct tk_cell tk_cell_of_record(const struct tk_record *rec)
{
    return (struct tk_cell){.kind = TK_RECORD, .v.p = rec};
}

/*
 * Stacks: calls, own time and allocated bytes by call path. The call trees of the model and the exporters
 * fill them, the sinks folded and pprof write them; names and source locations are kept here.
 */

#define TK_STACK_ROOT 0u

struct tk_stack_node {
    uint32_t parent; /* always a lower number */
    uint32_t name;   /* number in names; of the root: not used */
    uint64_t count;
    int64_t self;   /* nanoseconds */
    int64_t open;   /* nanoseconds of calls that never ended, which no other member includes */
    uint64_t bytes; /* allocated there */
};

struct tk_stack_name {
    const struct tk_str *text, *file; /* file NULL: not known */
    uint32_t line;
    bool thread; /* no function */
};

/* Zero-initialise to begin. */
struct tk_stacks {
    TK_VEC(struct tk_stack_node) nodes; /* [0]: the root; in order of first use */
    TK_VEC(struct tk_stack_name) names;
    struct tk_map index;   /* parent and name -> node */
    struct tk_map numbers; /* address in texts -> number of the name */
    struct tk_intern texts;
    bool open; /* a node has time of calls that never ended */
};

void tk_stacks_release(struct tk_stacks *s);

/* Number of a name; equal names have one, whose place is that of the first. TK_MAP_NONE without memory. */
uint32_t tk_stacks_name(struct tk_stacks *s, const struct tk_stack_name *name);

/* The node of a name below another node, made on first use; TK_MAP_NONE without memory. */
uint32_t tk_stacks_reach(struct tk_stacks *s, uint32_t parent, uint32_t name);

#endif
