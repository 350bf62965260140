/*
 * Random bits from the system. The key of the tables in memory is made of them.
 */
#ifndef TK_OS_RANDOM_H
#define TK_OS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

/* Sets 64 bits that nobody can foresee. False where the system has none: *out is as before. */
bool tk_random(uint64_t *out);

#endif
