/*
 * Stacks: vectors (vec.h) whose last element is the innermost one. What is missing is said by NULL, so that
 * who closes asks once whether something is open.
 */
#ifndef TK_BASE_STACK_H
#define TK_BASE_STACK_H

#include "base/vec.h"

#include <string.h>

#define TK_STACK(T) TK_VEC(T)

/* Opens one more. 0, or -1 if out of memory. */
#define tk_stack_push(stack, elem) tk_vec_push((stack), (elem))

/* The innermost; NULL: none is open. */
#define tk_stack_top(stack) ((stack)->n ? &(stack)->v[(stack)->n - 1] : NULL)

/* Closes the innermost, which can be read until the next push; NULL: none is open. */
#define tk_stack_pop(stack) ((stack)->n ? &(stack)->v[--(stack)->n] : NULL)

/* Closes the one at a place, 0 the outermost; those inside it stay open. */
#define tk_stack_remove(stack, at)                                                                           \
    tk_stack_close_gap((stack)->v + (at), (--(stack)->n - (at)) * sizeof *(stack)->v, sizeof *(stack)->v)

#define tk_stack_release(stack) tk_vec_release(stack)

/* Moves what is behind an element of a size over it. */
static inline void tk_stack_close_gap(void *elem, size_t bytes_behind, size_t size)
{
    memmove(elem, (char *)elem + size, bytes_behind);
}

#endif
