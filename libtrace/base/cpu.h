/*
 * What the processor can do.
 */
#ifndef TK_BASE_CPU_H
#define TK_BASE_CPU_H

#include <stdbool.h>

/* Does it have pext, and as one instruction? The first two generations of Zen take many for it. */
bool tk_cpu_has_pext(void);

#endif
