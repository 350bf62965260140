/*
 * Vectors: `struct { T *v; size_t n, cap; }` of any T, grown by half. TK_VEC(T) names such a struct.
 */
#ifndef TK_BASE_VEC_H
#define TK_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#define TK_VEC(T)                                                                                            \
    struct {                                                                                                 \
        T *v;                                                                                                \
        size_t n, cap;                                                                                       \
    }

/* Makes space for `want` elements in all; 0, or -1 if out of memory (the vector is unchanged). */
#define tk_vec_reserve(vec, want) tk_vec_grow((void **)&(vec)->v, &(vec)->cap, (want), sizeof *(vec)->v)

/* Makes it `want` elements long where it is shorter, the new ones all zero; 0, or -1 if out of memory. */
#define tk_vec_reach(vec, want)                                                                              \
    ((want) <= (vec)->n                                                                                      \
         ? 0                                                                                                 \
         : tk_vec_extend((void **)&(vec)->v, &(vec)->n, &(vec)->cap, (want), sizeof *(vec)->v))

/* Appends one element; 0 or -1. */
#define tk_vec_push(vec, elem)                                                                               \
    ((vec)->n >= (vec)->cap && tk_vec_reserve((vec), (vec)->n + 1) ? -1 : ((vec)->v[(vec)->n++] = (elem), 0))

/* Where element i is or would be; NULL of a vector that never had any, which is no place to count from. */
#define tk_vec_at(vec, i) ((vec)->v ? (vec)->v + (i) : NULL)

#define tk_vec_release(vec) (free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0)

int tk_vec_grow(void **v, size_t *cap, size_t want, size_t elem);

/* The same where the elements that are there are not needed any more: nothing is copied. -1: it has none. */
int tk_vec_renew(void **v, size_t *cap, size_t want, size_t elem);
int tk_vec_extend(void **v, size_t *n, size_t *cap, size_t want, size_t elem);

#endif
