/*
 * Asks the processor by cpuid. Decoders choose their instructions by it.
 */
#include "base/cpu.h"

#if defined(__GNUC__) && defined(__x86_64__)

#include <cpuid.h>

/* "AuthenticAMD", as registers hold it */
enum { AMD_B = 0x68747541, AMD_D = 0x69746e65, AMD_C = 0x444d4163, ZEN_1_2 = 0x17, BMI2 = 1 << 8 };

static unsigned family(unsigned version)
{
    const unsigned base = version >> 8 & 15;
    return base == 15 ? base + (version >> 20 & 255) : base;
}

static bool ask_pext(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & BMI2))
        return false;
    __cpuid(0, a, b, c, d);
    const bool amd = b == AMD_B && d == AMD_D && c == AMD_C;
    __cpuid(1, a, b, c, d);
    return !(amd && family(a) == ZEN_1_2);
}

bool tk_cpu_has_pext(void)
{
    static _Atomic int known; /* 0: not asked yet. Virtual machines take microseconds for cpuid */
    int answer = known;
    if (!answer)
        known = answer = ask_pext() ? 2 : 1;
    return answer == 2;
}

#else

bool tk_cpu_has_pext(void)
{
    return false;
}

#endif
