/*
 * Which scope a begin or an end is about: the rules of fact/scopes.h for stacks of open scopes, whatever
 * their elements hold.
 *
 * Scopes beyond a limit are counted, not kept. What begins above one of them is too deep as well, so that
 * they are innermost, always, and their ends come first.
 */
#ifndef TK_FACT_SCOPE_ORDER_H
#define TK_FACT_SCOPE_ORDER_H

#include "fact/scopes.h"

#include <stdbool.h>
#include <stddef.h>

/* Open scopes beyond the limit, by writer. */
struct tk_scopes_beyond {
    uint64_t n[2];
};

static inline unsigned tk_scope_writer(uint32_t op)
{
    return op & TK_OP_STAMPED && op >> 28 != TK_OP_YIELD >> 28 ? 1 : 0;
}

static inline uint64_t tk_scopes_beyond_count(const struct tk_scopes_beyond *b)
{
    return b->n[0] + b->n[1];
}

/* A scope begins inside `depth` that are kept. true: it is too deep, and counted. */
static inline bool tk_scopes_beyond_begin(struct tk_scopes_beyond *b, size_t depth, uint64_t limit,
                                          uint32_t op)
{
    if (depth < limit && !b->n[0] && !b->n[1])
        return false;
    b->n[tk_scope_writer(op)]++;
    return true;
}

/* true: what ends was too deep. */
static inline bool tk_scopes_beyond_end(struct tk_scopes_beyond *b, uint32_t op)
{
    uint64_t *n = &b->n[tk_scope_writer(op)];
    if (!*n)
        return false;
    --*n;
    return true;
}

/* TK_OP_LOSE: the same for the innermost. Only the plain writer loses scopes. */
static inline bool tk_scopes_beyond_lose(struct tk_scopes_beyond *b)
{
    return tk_scopes_beyond_end(b, 0);
}

/*
 * How many of the kept scopes there are up to the innermost one of the writer of an end; 0: it has none, the
 * end is unmatched. first: the begin of the outermost, those of the others follow at a distance of `stride`
 * bytes.
 */
static inline size_t tk_scope_innermost(const uint32_t *first, size_t stride, size_t depth, uint32_t op)
{
    const char *at = (const char *)first;
    const uint32_t writer = tk_scope_writer(op) ? TK_OP_STAMPED : 0;
    while (depth > 0 &&
           ((*(const uint32_t *)(const void *)(at + (depth - 1) * stride) ^ writer) & TK_OP_STAMPED))
        depth--;
    return depth;
}

#endif
