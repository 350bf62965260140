/*
 * CPU streams: what the parts of the batch decoder share. A stream is a run of whole batches of one chunk
 * that is decoded from front to back. A kernel that waits for the length of each entry has a chunk cut into
 * several of them, which it advances in turns; one that knows where entries begin has the chunk whole.
 *
 * A kernel reads simple entries only (cpu_kernel.inc). Batch borders and all other entries go through
 * tk_cpu_turn().
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_CPU_STREAM_H
#define TK_FORMAT_UTRACE_SCOPES_CPU_STREAM_H

#include "base/bits.h"
#include "base/cursor.h"
#include "fact/fact.h"
#include "format/utrace/scopes/cpu_decode.h"

#include <stdbool.h>

#define TK_CPU_STREAMS 4 /* at most */

#define TK_CPU_BEYOND 4u /* entries behind its own that a kernel may write */

/* The part of a stream that changes with each entry; kernels keep it in registers. */
struct tk_cpu_hot {
    const uint8_t *p;   /* next byte; behind end when the last entry was cut by the end of the batch */
    const uint8_t *end; /* of the batch */
    uint64_t time;      /* of the last entry, cycles since the start */
    uint32_t out;       /* index of the next entry in time and op */
};

struct tk_cpu_stream {
    struct tk_cpu_hot hot;
    struct tk_cpu_chunk *chunk;
    const uint8_t *next;                   /* first byte behind the batch under way */
    uint32_t batch, last;                  /* the next one; one past the last of the stream */
    size_t first_out;                      /* where its entries begin */
    const uint8_t *first_byte, *last_byte; /* of the stream */
    bool grows;  /* columns and fixups grow as needed; else a byte has room for one entry, two for a fixup */
    bool full;   /* more entries than that: only a growing stream can decode the chunk */
    bool failed; /* out of memory */
    struct tk_cpu_fixup *fixups; /* its part of the chunk's */
    size_t n_fixups;
    struct tk_cpu_fault *faults; /* its part of the chunk's; one a batch at most */
    size_t n_faults;
};

/* Eight bytes, least significant first. In the machine's order it is one load with every compiler. */
static inline uint64_t tk_cpu_load(const uint8_t *p)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
#else
    return tk_load64(p);
#endif
}

/* Number of the byte that the lowest set bit lies in; bits is not 0. */
static inline unsigned tk_cpu_byte(uint64_t bits)
{
    return tk_zeros_below(bits) >> 3;
}

/* Decodes all streams to their ends, or until one is full. */
typedef void tk_cpu_kernel(struct tk_cpu_stream *streams);

/* Those of an instruction set. */
struct tk_cpu_kernels {
    tk_cpu_kernel *run[3]; /* for form 1, 2, 3 */
    unsigned streams;      /* that they decode side by side */
};

extern const struct tk_cpu_kernels tk_cpu_kernels_word; /* any machine */
#if defined(__GNUC__) && defined(__x86_64__)
#define TK_CPU_HAVE_BMI2
extern const struct tk_cpu_kernels tk_cpu_kernels_bmi2;
#endif

/* tk_cpu_decode() with these kernels. */
int tk_cpu_decode_with(struct tk_cpu_chunk *chunk, const struct tk_cpu_kernels *kernels);

/*
 * Goes over what a kernel leaves: the end of a batch and the first entry of the next one, or one entry that
 * is not simple. False at the end of the stream, when it is full and if out of memory.
 */
bool tk_cpu_turn(struct tk_cpu_stream *s);

/* Decodes one growing stream, entry by entry. 0, or -1 if out of memory. */
int tk_cpu_decode_exact(struct tk_cpu_stream *s);

#endif
