/* The tests of base/bits.h with what stands there for compilers that are not known. */
#define TK_BITS_PLAIN
#include "base/test_bits.c" /* NOLINT(bugprone-suspicious-include) */
