/* Numbers on the command lines of the benchmark programs. */
#ifndef TK_BENCH_SIZE_H
#define TK_BENCH_SIZE_H

#include <stdint.h>

/* Reads a number with an optional suffix k, M or G (powers of 1000). Returns 0, or -1 for anything else. */
int tk_bench_size(const char *text, uint64_t *value);

#endif
