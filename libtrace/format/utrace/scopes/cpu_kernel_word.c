/*
 * Kernels of the CPU batch decoder for any machine: the seven-bit groups are closed up by shifts.
 */
#include "format/utrace/scopes/cpu_stream.h"

#define TK_CPU_TARGET

/* Both numbers at once: pairs of groups, then pairs of those, then the halves. */
static inline void tk_cpu_pair(uint64_t x, uint64_t head, uint64_t tail, uint64_t *a, uint64_t *b)
{
    uint64_t y = x & (head | tail) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    y = (y & UINT64_C(0x007f007f007f007f)) | (y & UINT64_C(0x7f007f007f007f00)) >> 1;
    y = (y & UINT64_C(0x00003fff00003fff)) | (y & UINT64_C(0x3fff00003fff0000)) >> 2;
    y = (y & UINT64_C(0x000000000fffffff)) | (y & UINT64_C(0x0fffffff00000000)) >> 4;
    unsigned bits = (tk_cpu_byte(head ^ head >> 1) + 1) * 7;
    *a = y & ((UINT64_C(1) << bits) - 1);
    *b = y >> bits;
}

#include "format/utrace/scopes/cpu_kernel.inc"

TK_ALWAYS_INLINE void tk_cpu_run(struct tk_cpu_stream *s, int form)
{
    const struct tk_cpu_env env = tk_cpu_env_of(s->chunk);

    /* copies that are never pointed to, so that they stay in registers */
    struct tk_cpu_hot a = s[0].hot, b = s[1].hot, d = s[2].hot, e = s[3].hot;
    while (tk_cpu_step(&s[0], &a, &env, form) && tk_cpu_step(&s[1], &b, &env, form) &&
           tk_cpu_step(&s[2], &d, &env, form) && tk_cpu_step(&s[3], &e, &env, form))
        ;
    s[0].hot = a, s[1].hot = b, s[2].hot = d, s[3].hot = e;

    for (unsigned i = 0; i < TK_CPU_STREAMS; i++) {
        struct tk_cpu_hot h = s[i].hot;
        while (tk_cpu_step(&s[i], &h, &env, form))
            ;
        s[i].hot = h;
    }
}

static void tk_cpu_run_1(struct tk_cpu_stream *s)
{
    tk_cpu_run(s, 1);
}

static void tk_cpu_run_2(struct tk_cpu_stream *s)
{
    tk_cpu_run(s, 2);
}

static void tk_cpu_run_3(struct tk_cpu_stream *s)
{
    tk_cpu_run(s, 3);
}

const struct tk_cpu_kernels tk_cpu_kernels_word = {{tk_cpu_run_1, tk_cpu_run_2, tk_cpu_run_3},
                                                   TK_CPU_STREAMS};
