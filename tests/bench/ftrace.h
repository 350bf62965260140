/* What every reader of a trace of a system has to do at least. */
#ifndef TK_BENCH_FTRACE_H
#define TK_BENCH_FTRACE_H

#include <stddef.h>
#include <stdint.h>

struct tk_bench_ftrace {
    uint64_t packets, events, fields, sum; /* sum: of all numbers, and of the first bytes of texts */
};

/*
 * Decodes every field of every event of the kernel in a trace of Perfetto's, sorts the events by time, and
 * keeps nothing. Returns 0, or -1 without memory or for bytes that are no such trace.
 */
int tk_bench_ftrace(const uint8_t *data, size_t size, struct tk_bench_ftrace *figures);

#endif
