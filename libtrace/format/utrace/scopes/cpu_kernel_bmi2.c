/*
 * Kernels of the CPU batch decoder for x86-64 with pext and pdep.
 *
 * Where entries begin is found for a block of 64 bytes at once, so that no entry has to wait for the length
 * of the one before. Of each number of the block, a bit says whether it is odd. The first is a time; the
 * number after an odd time is a timer, and after any other a time. So in a row of odd numbers, which begins
 * with a time, times and timers alternate, and the number that ends the row is a timer if the row has an odd
 * length.
 */
#include "format/utrace/scopes/scopes_in.h"

#ifdef TK_CPU_HAVE_BMI2

#include <immintrin.h>

#define TK_CPU_TARGET __attribute__((target("bmi,bmi2")))

TK_CPU_TARGET static inline void tk_cpu_pair(uint64_t x, uint64_t head, uint64_t tail, uint64_t *a,
                                             uint64_t *b)
{
    *a = _pext_u64(x, head & UINT64_C(0x7f7f7f7f7f7f7f7f));
    *b = _pext_u64(x, tail & UINT64_C(0x7f7f7f7f7f7f7f7f));
}

#include "format/utrace/scopes/cpu_kernel.inc"

#define TK_CPU_BLOCK 64
#define TK_CPU_EVEN  UINT64_C(0x5555555555555555)

/* What is known of a block: a bit for each byte, or for each entry. */
struct tk_cpu_block {
    uint64_t entries; /* bytes where one begins that is simple and has an entry after it */
    uint64_t timers;  /* bytes where the timer of one of them begins */
    uint64_t begins;  /* entries: it is a begin */
    unsigned next;    /* byte where the entry after them begins */
};

/* Bit `bit` of each of 16 bytes. */
TK_CPU_INLINE uint64_t tk_cpu_bits_of(const uint8_t *p, int bit)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    return (unsigned)_mm_movemask_epi8(_mm_slli_epi16(x, 7 - bit));
}

/* Of 64 bytes. */
TK_CPU_INLINE uint64_t tk_cpu_bits(const uint8_t *p, int bit)
{
    return tk_cpu_bits_of(p, bit) | tk_cpu_bits_of(p + 16, bit) << 16 | tk_cpu_bits_of(p + 32, bit) << 32 |
           tk_cpu_bits_of(p + 48, bit) << 48;
}

/* Which of the numbers, whose first is a time, are timers; odd: which have their lowest bit set. */
TK_CPU_INLINE uint64_t tk_cpu_timers_of(uint64_t odd)
{
    const uint64_t rows = odd & ~(odd << 1); /* where they begin */
    /* adding the begin of a row changes its bits and the next one, which is not in a row */
    const uint64_t even_rows = odd ^ (odd + (rows & TK_CPU_EVEN));
    const uint64_t odd_rows = odd ^ (odd + (rows & ~TK_CPU_EVEN));
    return (even_rows & ~TK_CPU_EVEN) | (odd_rows & TK_CPU_EVEN);
}

/* Entries up to the first, with it, that is not followed by another within eight bytes. */
TK_CPU_INLINE uint64_t tk_cpu_until_long(uint64_t entries, unsigned last)
{
    uint64_t near = entries | entries << 1;
    near |= near << 2;
    near |= near << 4;
    const uint64_t far = ~near & ((UINT64_C(1) << last) - 1);
    return tk_rarely(far) ? entries & (far ^ (far - 1)) : entries;
}

/* The block at p, of which `left` bytes are the batch's. */
TK_CPU_INLINE struct tk_cpu_block tk_cpu_look(const uint8_t *p, size_t left, int form)
{
    const uint64_t valid = left < TK_CPU_BLOCK ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    const uint64_t odd = tk_cpu_bits(p, 0);
    const uint64_t starts = (~tk_cpu_bits(p, 7) << 1 | 1) & valid;
    uint64_t entries = _pdep_u64(~tk_cpu_timers_of(_pext_u64(odd, starts)), starts);
    const uint64_t coroutines = form > 1 ? entries & tk_cpu_bits(p, 1) : 0;
    if (tk_rarely(coroutines))
        entries &= coroutines ^ (coroutines - 1);
    entries = tk_cpu_until_long(entries, 63 - tk_zeros_above(entries));
    const unsigned next = 63 - tk_zeros_above(entries);
    const uint64_t before = (UINT64_C(1) << next) - 1;
    struct tk_cpu_block b = {.next = next, .timers = starts & ~entries & before, .entries = entries & before};
    b.begins = _pext_u64(odd, b.entries);
    return b;
}

