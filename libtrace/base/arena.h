/*
 * Arena: many small allocations that live and die together. Addresses are stable until clear or release.
 */
#ifndef TK_BASE_ARENA_H
#define TK_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
