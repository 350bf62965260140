/*
 * The state of a session with a Tracy program (tracy-live 7): names and what else is small in memory, what
 * grows with time in columns that spill. Handlers of events (topics.h) fill it; file/ writes a capture of it.
 *
 * Functions that return int return TK_OK, TK_TL_FAILURE (the program broke a rule: see `failure`), or
 * TK_ENOMEM, TK_ELIMIT, TK_EOUTPUT, TK_EFORMAT with the cause in `err`.
 */
#ifndef TK_LIVE_TRACY_STATE_STATE_H
#define TK_LIVE_TRACY_STATE_STATE_H

#include "base/arena.h"
#include "base/err.h"
#include "io/scratch/external_sort.h"
#include "live/tracy/state/items.h"
#include "live/tracy/state/protocol.h"

enum { TK_TL_FAILURE = 1 };

struct tk_tl_failure {
    const char *what; /* static; NULL: there was none */
    uint64_t tid;
    int16_t place;
    uint32_t callstack;
};

struct tk_tl_question_entry {
    uint64_t pointer;
    uint32_t extra;
    uint8_t question;
};

struct tk_tl_queue {
    TK_VEC(struct tk_tl_question_entry) v;
    size_t head;
};

/* Oddities of a stream that are counted and let pass. */
#define TK_TL_ODDITIES(X)                                                                                    \
    X(answers, "answers that nobody asked for")                                                              \
    X(texts, "events without their text")                                                                    \
    X(plot_values, "values of plots that are no finite number")                                              \
    X(lock_events, "events of locks that were not announced, or of more than 64 threads of a lock")          \
    X(gpu_events, "events of the GPU without their context or zone")                                         \
    X(memory, "frees of pools that were never used")                                                         \
    X(frames, "frames of callstacks out of place")                                                           \
    X(payloads, "records with an impossible content")

struct tk_tl_odd {
#define TK_TL_ODD_MEMBER(name, help) uint64_t name;
    TK_TL_ODDITIES(TK_TL_ODD_MEMBER)
#undef TK_TL_ODD_MEMBER
};

struct tk_tl_options {
    const char *scratch; /* folder of temporary files; NULL: TMPDIR, else /tmp */
    size_t columns;      /* bytes of records in memory; 0: 24 MiB */
    uint64_t names;      /* bytes of all that is kept in memory besides; 0: 1 GiB */
    bool want_code, want_sources;
    bool sums_only; /* nothing is kept but frames and sums of zones: no capture comes of it */
};

struct tk_tl_state {
    struct tk_tl_options options;
    struct tk_tl_protocol protocol;
    struct tk_tl_welcome welcome;
    struct tk_err *err; /* borrowed; where causes go while an event is handled */
    struct tk_spill_columns *columns;
    struct tk_arena arena, text_arena;
    uint64_t charged; /* bytes in memory, about */
    int64_t last_time;
    struct tk_tl_odd odd;
    struct tk_tl_failure failure;
    bool crashed, terminated;

    /* references and what waits for its event */
    int64_t thread_time, serial_time, context_time, gpu_time;
    uint64_t thread_tid;
    uint32_t single, second, last_single;
    int32_t pending_dynamic; /* 0: none */
    uint32_t pending_stack, serial_stack;
    uint64_t pool_name;
    uint64_t key;         /* of the data of this event */
    struct tk_bytes data; /* text or data of this event */

    struct tk_tl_queue names_first, others;
    uint64_t asked;

    /* names */
    TK_VEC(struct tk_tl_text) strings;
    struct tk_map string_of;
    TK_VEC(struct tk_tl_pointer) pointers;
    struct tk_map pointer_of;
    TK_VEC(struct tk_tl_pointer) thread_names; /* by tid */
    struct tk_map thread_name_of;
    TK_VEC(struct tk_tl_external) external_names;
    struct tk_map external_name_of;
    TK_VEC(uint64_t) local_threads, external_threads;
    struct tk_map local_of, external_of;
    TK_VEC(struct tk_tl_static) statics;
    struct tk_map static_of;
    struct tk_tl_known_place known_places[TK_TL_KNOWN_PLACES]; /* the last ones looked up */
    size_t static_answered;                                    /* those before are known */
    TK_VEC(uint64_t) expand;
    TK_VEC(struct tk_tl_dynamic) dynamics;
    struct tk_map dynamic_of;
    uint64_t *zone_counts, *gpu_zone_counts; /* by source location + 32768 */
    struct tk_tl_sum *sums;                  /* the same; NULL but with sums_only */

