/*
 * Stack names: the function of the innermost frame of callstacks, for tables that show the id of one. Tables
 * feed it, and when all is read want the ids that they show, settle it and ask.
 */
#ifndef TK_MODEL_CODE_STACK_NAMES_H
#define TK_MODEL_CODE_STACK_NAMES_H

#include "model/code/callstack_list.h"
#include "model/code/code_place.h"

struct tk_stack_names {
    struct tk_callstack_list stacks; /* the innermost frame of each */
    struct tk_code_map code;
    struct tk_intern texts; /* modules and offsets */
};

#define TK_STACK_NAME_FACTS (TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS)

void tk_stack_names_init(struct tk_stack_names *n, struct tk_context *ctx);

/* Takes the facts above; ignores others. 0, or -1 if out of memory. */
int tk_stack_names_feed(struct tk_stack_names *n, const struct tk_fact *fact);

/* A callstack will be asked; when all is read. 0, or -1 if out of memory. */
int tk_stack_names_want(struct tk_stack_names *n, uint64_t callstack);

/* All are told: looks addresses up. 0, or -1 if out of memory. */
int tk_stack_names_settle(struct tk_stack_names *n, const struct tk_context *ctx);

/* The function, "mesh.dll+0x1130" where it is not known, or the address; "(not in the capture)" where the
 * callstack is not defined; NULL for callstack 0 and one without frames. The text lives as long as the names.
 * 0, or -1 if out of memory. */
int tk_stack_names_of(struct tk_stack_names *n, uint64_t callstack, const struct tk_str **function);

void tk_stack_names_release(struct tk_stack_names *n);

#endif
