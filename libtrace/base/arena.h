/*
 * Arena: many small allocations that live and die together. Addresses are stable until clear or release.
 */
#ifndef TK_BASE_ARENA_H
#define TK_BASE_ARENA_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* With AddressSanitizer each access to bytes of an arena that are not handed out is an error. */
#if defined(__SANITIZE_ADDRESS__)
#define TK_ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TK_ARENA_POISONS 1
#endif
#endif

struct tk_arena_block;

/* Zero-initialise to begin. */
struct tk_arena {
    struct tk_arena_block *head; /* owned; newest first */
    size_t used;                 /* in head */
    size_t total;                /* bytes handed out since the last clear */
    bool failed;                 /* out of memory for something; stays so until the arena is released */
};

/* n bytes, aligned for any type, not zeroed; NULL if out of memory. n may be 0. */
void *tk_arena_alloc(struct tk_arena *a, size_t n);

/* n bytes without alignment (texts). */
void *tk_arena_bytes(struct tk_arena *a, size_t n);

/* A copy of n bytes, without alignment; NULL if out of memory. */
void *tk_arena_copy(struct tk_arena *a, const void *p, size_t n);

/* Forgets everything but keeps one block for reuse. */
void tk_arena_clear(struct tk_arena *a);

void tk_arena_release(struct tk_arena *a);

/*
 * Memory that begins at a multiple, for what must not lie across lines of the cache.
 */

/* n bytes at a multiple of `align`, a power of two that is at least that of a pointer. Not zeroed; NULL if
 * out of memory. */
void *tk_aligned_alloc(size_t align, size_t n);

/* NULL is allowed. */
void tk_aligned_free(void *p);

/*
 * Stacks: vectors (vec.h) whose last element is the innermost one. What is missing is said by NULL, so that
 * who closes queries once whether something is open.
 */

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
