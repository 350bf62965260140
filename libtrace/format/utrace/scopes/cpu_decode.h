/*
 * CPU batches to columns: the payload of CpuProfiler.EventBatch, V2 and V3 becomes times and ops. Pure
 * functions without state between chunks, so that chunks can be decoded by any worker ahead of the stacks.
 *
 * A batch is a series of entries until its bytes run out; every number is a varint (LEB128):
 *
 *   V1   v = cycle difference << 1 | begin;             begin: then the spec id
 *   V2   v = cycle difference << 2 | coroutine<<1|begin; begin: then spec id; coroutine begin: then coroutine
 * id, depth; coroutine end: then depth V3   as V2, but after a begin x: x & 1 ? metadata instance x >> 1 :
 * spec id x >> 1
 *
 * The first difference of a batch is absolute (below start_cycle: relative to it), the others add up.
 * (events 2.3, strict view.)
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_CPU_DECODE_H
#define TK_FORMAT_UTRACE_SCOPES_CPU_DECODE_H

#include <stddef.h>
#include <stdint.h>

/* Readable bytes that must follow the last batch of a chunk (their values do not matter). */
#define TK_CPU_PADDING 64

/* A begin whose timer the table does not know: op[at] is TK_CPU_UNKNOWN until the caller sets it. */
#define TK_CPU_UNKNOWN UINT32_C(0x0fffffff)

struct tk_cpu_fixup {
    uint32_t at;  /* index in op */
    uint8_t kind; /* TK_CPU_FIX_... */
    uint64_t raw; /* spec id or metadata instance id */
};

#define TK_CPU_FIX_SPEC     0 /* spec id that spec_timer has not */
#define TK_CPU_FIX_METADATA 1 /* metadata instance */

/* Why a batch ended early; the entries before the fault stand. */
struct tk_cpu_fault {
    uint32_t batch;   /* index in the chunk */
    const char *what; /* static text */
};

struct tk_cpu_chunk {
    /* in */
    int form;              /* 1, 2, 3 */
    const uint8_t *bytes;  /* batches back to back; TK_CPU_PADDING readable bytes behind */
    const uint32_t *sizes; /* bytes of each batch */
    uint32_t n_batches;
    uint64_t start_cycle;       /* out times are cycles minus this */
    const uint32_t *spec_timer; /* spec id -> op (timer id), TK_CPU_UNKNOWN where there is none */
    uint32_t n_specs;
    uint32_t coroutine_timer, frame_timer; /* ops for `Coroutine` and the `<unknown>` scopes below it */
    uint32_t max_depth; /* restored scopes of a coroutine beyond this are left out, their ends too */

    /* out, owned by the chunk: reused and grown by the next decode, freed by tk_cpu_chunk_release */
    int64_t *time;
    uint32_t *op;
    size_t n, cap;
    uint32_t *first; /* index of the first entry of each batch, n_batches + 1 of them (the last is n) */
    size_t cap_first;
    struct tk_cpu_fixup *fixups;
    size_t n_fixups, cap_fixups;
    struct tk_cpu_fault *faults;
    size_t n_faults, cap_faults;
};

/* Decodes. 0, or -1 if out of memory. */
int tk_cpu_decode(struct tk_cpu_chunk *chunk);

void tk_cpu_chunk_release(struct tk_cpu_chunk *chunk);

#endif
