/*
 * CPU timers and the batches their scopes come in (events 2.1 to 2.4).
 *
 * A batch is a run of varints. Its first entry has the clock's value, each later one the difference to the
 * entry before. The low bits say what the entry is; more numbers follow all but the plain end:
 *
 *   V1  cycle << 1 | begin
 *       begin: timer
 *   V2  cycle << 2 | coroutine << 1 | begin
 *       begin: timer; coroutine begin: its id, then its depth; coroutine end: its depth
 *   V3  as V2, but
 *       begin: timer << 1, or metadata instance << 1 | 1
 */
#ifndef TK_WRITER_CPU_H
#define TK_WRITER_CPU_H

#include "utrace_writer.h"

enum { TK_UW_BATCH_SPACE = 256, TK_UW_BATCH_FULL = 240 };

/* The batch that one thread is filling. */
struct tk_uw_cpu {
    struct tk_uw_lane *lane;       /* borrowed */
    const struct tk_uw_type *type; /* borrowed from the capture */
    uint64_t last;                 /* cycle of the last entry in the batch; 0 at its start */
    unsigned version;              /* 1 to 3 */
    unsigned used;                 /* bytes of data */
    unsigned depth;                /* scopes open */
    uint8_t data[TK_UW_BATCH_SPACE];
};

/* Declares a timer. */
void tk_uw_cpu_spec(struct tk_uw *uw, uint32_t id, const char *name, const char *file, uint32_t line);

/* Declares a timer whose scopes have metadata; `fields` is a run of CBOR texts naming the values. */
void tk_uw_cpu_metadata_spec(struct tk_uw *uw, uint32_t id, const char *name, const char *format,
                             const struct tk_uw_bytes *fields);

/* Defines a metadata instance on a thread; `values` is a run of CBOR values. */
void tk_uw_cpu_metadata(struct tk_uw *uw, struct tk_uw_lane *lane, uint32_t id, uint32_t spec,
                        const struct tk_uw_bytes *values);

/* Says that the thread ends here. */
void tk_uw_cpu_end_thread(struct tk_uw *uw, struct tk_uw_lane *lane, uint64_t cycle);

/* `version` 1 to 3; 0 takes what the capture's protocol usually has. Protocol 0 always writes the oldest
 * form. */
void tk_uw_cpu_init(struct tk_uw_cpu *cpu, struct tk_uw *uw, struct tk_uw_lane *lane, unsigned version);

/* Entries. The batch is sent when 240 bytes are used and when an end closes the outermost scope. */
void tk_uw_cpu_begin(struct tk_uw_cpu *cpu, uint64_t cycle, uint32_t timer);
void tk_uw_cpu_begin_metadata(struct tk_uw_cpu *cpu, uint64_t cycle, uint32_t instance); /* V3 only */
void tk_uw_cpu_end(struct tk_uw_cpu *cpu, uint64_t cycle);

/* Coroutine entries, V2 and V3. `depth` counts the scopes that come back or go with the coroutine. */
void tk_uw_cpu_resume(struct tk_uw_cpu *cpu, uint64_t cycle, uint64_t coroutine, unsigned depth);
void tk_uw_cpu_suspend(struct tk_uw_cpu *cpu, uint64_t cycle, unsigned depth);

/* Sends the batch as it is; an empty one is not sent. */
void tk_uw_cpu_flush(struct tk_uw_cpu *cpu);

#endif