    /* threads and zones */
    TK_VEC(struct tk_tl_thread *) threads; /* in the arena */
    struct tk_map thread_of;
    struct tk_tl_thread *current; /* of the last ThreadContext, once it is known */
    struct tk_spill_column extras;
    uint64_t parents, open_zones, zones;
    bool sort_samples;
    TK_VEC(uint64_t) fibers; /* their pointers */
    struct tk_map fiber_of;
    TK_VEC(struct tk_tl_switches *) switches;
    struct tk_map switches_of;

    /* frames, plots, messages */
    TK_VEC(struct tk_tl_frame_set *) frame_sets; /* all, by first sight */
    TK_VEC(uint32_t) listed_sets;                /* in file order */
    struct tk_map frame_set_of, frame_set_by_text, vsync_of;
    uint32_t vsyncs, unnamed_sets, unnamed_plots;
    TK_VEC(struct tk_tl_image) images;
    struct tk_spill_column image_bytes;
    struct tk_map image_of; /* by main frame */
    TK_VEC(uint8_t) image_data;
    bool has_image;
    TK_VEC(struct tk_tl_plot *) plots;
    TK_VEC(uint32_t) listed_plots;
    struct tk_map plot_of, plot_by_text, power_of;
    uint32_t cpu_plot;
    struct tk_external_sort *messages; /* owned: struct tk_tl_message */
    uint64_t n_messages;
    TK_VEC(uint32_t) app_info;

    /* locks, memory */
    TK_VEC(struct tk_tl_lock *) locks;
    struct tk_map lock_of;
    TK_VEC(struct tk_tl_pool *) pools;
    struct tk_map pool_of;

    /* code */
    TK_VEC(struct tk_tl_stack) stacks;
    TK_VEC(uint64_t) stack_frames, stack_room;
    struct tk_map stack_of;
    TK_VEC(struct tk_tl_code_frame) code_frames;
    struct tk_map code_frame_of, script_frame_of;
    uint32_t script_frames, frames_open_questions;
    TK_VEC(struct tk_tl_code_place) code_places;
    struct {
        uint32_t frame, left, image;
        bool open, ignored;
    } answer; /* frames of code that come one by one */
    TK_VEC(struct tk_tl_symbol) symbols;
    struct tk_map symbol_of;
    TK_VEC(struct tk_tl_code) code;
    struct tk_map code_of;
    struct tk_spill_column code_bytes;
    TK_VEC(struct tk_tl_source) sources;
    struct tk_map source_of;
    TK_VEC(uint32_t) source_answers; /* numbers of sources in the order of their bytes */
    struct tk_spill_column source_bytes;

    /* GPU */
    TK_VEC(struct tk_tl_gpu *) gpus;
    struct tk_tl_gpu *gpu_of[256];
    uint64_t gpu_parents;
    struct tk_tl_gpu_live *gpu_live;

    /* cores */
    struct tk_tl_cpu *cpus; /* owned: TK_TL_CPUS */
    TK_VEC(struct tk_tl_process) processes;
    struct tk_map process_of;
    TK_VEC(struct tk_tl_cpu_use) cpu_uses;
    struct tk_map cpu_use_of;
    TK_VEC(struct tk_tl_hw) hw;
    struct tk_map hw_of;
    struct tk_external_sort *hw_samples; /* owned: struct tk_tl_hw_sample */

    /* the rest */
    TK_VEC(struct tk_tl_category *) categories;
    struct tk_map category_of;
    struct tk_record_map sections_open, sections_early; /* by id */
    TK_VEC(struct tk_tl_topology) topology;
    struct tk_tl_crash crash;
};

/* ---- what all topics use (basics.c, state.c) ---- */

/* A new state for what a program greets with. TK_OK, TK_ENOMEM or TK_EFORMAT. */
int tk_tl_state_open(struct tk_tl_state **out, unsigned protocol, const struct tk_tl_welcome *w,
                     const struct tk_tl_options *options, struct tk_err *err);
void tk_tl_state_close(struct tk_tl_state *s);

/* Counts bytes that stay in memory. TK_OK or TK_ELIMIT. */
int tk_tl_charge(struct tk_tl_state *s, uint64_t bytes);

