/*
 * Allocator rules: functions and source files that hand memory on for others, by patterns. Memory is
 * attributed to the first frame that matches none of these. (symbols 3.1)
 */
#ifndef TK_MODEL_MEMORY_ALLOCATOR_RULES_H
#define TK_MODEL_MEMORY_ALLOCATOR_RULES_H

#include "base/hash.h"
#include "base/vec.h"
#include "tracekit.h"

/* Zero-initialise to begin: the usual rules. */
struct tk_allocator_rules {
    const char *text;    /* a pattern a line, "file:" in front of those of source files, # in front of what is
                            none; borrowed; NULL: the usual ones */
    struct tk_map known; /* address of a name -> does it match? Names stay where they are */
};

/* Is a function an allocator, or in a file of them? NULL: not known, which is none. */
bool tk_allocator_rules_match(struct tk_allocator_rules *r, const struct tk_str *function,
                              const struct tk_str *file);

void tk_allocator_rules_release(struct tk_allocator_rules *r);

#endif
