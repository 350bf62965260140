/*
 * Copies that another thread reads next. What was read by another processor is in its cache, and to write
 * there means to wait for it; these writes go past the caches where the processor can.
 */
#ifndef TK_BASE_STREAM_COPY_H
#define TK_BASE_STREAM_COPY_H

#include <stddef.h>
#include <string.h>

#ifdef __x86_64__
#include <emmintrin.h>
#endif

/* n bytes, a multiple of 16, to an address that is one. */
static inline void tk_stream_copy(void *to, const void *from, size_t n)
{
#ifdef __x86_64__
    for (size_t i = 0; i < n; i += 16)
        _mm_stream_si128((__m128i *)((char *)to + i),
                         _mm_loadu_si128((const __m128i *)((const char *)from + i)));
#else
    memcpy(to, from, n);
#endif
}

/* What was copied is there for others from here on. */
static inline void tk_stream_end(void)
{
#ifdef __x86_64__
    _mm_sfence();
#endif
}

#endif
