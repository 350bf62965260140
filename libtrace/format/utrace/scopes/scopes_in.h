/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_SCOPES_IN_H
#define TK_FORMAT_UTRACE_SCOPES_SCOPES_IN_H

#include "base/bits.h"
#include "base/cursor.h"
#include "fact/fact.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/scopes/scope_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Do the times of CPU batches hold together? Each batch begins with a time of its own, so a time that was
 * changed on its way shows: it is beyond the first time of the thread's next batch, or far beyond the end of
 * all other threads, of which some wrote later. Such a batch is left out from that entry on (events 2.3). A
 * thread that also writes last may live on for long: that is only noted.
 *
 * A batch is compared with the two that follow it. Where the stretch ends before they come and the batch is
 * beyond what other threads have reached, it waits in its lane: for its successor, for the other threads, or
 * for the end of the capture.
 */

/* The first time of a batch, in cycles since the start. */
int64_t tk_ut_batch_times_begin(const struct tk_ut_scopes *s, int form, const struct tk_bytes *bytes);

/* A batch comes: what it begins with says how far the threads are. */
void tk_ut_batch_times_came(struct tk_ut_scopes *s, struct tk_ut_scope_lane *lane, int64_t begin);

/* Before a stretch is decoded: keeps batches back whose times nothing vouches for yet, and lets go of those
 * that waited. last: nothing comes after. TK_OK or TK_ENOMEM. */
int tk_ut_batch_times_hold(struct tk_ut_feed *feed, bool last);

/* After it: leaves out what cannot be. TK_OK or TK_ENOMEM. */
int tk_ut_batch_times_check(struct tk_ut_feed *feed, bool last);

/* The last time of a thread, of any kind of scopes; INT64_MIN: it has none. */
int64_t tk_ut_batch_times_end(const struct tk_ut_scope_lane *lane);

/* How far beyond the end of all others, in cycles, a thread may go; UINT64_MAX where nothing says. */
uint64_t tk_ut_batch_times_far(const struct tk_ut_scopes *s, int64_t others);

/* Did other threads write scopes behind this offset? Theirs are earlier: so no time there can be far later.
 */
bool tk_ut_batch_times_refuted(const struct tk_ut_scopes *s, const struct tk_ut_scope_lane *lane,
                               uint64_t offset);

/* Notes that a thread goes on far beyond the end of all others, and nothing refutes that. */
void tk_ut_batch_times_lives_on(struct tk_ut_feed *feed, const struct tk_ut_scope_lane *lane,
                                uint64_t offset);

/* The batch that a lane keeps back goes to the chunks of this stretch. TK_OK or TK_ENOMEM. */
int tk_ut_batch_times_release(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane);

/*
 * CPU streams: what the parts of the batch decoder share. A stream is a run of whole batches of one chunk
 * that is decoded from front to back. A kernel that waits for the length of each entry has a chunk cut into
 * several of them, which it advances in turns; one that knows where entries begin has the chunk whole.
 *
 * A kernel reads simple entries only (cpu_kernel.inc). Batch borders and all other entries go through
 * tk_cpu_turn().
 */

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
    bool grows;  /* columns and fixups grow as needed; else a byte has space for one entry, two for a fixup */
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

/*
 * Looking ahead on one lane for its next CPU batch: a second cursor on the lane, which says up to what time
 * no batch entry can come any more (events 2.5).
 */

/*
 * The first time of the next batch of thread `tid` in packets behind file offset `after`, in cycles since the
 * start. TK_ITEM with *time; TK_OK when there is no batch any more; TK_EIO, TK_ENOMEM, or TK_ELIMIT where the
 * lane cannot be read from the middle (protocols 0 to 5).
 */
int tk_ut_peek_batch(struct tk_ut_capture *c, uint32_t tid, uint64_t after, int64_t *time);

#endif
