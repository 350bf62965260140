/*
 * State of the scopes of a reading (scope_collect.h), shared by what makes it:
 *
 *   scope_collect.c   collects batches and stamped scopes, lane by lane, and joins both kinds to runs
 *   scope_chunk.c     puts batches together in chunks
 *   scope_decode.c    decodes the batches by the pool's workers
 *   batch_times.c     leaves out batches whose times cannot be
 *   stamp_times.c     the same for stamped scopes
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_SCOPE_INTERNAL_H
#define TK_FORMAT_UTRACE_SCOPES_SCOPE_INTERNAL_H

#include "base/hash.h"
#include "base/vec.h"
#include "format/utrace/scopes/scope_collect.h"

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

/* Batches of one lane and form, decoded together. */
struct tk_ut_chunk {
    struct tk_cpu_chunk cpu;
    uint8_t *bytes;             /* owned */
    const struct tk_str **text; /* of each op; owned; has_text: there is one */
    size_t cap_text;
    bool has_text;
    size_t n_bytes, cap_bytes;
    TK_VEC(uint32_t) sizes;
    TK_VEC(uint64_t) offsets; /* of the packets, for notes; TK_NO_OFFSET: its end is known to be missing */
    uint32_t thread;
    bool failed; /* out of memory */
};

/* A stamped scope record that waits for its place among batch entries. */
struct tk_ut_stamped {
    int64_t time;
    uint64_t offset;           /* of the packet; of GPU queues 0 */
    uint32_t op;               /* TK_OP_CUT: records were left out here */
    const struct tk_str *text; /* NULL: none */
};

/* What a lane gave in this stretch, in order. */
struct tk_ut_scope_part {
    uint32_t chunk; /* index, or TK_UT_CUT */
    size_t stamped; /* how many stamped records were there when the lane was cut */
};

#define TK_UT_CUT UINT32_MAX

/* A batch that is decoded later than it came. */
struct tk_ut_held_batch {
    uint8_t *bytes; /* owned */
    size_t n, cap;  /* n is 0: there is none */
    uint64_t offset;
    int form;
    int64_t begin, end; /* its first and last time */
};

/* How far the batches of a lane are; INT64_MIN: there is none. */
struct tk_ut_lane_times {
    int64_t newest, previous; /* what the last batch that came began with, and the one before it */
    int64_t last_end;         /* last time of the last one that was let through */
    int64_t end_before;       /* of the one before that */
    uint64_t offset;          /* of the last one in the file */
    struct tk_ut_chunk *last; /* NULL: not in this stretch, or left out */
    uint32_t last_batch;
};

/* A thread or GPU queue with scopes. */
struct tk_ut_scope_lane {
    uint32_t thread, number;
    uint8_t kind; /* enum tk_lane_kind; of a GPU queue, `thread` is its id and all records are stamped ones */
    bool wanted, ended;
    uint64_t after_end;
    TK_VEC(struct tk_ut_stamped) waiting; /* stamped records, in order; those before `done` are placed */
    size_t done;
    size_t since, before; /* of them, the first that came behind the last batch, and behind the one before */
    bool unanchored;      /* no batch says how far the thread is: others have written some of them */
    bool adrift;          /* a difference of stamps was wrong: all behind it are */
    const struct tk_ut_lane *source; /* the thread's own lane; NULL: only other lanes speak of it */
    struct tk_ut_lane_times times;
    struct tk_ut_held_batch held;
    bool peeked;       /* the next batch was looked for and is not read yet */
    int64_t next_time; /* its first time */
    TK_VEC(struct tk_ut_scope_part) parts;
    uint32_t open_chunk; /* the chunk that takes more batches, or TK_UT_CUT */
    bool touched;        /* has something in this stretch */
};

/* A decoded batch, while times are compared. */
struct tk_ut_timed_batch {
    struct tk_ut_chunk *chunk; /* NULL: it is kept back */
    uint32_t batch;            /* in the chunk */
    int64_t begin, end;
};

struct tk_ut_scopes {
    struct tk_ut_capture *capture;
    uint64_t small_step; /* cycles that a clock may step back without a word */
    int64_t begin;       /* the lowest time that a batch began with, and one at or above it followed */
    int64_t top, second; /* how far the thread that is furthest is, and the next one: times that batches
                            began with and the next ones did not go behind */
    uint32_t top_lane;   /* or UINT32_MAX */
    TK_VEC(struct tk_ut_timed_batch) timed;  /* of the lane that is looked at */
    TK_VEC(uint32_t) holding;                /* lanes that keep a batch back */
    TK_VEC(struct tk_ut_scope_lane *) lanes; /* by number */
    struct tk_map by_thread;
    TK_VEC(uint32_t) touched; /* lanes with something in this stretch, in order of first touch */
};

/* The lane has something in this stretch. TK_OK or TK_ENOMEM. */
static inline int tk_ut_scopes_touch(struct tk_ut_scopes *s, struct tk_ut_scope_lane *lane)
{
    if (lane->touched)
        return TK_OK;
    lane->touched = true;
    return tk_vec_push(&s->touched, lane->number) ? TK_ENOMEM : TK_OK;
}

/* The lane of a thread, which is made where there is none yet. NULL if out of memory. */
struct tk_ut_scope_lane *tk_ut_scopes_lane(struct tk_ut_feed *feed, uint32_t thread);

/* A chunk of this stretch takes a batch. TK_OK or TK_ENOMEM. */
int tk_ut_scopes_add(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, int form,
                     const struct tk_bytes *bytes, uint64_t offset);

/* A batch of a lane comes, written by this thread (own) or by another one, and begins at a time: stamps in
 * front of it that cannot be are left out, with a note. */
void tk_ut_stamps_anchor(struct tk_ut_feed *feed, struct tk_ut_scope_lane *lane, bool own, int64_t begin);

/* At the end of the capture: leaves out stamps far beyond the end of all other threads, if some of those were
 * written later. */
void tk_ut_stamps_end(struct tk_ut_feed *feed);

/* Decodes all chunks of this stretch; last: nothing comes after. TK_OK or TK_ENOMEM. */
int tk_ut_scopes_decode(struct tk_ut_feed *feed, bool last);

#endif
