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

tk_cpu_kernel *const tk_cpu_kernels_word[3] = {tk_cpu_run_1, tk_cpu_run_2, tk_cpu_run_3};
