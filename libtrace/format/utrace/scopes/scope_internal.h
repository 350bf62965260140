/*
 * State of the scopes of a reading (scope_collect.h), shared by what makes it:
 *
 *   scope_collect.c          collects batches and stamped scopes, lane by lane
 *   scope_decode.c    decodes the batches by the pool's workers
 *   scope_join.c      joins both kinds to runs
 */
#ifndef TK_FORMAT_UTRACE_SCOPES_SCOPE_INTERNAL_H
#define TK_FORMAT_UTRACE_SCOPES_SCOPE_INTERNAL_H

#include "base/hash.h"
#include "base/vec.h"
#include "format/utrace/scopes/cpu_decode.h"
#include "format/utrace/scopes/scope_collect.h"

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
    bool failed; /* memory was out */
};

/* A stamped scope record that waits for its place among batch entries. */
struct tk_ut_stamped {
    int64_t time;
    uint32_t op;
    const struct tk_str *text; /* NULL: none */
};

/* What a lane gave in this stretch, in order. */
struct tk_ut_scope_part {
    uint32_t chunk; /* index, or TK_UT_CUT */
    size_t stamped; /* how many stamped records were there when the lane was cut */
};

#define TK_UT_CUT UINT32_MAX

/* A thread or GPU queue with scopes. */
struct tk_ut_scope_lane {
    uint32_t thread, number;
    uint8_t kind; /* enum tk_lane_kind; of a GPU queue, `thread` is its id and all records are stamped ones */
    bool wanted, ended;
    uint64_t after_end;
    TK_VEC(struct tk_ut_stamped) waiting; /* stamped records, in order; those before `done` are placed */
    size_t done;
    const struct tk_ut_lane *source; /* the thread's own lane; NULL: only other lanes speak of it */
    bool peeked;                     /* the next batch was looked for and is not read yet */
    int64_t next_time;               /* its first time */
    TK_VEC(struct tk_ut_scope_part) parts;
    uint32_t open_chunk; /* the chunk that takes more batches, or TK_UT_CUT */
    bool touched;        /* has something in this stretch */
};

struct tk_ut_scopes {
    struct tk_ut_capture *capture;
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

/* Decodes all chunks of this stretch. TK_OK or TK_ENOMEM. */
int tk_ut_scopes_decode(struct tk_ut_feed *feed);

#endif
