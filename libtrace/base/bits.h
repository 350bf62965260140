/*
 * Bits of numbers, and hints, which compilers have in ways of their own. What none of them is known to have
 * is done in plain C, slower.
 */
#ifndef TK_BASE_BITS_H
#define TK_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(TK_BITS_PLAIN)

#define TK_ALWAYS_INLINE static inline __attribute__((always_inline))

/* A condition that hardly ever holds. */
#define tk_rarely(x) __builtin_expect((x) ? 1 : 0, 0)

/* Zeros below the lowest, and above the highest bit that is set; v is not 0. */
static inline unsigned tk_zeros_below(uint64_t v)
{
    return (unsigned)__builtin_ctzll(v);
}

static inline unsigned tk_zeros_above(uint64_t v)
{
    return (unsigned)__builtin_clzll(v);
}

/* Has memory brought near that is to be read, or written, soon. The address need not be one. */
#define tk_prefetch(p)       __builtin_prefetch(p)
#define tk_prefetch_write(p) __builtin_prefetch(p, 1)

#else

#define TK_ALWAYS_INLINE     static inline
#define tk_rarely(x)         (x)
#define tk_prefetch(p)       ((void)(p))
#define tk_prefetch_write(p) ((void)(p))

static inline unsigned tk_zeros_below(uint64_t v)
{
    unsigned n = 0;
    for (; !(v & 0xff); v >>= 8)
        n += 8;
    for (; !(v & 1); v >>= 1)
        n++;
    return n;
}

static inline unsigned tk_zeros_above(uint64_t v)
{
    unsigned n = 0;
    for (; !(v >> 56); v <<= 8)
        n += 8;
    for (; !(v >> 63); v <<= 1)
        n++;
    return n;
}

#endif

/*
 * What the processor can do.
 */

/* Does it have pext, and as one instruction? The first two generations of Zen take many for it. */
bool tk_cpu_has_pext(void);

/*
 * Variables of which each thread has its own.
 */

#if defined(_MSC_VER) && !defined(__clang__)
#define TK_THREAD_LOCAL __declspec(thread)
#else
#define TK_THREAD_LOCAL _Thread_local
#endif

#endif
