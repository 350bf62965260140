/*
 * Captures of events that families know, from a short description, so that what is hard to guess
 * (declarations, framing, packing) is right and the fuzzer spends its time on what events say.
 *
 *   u8 options     bits 0, 1: protocol; 2: everything compressed; 3: small packets
 *   each event     u8 type, u8 how (bits 0, 1 thread; 2 a scope begins before; 3 one ends behind; 4 packets
 * are sent; 5 stamped; 6 three of it), then its fields number       u8: small ones as they are; from 0xf0 on
 * all its bytes follow. Times go on from the last one. array        u8 elements, their bytes
 */
#ifndef TK_TESTS_FUZZ_DECLARED_H
#define TK_TESTS_FUZZ_DECLARED_H

#include "rig.h"
#include "utrace_writer.h"

/* Writes the capture. `loggers` is NULL-terminated: whose events are used; NULL: all. */
void fuzz_declared(struct tk_uw_bytes *out, const uint8_t *data, size_t size, const char *const *loggers);

#endif
