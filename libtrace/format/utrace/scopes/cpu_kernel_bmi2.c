/*
 * Kernels of the CPU batch decoder for x86-64 with pext.
 */
#include "format/utrace/scopes/cpu_stream.h"

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

tk_cpu_kernel *const tk_cpu_kernels_bmi2[3] = {tk_cpu_run_1, tk_cpu_run_2, tk_cpu_run_3};

#else
typedef int tk_cpu_kernel_bmi2_is_empty; /* a file must declare something */
#endif
