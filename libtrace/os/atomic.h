/*
 * Numbers that several threads change and read without a lock.
 */
#ifndef TK_OS_ATOMIC_H
#define TK_OS_ATOMIC_H

#include <stdatomic.h>
#include <stddef.h>

/* Zero-initialised it is 0. */
struct tk_atomic {
    _Atomic size_t v;
};

static inline size_t tk_atomic_get(const struct tk_atomic *a)
{
    return atomic_load(&a->v);
}

static inline void tk_atomic_set(struct tk_atomic *a, size_t v)
{
    atomic_store(&a->v, v);
}

/* Sets it where it is 0. */
static inline void tk_atomic_claim(struct tk_atomic *a, size_t v)
{
    size_t none = 0;
    atomic_compare_exchange_strong(&a->v, &none, v);
}

/* What it was before. */
static inline size_t tk_atomic_add(struct tk_atomic *a, size_t v)
{
    return atomic_fetch_add(&a->v, v);
}

#endif