/* This and others are here, so that a compiler that looks for mistakes sees what they return. */
static inline int tk_tl_nomem(struct tk_tl_state *s)
{
    return tk_err_nomem(s->err, "a recording");
}

/* What a column said when it gave no room. */
int tk_tl_column_error(struct tk_tl_state *s);

/* Appends to a vector of the state, and counts it. */
#define tk_tl_push(s, vec, elem)                                                                             \
    (tk_tl_charge((s), sizeof *(vec)->v) != TK_OK ? TK_ELIMIT                                                \
     : tk_vec_push((vec), (elem))                 ? tk_tl_nomem(s)                                           \
                                                  : TK_OK)

/* As tk_map_put, and counts it. */
int tk_tl_map_put(struct tk_tl_state *s, struct tk_map *m, uint64_t key, uint32_t value);

/* Zeroed memory that lives as long as the state; NULL: memory or the limit is out, see *rc. */
static inline void *tk_tl_alloc(struct tk_tl_state *s, size_t n, int *rc)
{
    *rc = tk_tl_charge(s, n);
    void *p = *rc == TK_OK ? tk_arena_alloc(&s->arena, n) : NULL;
    if (p)
        memset(p, 0, n);
    else if (*rc == TK_OK)
        *rc = tk_tl_nomem(s);
    return p;
}

/* The rest of a record follows only when this went well. */
#define TK_TL_TRY(call)                                                                                      \
    do {                                                                                                     \
        const int rc_of_try = (call);                                                                        \
        if (rc_of_try != TK_OK)                                                                              \
            return rc_of_try;                                                                                \
    } while (0)

static inline int tk_tl_fail(struct tk_tl_state *s, const char *what, uint64_t tid, int16_t place,
                             uint32_t callstack)
{
    s->failure = (struct tk_tl_failure){what, tid, place, callstack};
    return TK_TL_FAILURE;
}

/* A question to the program. */
int tk_tl_ask(struct tk_tl_state *s, enum tk_tl_question question, uint64_t pointer, uint32_t extra);

/* ---- what is known by now (texts.c, threads.c, places.c) ---- */

/* A string up to its first NUL. */
struct tk_tl_text tk_tl_text_of(const struct tk_tl_state *s, uint32_t text);

/* What is known of a pointer, or NULL. */
struct tk_tl_pointer *tk_tl_pointer_find(const struct tk_tl_state *s, uint64_t pointer);

/* The string of a pointer, or TK_TL_NONE. */
uint32_t tk_tl_pointer_text(const struct tk_tl_state *s, uint64_t pointer);

/* The thread of an id, or NULL. */
struct tk_tl_thread *tk_tl_thread_find(const struct tk_tl_state *s, uint64_t tid);

/* What zones of a source location are called: their own name, else that of the function. NULL: not known yet.
 */
const struct tk_tl_text *tk_tl_place_name(const struct tk_tl_state *s, int16_t place);

/* ---- times ---- */

static inline int64_t tk_tl_s48(int64_t v)
{
    return (int64_t)((uint64_t)v << 16) >> 16;
}

int64_t tk_tl_ns(const struct tk_tl_state *s, int64_t ticks);

/* Raises the last time. */
static inline int64_t tk_tl_see(struct tk_tl_state *s, int64_t time)
{
    if (time > s->last_time)
        s->last_time = time;
    return time;
}

/* Moves a reference, and the time there. */
static inline int64_t tk_tl_move(struct tk_tl_state *s, int64_t *reference, int64_t by)
{
    *reference = (int64_t)((uint64_t)*reference + (uint64_t)by);
    return tk_tl_see(s, tk_tl_ns(s, *reference));
}

static inline int64_t tk_tl_time_at(struct tk_tl_state *s, const uint8_t *p)
{
    return tk_tl_see(s, tk_tl_ns(s, (int64_t)tk_load64(p)));
}

/* The 64-bit form of a time that has shorter forms. */
static inline int64_t tk_tl_wide(const struct tk_tl_state *s, const uint8_t *p)
{
    const int64_t v = (int64_t)tk_load64(p);
    return s->protocol.short_times && v >= 0 ? (int64_t)((uint64_t)v + 0x100010000u) : v;
}

static inline int64_t tk_tl_time32(const uint8_t *p)
{
    return (int64_t)tk_load32(p) + 65536;
}

static inline uint32_t tk_tl_colour(const uint8_t *p)
{
    return (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
}

#endif