/* The number at p, of at most eight bytes. */
TK_CPU_INLINE uint64_t tk_cpu_number(const uint8_t *p)
{
    const uint64_t x = tk_cpu_load(p), stops = ~x & TK_CPU_STOPS;
    return _pext_u64(x, (stops ^ (stops - 1)) & ~TK_CPU_STOPS);
}

/* Returns how many. */
TK_CPU_INLINE uint32_t tk_cpu_put_times(struct tk_cpu_hot *h, const struct tk_cpu_block *b, int64_t *time,
                                        int form)
{
    const int64_t *const first = time;
    uint64_t now = h->time;
    for (uint64_t entries = b->entries; entries; entries &= entries - 1) {
        now += tk_cpu_number(h->p + _tzcnt_u64(entries)) >> (form > 1 ? 2 : 1);
        *time++ = (int64_t)now;
    }
    h->time = now;
    return (uint32_t)(time - first);
}

/* The op at an index is a begin whose timer the table does not know. */
TK_CPU_INLINE void tk_cpu_note(struct tk_cpu_stream *s, uint32_t at, uint64_t number, int form)
{
    const bool metadata = form == 3 && (number & 1);
    s->fixups[s->n_fixups++] = (struct tk_cpu_fixup){at, metadata ? TK_CPU_FIX_METADATA : TK_CPU_FIX_SPEC,
                                                     form == 3 ? number >> 1 : number};
}

TK_CPU_INLINE void tk_cpu_put_ops(struct tk_cpu_stream *s, const struct tk_cpu_hot *h,
                                  const struct tk_cpu_block *b, uint32_t n, const struct tk_cpu_env *env,
                                  int form)
{
    uint32_t *op = env->op + h->out;
    for (uint32_t i = 0; i < n; i += 4)
        _mm_storeu_si128((__m128i *)(void *)(op + i), _mm_set1_epi32((int)TK_OP_END));
    uint64_t begins = b->begins;
    for (uint64_t timers = b->timers; timers; timers &= timers - 1, begins &= begins - 1) {
        const uint64_t number = tk_cpu_number(h->p + _tzcnt_u64(timers)), at = _tzcnt_u64(begins);
        /* an instance of metadata, whose lowest bit is set, becomes greater than any spec that is known */
        const uint64_t spec = form == 3 ? number >> 1 | number << 63 : number;
        op[at] = spec < env->n_timers ? env->timers[spec] : TK_CPU_UNKNOWN;
        if (tk_rarely(op[at] == TK_CPU_UNKNOWN))
            tk_cpu_note(s, h->out + (uint32_t)at, number, form);
    }
}

/* Decodes the batch under way as far as its entries are simple, but for the last of them. Each block is
 * looked at before the one in front of it is decoded, which takes as long as waiting for its bits. */
TK_CPU_INLINE void tk_cpu_run_blocks(struct tk_cpu_stream *s, struct tk_cpu_hot *h,
                                     const struct tk_cpu_env *env, int form)
{
    if (h->p >= h->end)
        return;
    struct tk_cpu_block b = tk_cpu_look(h->p, (size_t)(h->end - h->p), form);
    while (b.entries) {
        const struct tk_cpu_block next = tk_cpu_look(h->p + b.next, (size_t)(h->end - h->p) - b.next, form);
        const uint32_t n = tk_cpu_put_times(h, &b, env->time + h->out, form);
        tk_cpu_put_ops(s, h, &b, n, env, form);
        h->out += n;
        h->p += b.next;
        b = next;
    }
}

TK_CPU_INLINE void tk_cpu_run(struct tk_cpu_stream *s, int form)
{
    const struct tk_cpu_env env = tk_cpu_env_of(s->chunk);
    struct tk_cpu_hot h = s->hot;
    do
        tk_cpu_run_blocks(s, &h, &env, form);
    while (tk_cpu_step(s, &h, &env, form));
    s->hot = h;
}

TK_CPU_TARGET static void tk_cpu_run_1(struct tk_cpu_stream *s)
{
    tk_cpu_run(s, 1);
}

TK_CPU_TARGET static void tk_cpu_run_2(struct tk_cpu_stream *s)
{
    tk_cpu_run(s, 2);
}

TK_CPU_TARGET static void tk_cpu_run_3(struct tk_cpu_stream *s)
{
    tk_cpu_run(s, 3);
}

const struct tk_cpu_kernels tk_cpu_kernels_bmi2 = {{tk_cpu_run_1, tk_cpu_run_2, tk_cpu_run_3}, 1};

#else
typedef int tk_cpu_kernel_bmi2_is_empty; /* a file must declare something */
#endif
