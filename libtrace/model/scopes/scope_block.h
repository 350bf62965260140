/*
 * A block of ops for a kernel, which lies above the stack of its lane: times in order, the ops, and which of
 * them are ends. All of it is done for several ops at once, without a branch on any of them.
 */
#ifndef TK_MODEL_SCOPES_SCOPE_BLOCK_H
#define TK_MODEL_SCOPES_SCOPE_BLOCK_H

#include "base/bits.h"
#include "fact/scopes.h"
#include "model/scopes/scope_lane.h"

#include <stdbool.h>
#include <string.h>

#if defined(__SSE2__) && !defined(TK_BITS_PLAIN)
#include <emmintrin.h>
#endif

#define TK_SCOPE_STEP TK_SCOPE_STACK_ABOVE /* ops that are looked at together */

/* From a first time below this, steps below that, as many as a block has, lead to no number that a time
 * cannot have. */
#define TK_SCOPE_TIMES (UINT64_C(1) << 62)
#define TK_SCOPE_GAP   (UINT64_C(1) << 55)

struct tk_scope_block {
    int64_t *time; /* in order, none before the lane's last; above the stack */
    uint32_t *op;  /* likewise */
    size_t n;
    uint64_t ends; /* a bit for each op: it is an end */
    bool steady;   /* the times are those of the run; else some may have been raised */
};

/*
 * Of a step of ops, with SSE2 and in plain C:
 *
 *   tk_scope_copy_times   copies the times; all bits that any gap from one to the next, and to that behind
 * them, has tk_scope_copy_ops     copies the ops; a bit for each: it is an end tk_scope_any_beyond   has one
 * of them a timer that is not below n?
 */
#if defined(__SSE2__) && !defined(TK_BITS_PLAIN)
TK_ALWAYS_INLINE uint64_t tk_scope_copy_times(int64_t *to, const int64_t *time)
{
    __m128i gaps = _mm_setzero_si128();
    for (size_t i = 0; i < TK_SCOPE_STEP; i += 2) {
        const __m128i one = _mm_loadu_si128((const __m128i *)(const void *)(time + i));
        const __m128i next = _mm_loadu_si128((const __m128i *)(const void *)(time + i + 1));
        gaps = _mm_or_si128(gaps, _mm_sub_epi64(next, one));
        _mm_storeu_si128((__m128i *)(void *)(to + i), one);
    }
    uint64_t all[2];
    memcpy(all, &gaps, sizeof all);
    return all[0] | all[1];
}

TK_ALWAYS_INLINE uint64_t tk_scope_copy_ops(uint32_t *to, const uint32_t *op)
{
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)op);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(op + 4));
    _mm_storeu_si128((__m128i *)(void *)to, low);
    _mm_storeu_si128((__m128i *)(void *)(to + 4), high);
    const __m128i words = _mm_packs_epi32(low, high);
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(words, _mm_setzero_si128()));
}

TK_ALWAYS_INLINE bool tk_scope_any_beyond(const uint32_t *op, uint32_t n)
{
    const __m128i most = _mm_set1_epi32((int)(n - 1)), timers = _mm_set1_epi32((int)TK_OP_TIMER);
    __m128i beyond = _mm_setzero_si128();
    for (size_t i = 0; i < TK_SCOPE_STEP; i += 4) {
        const __m128i timer = _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)(op + i)), timers);
        beyond = _mm_or_si128(beyond, _mm_cmpgt_epi32(timer, most));
    }
    return _mm_movemask_epi8(beyond);
}
#else
TK_ALWAYS_INLINE uint64_t tk_scope_copy_times(int64_t *to, const int64_t *time)
{
    uint64_t gaps = 0;
    for (size_t i = 0; i < TK_SCOPE_STEP; i++) {
        gaps |= (uint64_t)time[i + 1] - (uint64_t)time[i];
        to[i] = time[i];
    }
    return gaps;
}

TK_ALWAYS_INLINE uint64_t tk_scope_copy_ops(uint32_t *to, const uint32_t *op)
{
    uint64_t ends = 0;
    for (unsigned i = 0; i < TK_SCOPE_STEP; i++) {
        ends |= (uint64_t)(op[i] >> 31) << i;
        to[i] = op[i];
    }
    return ends;
}

TK_ALWAYS_INLINE bool tk_scope_any_beyond(const uint32_t *op, uint32_t n)
{
    bool any = false;
    for (unsigned i = 0; i < TK_SCOPE_STEP; i++)
        any |= (op[i] & TK_OP_TIMER) >= n;
    return any;
}
#endif

/* Ends the block before op n, where it has more. */
static inline void tk_scope_block_cut(struct tk_scope_block *b, size_t n)
{
    if (n >= b->n)
        return;
    b->n = n;
    b->ends &= (UINT64_C(1) << n) - 1;
}

/* Copies the last ops of a run, and some behind them. */
static inline void tk_scope_block_copy_last(struct tk_scope_block *b, const int64_t *time, const uint32_t *op)
{
    memcpy(b->time, time, b->n * sizeof *time);
    memcpy(b->op, op, b->n * sizeof *op);
    for (size_t i = b->n; i < b->n + TK_SCOPE_STEP; i++) {
        b->time[i] = time[b->n - 1];
        b->op[i] = 0;
    }
}

/* Raises times to the last one before, and ends the block at the border. */
static inline void tk_scope_block_raise(struct tk_scope_block *b, int64_t last, int64_t border)
{
    b->steady = false;
    for (size_t i = 0; i < b->n; i++) {
        last = b->time[i] < last ? last : b->time[i];
        if (last >= border)
            tk_scope_block_cut(b, i);
        else
            b->time[i] = last;
    }
}

/* Copies n ops of a run, of which `left` are left, above the stack; n is no more than a block has. */
TK_ALWAYS_INLINE void tk_scope_block_take(struct tk_scope_block *b, const int64_t *time, const uint32_t *op,
                                          size_t left, int64_t last, int64_t border)
{
    uint64_t gaps = 0;
    if (left < b->n + 2 * TK_SCOPE_STEP) {
        tk_scope_block_copy_last(b, time, op);
        time = b->time;
        op = b->op;
    }
    b->ends = 0;
    for (size_t i = 0; i < b->n; i += TK_SCOPE_STEP) {
        gaps |= tk_scope_copy_times(b->time + i, time + i);
        b->ends |= tk_scope_copy_ops(b->op + i, op + i) << i;
    }
    b->ends &= UINT64_MAX >> (TK_SCOPE_BLOCK - b->n);
    b->steady = gaps < TK_SCOPE_GAP && (uint64_t)time[0] < TK_SCOPE_TIMES && time[0] >= last &&
                time[b->n - 1] < border;
    if (tk_rarely(!b->steady))
        tk_scope_block_raise(b, last, border);
}

/* Ends the block at the first timer that is not below n, which is at most TK_LATE. */
TK_ALWAYS_INLINE void tk_scope_block_below(struct tk_scope_block *b, uint32_t n)
{
    bool any = false;
    for (size_t i = 0; i < b->n; i += TK_SCOPE_STEP)
        any |= tk_scope_any_beyond(b->op + i, n);
    for (size_t i = 0; tk_rarely(any) && i < b->n; i++)
        if ((b->op[i] & TK_OP_TIMER) >= n)
            tk_scope_block_cut(b, i);
}

/* How many of the times of the block were raised. */
static inline uint64_t tk_scope_block_raised(const struct tk_scope_block *b, const int64_t *time)
{
    uint64_t raised = 0;
    for (size_t i = 0; !b->steady && i < b->n; i++)
        raised += time[i] < b->time[i];
    return raised;
}

#endif
