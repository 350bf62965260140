/*
 * The state of a session with a Tracy program (tracy-live 7): names and what else is small in memory, what
 * grows with time in columns that spill. Handlers of events fill it; file/ writes a capture of it.
 *
 * Functions that return int return TK_OK, TK_TL_FAILURE (the program broke a rule: see `failure`), or
 * TK_ENOMEM, TK_ELIMIT, TK_EOUTPUT, TK_EFORMAT with the cause in `err`.
 */
#ifndef TK_LIVE_TRACY_STATE_STATE_H
#define TK_LIVE_TRACY_STATE_STATE_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/record_map.h"
#include "io/scratch/spill.h"
#include "live/tracy/state/protocol.h"

/*
 * The records of a session that are kept until its capture is written (tracy-live 7), a topic each: those
 * that grow with time stand in columns that spill, the others in memory. The state of a session holds them;
 * file/ writes them.
 */

#define TK_TL_NONE UINT32_MAX /* no string, no index */

/* ---- names ---- */

struct tk_tl_text {
    const uint8_t *p;
    uint32_t n;
};

/* A pointer of the program and its string; TK_TL_NONE while it is requested. */
struct tk_tl_pointer {
    uint64_t pointer;
    uint32_t text;
    bool source; /* it names a source file */
};

struct tk_tl_external {
    uint64_t tid;
    uint32_t process, name; /* strings or TK_TL_NONE */
};

/* A source location that was looked up. */
struct tk_tl_known_place {
    uint64_t pointer;
    int16_t place; /* 0: none yet */
};
enum { TK_TL_KNOWN_PLACES = 256 };

struct tk_tl_static {
    uint64_t pointer;
    bool known;
    int16_t id; /* 0: it has none yet */
    uint64_t name, function, file;
    uint32_t line, colour;
};

struct tk_tl_dynamic {
    uint32_t name, function, file, line, colour; /* strings; name may be TK_TL_NONE */
};

/* ---- threads and zones ---- */

struct tk_tl_zone {
    int64_t start_place; /* start << 16 | source location */
    int64_t end;
    uint32_t extra, children;
};

struct tk_tl_extra {
    uint32_t callstack, text, name, colour; /* strings + 1 */
};

struct tk_tl_open_zone {
    uint64_t index;
    int64_t start_place;
    uint32_t id, children, extra_index;
    struct tk_tl_extra extra;
};

struct tk_tl_sample {
    int64_t time;
    uint32_t callstack;
};

/* What an entry of a list of context switches is; file order of its fields. */
struct tk_tl_switch {
    int64_t wakeup, start, end;
    uint64_t thread;
    uint8_t cpu, wakeup_cpu;
    int8_t reason, state;
};

struct tk_tl_switches {
    uint64_t tid;
    struct tk_spill_column done; /* struct tk_tl_switch: all but the last one */
    struct tk_tl_switch last;
    bool has_last, has_pending;
    uint8_t before_cpu; /* of the one before the last */
    int64_t before_wakeup;
    int64_t pending_time;
    uint8_t pending_cpu;
};

struct tk_tl_thread {
    uint64_t tid;
    uint32_t number; /* in the list of threads */
    uint64_t zones_begun, kernel_samples;
    bool fiber;
    int32_t hint;
    uint32_t roots, next_id;
    int16_t last_root;            /* source location of the last zone on the first level */
    struct tk_spill_column zones; /* struct tk_tl_zone in order of begins */
    TK_VEC(struct tk_tl_open_zone) open;
    struct tk_spill_column samples, switch_samples; /* struct tk_tl_sample */
    int64_t last_sample;
    struct tk_spill_column message_keys; /* uint64_t, filled when the file is written */
    struct tk_tl_thread *in_fiber;       /* borrowed */
    uint32_t callstack;                  /* that waits for its event */
    bool holds_sample;
    int64_t held_time;
    uint32_t held_callstack;
    uint32_t continued; /* zones that were open when the capture before this one ended */
};

/* ---- frames, plots, messages ---- */

struct tk_tl_frame {
    int64_t start, end;
};

struct tk_tl_frame_set {
    uint64_t name;
    bool continuous, listed, unsorted;
    uint32_t instead; /* the set that took its frames, or TK_TL_NONE */
    struct tk_spill_column frames;
    struct tk_tl_frame last;
};

struct tk_tl_image {
    uint16_t width, height;
    bool flipped;
    uint32_t n;
};

struct tk_tl_point {
    int64_t time;
    double value;
};

struct tk_tl_plot {
    uint64_t name;
    uint8_t type, format, steps, fill;
    uint32_t colour, instead;
    bool listed, unsorted, timed;
    double min, max, sum;
    struct tk_spill_column points;
    int64_t last_time; /* of the last point; of power sensors: of the last report */
};

struct tk_tl_message {
    int64_t time;
    uint64_t order, text; /* text: a string or a pointer */
    uint32_t colour, callstack, thread;
    uint8_t is_pointer, source, severity;
};

/* ---- locks, memory ---- */

/* Zones of a source location that have ended. */
struct tk_tl_sum {
    uint64_t count;
    int64_t total, max;
};

enum { TK_TL_LOCK_THREADS = 64 };

struct tk_tl_lock_event {
    int64_t time;
    int16_t place;
    uint8_t thread, kind;
};

struct tk_tl_lock {
    uint32_t id, name;
    int16_t place;
    uint8_t type;
    int64_t announced, terminated;
    uint64_t holder;
    uint32_t n_threads;
    uint64_t threads[TK_TL_LOCK_THREADS];
    uint64_t last_wait[TK_TL_LOCK_THREADS]; /* index of its last wait or obtain + 1 */
    struct tk_tl_lock_event waits[TK_TL_LOCK_THREADS];
    uint64_t left; /* its last events, which go to the next capture */
    struct tk_spill_column events;
};

struct tk_tl_alloc {
    uint64_t address, size;
    int64_t time;
    uint32_t callstack;
    uint16_t thread;
};

struct tk_tl_free {
    int64_t time;
    uint32_t callstack;
    uint16_t thread;
};

struct tk_tl_alive {
    uint64_t index, size;
};

struct tk_tl_pool {
    uint64_t name, low, high, used, frees;
    struct tk_spill_column allocs, freed;
    struct tk_record_map alive; /* by address: struct tk_tl_alive */
};

/* ---- code ---- */

struct tk_tl_stack {
    uint64_t first; /* in stack_frames */
    uint32_t n;
};

struct tk_tl_code_place {
    uint32_t name, file, line;
    uint64_t symbol;
};

struct tk_tl_code_frame {
    uint64_t id, address;
    bool known, script;
    uint32_t image;    /* string + 1 */
    uint32_t first, n; /* in code_places */
};

struct tk_tl_symbol {
    uint64_t address;
    bool known;
    uint32_t name, file, line, image, call_file, call_line, size;
    bool is_inline;
};

struct tk_tl_code {
    uint64_t address;
    uint32_t n;
};

struct tk_tl_source {
    uint32_t path, n;
    bool known;
};

/* ---- GPU ---- */

struct tk_tl_gpu_zone {
    int64_t cpu_start, cpu_end, gpu_start, gpu_end;
    uint32_t children;
    int16_t place;
    uint16_t thread, query;
    uint32_t callstack;
};

/* A zone that is open or waits for a time of the GPU. */
struct tk_tl_gpu_live {
    struct tk_tl_gpu_zone zone;
    struct tk_spill_column *column; /* borrowed */
    uint64_t index;
    unsigned uses;
    uint32_t number; /* for tk_tl_memo */
    struct tk_tl_gpu_live *next, **before;
};

struct tk_tl_gpu_timeline {
    uint64_t tid, roots;
    struct tk_spill_column zones; /* struct tk_tl_gpu_zone */
    TK_VEC(struct tk_tl_gpu_live *) open;
    uint64_t left, roots_left; /* its last ones, which wait and go to the next capture */
};

struct tk_tl_note {
    uint16_t query;
    int64_t note;
    double value;
};

struct tk_tl_note_name {
    int64_t note;
    uint32_t text;
};

struct tk_tl_gpu {
    uint64_t tid, count, count_left;
    bool calibrated;
    float period;
    uint8_t type;
    uint32_t name;
    int64_t diff, calibrated_gpu, calibrated_cpu, last;
    double factor;
    uint64_t overflow, wraps;
    TK_VEC(struct tk_tl_gpu_timeline *) timelines; /* owned by the arena */
    struct tk_record_map slots;                    /* by query: struct tk_tl_gpu_live * */
    TK_VEC(struct tk_tl_note) notes;
    struct tk_map note_of;
    TK_VEC(struct tk_tl_note_name) note_names;
};

/* ---- cores ---- */

struct tk_tl_cpu_run {
    int64_t start, end;
    uint16_t external;
};

struct tk_tl_cpu {
    struct tk_spill_column done; /* struct tk_tl_cpu_run: all but the last one */
    struct tk_tl_cpu_run last;
    bool has_last;
};

struct tk_tl_cpu_use {
    uint64_t tid;
    int64_t running;
    uint32_t regions, migrations;
};

struct tk_tl_process {
    uint64_t tid, pid;
};

enum { TK_TL_HW_KINDS = 6, TK_TL_CPUS = 256 };

struct tk_tl_hw {
    uint64_t address, n[TK_TL_HW_KINDS];
};

struct tk_tl_hw_sample {
    uint32_t address, kind; /* number of the address */
    int64_t time;
};

/* ---- the rest ---- */

struct tk_tl_section {
    int64_t start, end;
    uint32_t text;
};

struct tk_tl_category {
    uint16_t id;
    bool entered, described;
    uint32_t text;
    struct tk_spill_column items; /* struct tk_tl_section */
};

struct tk_tl_section_open {
    uint32_t category;
    uint64_t index;
    struct tk_tl_section item;
};

struct tk_tl_topology {
    uint32_t package, die, core, thread;
};

struct tk_tl_crash {
    uint64_t tid, message;
    int64_t time;
    uint32_t callstack;
};

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
    uint64_t names;      /* bytes of all that is kept in memory in addition; 0: 1 GiB */
    bool want_code, want_sources;
    bool sums_only; /* nothing is kept but frames and sums of zones: no capture comes of it */
};

enum { TK_TL_COLUMNS = 24 << 20 }; /* bytes of records in memory, unless the options say others */

/* Which of the captures of a recording is under way. */
struct tk_tl_piece {
    uint32_t number;   /* from 0 */
    bool goes_on;      /* another one follows */
    int64_t from;      /* ns */
    uint64_t messages; /* in those before */
};

struct tk_tl_state {
    struct tk_tl_options options;
    struct tk_tl_protocol protocol;
    struct tk_tl_welcome welcome;
    struct tk_err *err;               /* borrowed; where causes go while an event is handled */
    struct tk_spill_columns *columns; /* of the capture under way */
    struct tk_spill_columns *lasting; /* of all */
    struct tk_tl_piece piece;
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
    uint64_t requested;

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
    uint64_t *gpu_left;     /* owned: of the second those that go to the next capture; NULL: none ever did */
    struct tk_tl_sum *sums; /* the same; NULL but with sums_only */

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
    TK_VEC(uint64_t) stack_frames, stack_space;
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
    uint64_t gpu_parents, gpu_parents_left;
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

/* Is the capture under way one of several? */
static inline bool tk_tl_is_piece(const struct tk_tl_state *s)
{
    return s->piece.goes_on || s->piece.number;
}

/* Where the capture under way ends if it ends now. Events of one queue of a program may come long behind
 * those of another: a capture can have none that is later than all before. */
static inline int64_t tk_tl_piece_end(const struct tk_tl_state *s)
{
    return s->piece.number && s->last_time <= s->piece.from ? s->piece.from + 1 : s->last_time;
}

/* When the columns are sealed: finds out what of the GPU goes to the next capture. TK_OK, TK_ENOMEM,
 * TK_EOUTPUT. */
int tk_tl_rotate_plan(struct tk_tl_state *s);

/* After the capture was written: lets go what it has, and goes on with what is open (rotate.c). As above. */
int tk_tl_rotate(struct tk_tl_state *s, struct tk_err *err);

/* As after a capture was written: the zones that are open begin again (rotate.c). */
int tk_tl_carry_threads(struct tk_tl_state *s);

/* TK_EFORMAT: a recording that is read says what no recorder writes. */
int tk_tl_impossible(struct tk_tl_state *s);

/* Counts bytes that stay in memory. TK_OK or TK_ELIMIT. */
int tk_tl_charge(struct tk_tl_state *s, uint64_t bytes);

/* This and others are here, so that a compiler that looks for mistakes sees what they return. */
static inline int tk_tl_nomem(struct tk_tl_state *s)
{
    return tk_err_nomem(s->err, "a recording");
}

/* What a column said when it gave no space. */
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

/*
 * A session of a Tracy program: blocks of events in, questions out (tracy-live 7, 8, 10). The recorder stands
 * between it and the connection.
 */

struct tk_tl_session {
    struct tk_tl_state *state; /* owned; NULL before the greeting */
    struct tk_tl_options options;
    unsigned protocol;
    bool draining;       /* only answers count, and what requests more of them */
    bool failed;         /* the program broke a rule: only what says where counts, unless it drains */
    uint64_t unanswered; /* questions that were taken with tk_tl_session_question */
    uint64_t blocks, events;
};

/* options are copied. */
void tk_tl_session_begin(struct tk_tl_session *s, unsigned protocol, const struct tk_tl_options *options);
void tk_tl_session_end(struct tk_tl_session *s);

/* What a tk_tl_stream_taker needs; ctx is the session. TK_OK, TK_EFORMAT, TK_ELIMIT, TK_EOUTPUT or TK_ENOMEM.
 */
int tk_tl_session_welcome(void *ctx, const struct tk_tl_welcome *w, struct tk_err *err);
int tk_tl_session_block(void *ctx, const uint8_t *p, size_t n, struct tk_err *err);

/* Whole frames of the main set, from one mark to the next; what is before the first mark is none. */
uint64_t tk_tl_session_frames(const struct tk_tl_session *s);

/* The next question, names first; false where there is none. */
bool tk_tl_session_question(struct tk_tl_session *s, uint8_t out[TK_TL_QUESTION_BYTES]);

/* Are there questions that were not answered or not taken? */
bool tk_tl_session_waits(const struct tk_tl_session *s);

/* May the recorder leave a program that has ended? Everything is answered and no zone is open (a crash, or
 * `zones` false: or are). */
bool tk_tl_session_is_done(const struct tk_tl_session *s, bool zones);

/* After a failure: is what it was about known? */
bool tk_tl_session_failure_reported(const struct tk_tl_session *s);

/*
 * What a session needs to go on, after tk_tl_rotate, on its way to a file or from it (memo.c).
 */

struct tk_tl_memo {
    /* Takes n bytes from p, or puts them there. TK_OK or negative. */
    int (*move)(void *ctx, void *p, size_t n, struct tk_err *err);
    void *ctx;     /* borrowed */
    bool reads;    /* it puts them there, and the session has no state yet */
    uint64_t left; /* reads: bytes that there are */
    struct tk_err *err;
    int rc; /* TK_OK at the beginning */
};

/* With what the next blocks of the stream refer to, which is at the end of one. TK_OK; TK_EFORMAT: no
 * recorder of this release wrote it; TK_EOUTPUT, TK_ELIMIT, TK_ENOMEM, or what `move` returned. The caller
 * ends the session in any case. */
int tk_tl_memo(struct tk_tl_memo *m, struct tk_tl_session *session, struct tk_tl_stream *stream);

/* Moves n bytes, unless something failed before; what is not read is zero. */
void tk_tl_memo_move(struct tk_tl_memo *m, void *p, size_t n);

/* Does all that was read lead to something that is there? TK_OK or TK_EFORMAT. (memo_check.c) */
int tk_tl_memo_check(struct tk_tl_state *s);

/*
 * What the topics of a session do for each other, and a handler for each event of the wire (tracy-live 4 to
 * 6). They work on the state; a file each.
 */

/* ---- names (texts.c, threads.c, places.c, sources.c) ---- */

/* The number of a string. */
int tk_tl_store(struct tk_tl_state *s, const void *p, size_t n, uint32_t *text);

/* The text that was sent for this event. */
uint32_t tk_tl_take_text(struct tk_tl_state *s);

/* Requests the string of a pointer at its first sight; *known: it has its text already, or is 0. */
int tk_tl_want_text(struct tk_tl_state *s, uint64_t pointer, bool *known);

/* Says what a pointer stands for, if nobody has. */
int tk_tl_name_pointer(struct tk_tl_state *s, uint64_t pointer, uint32_t text);

/* The thread of an id; one that is new enters the list. */
int tk_tl_thread_of(struct tk_tl_state *s, uint64_t tid, struct tk_tl_thread **out);
int tk_tl_thread_add(struct tk_tl_state *s, uint64_t tid, struct tk_tl_thread **out);
int tk_tl_thread_ask(struct tk_tl_state *s, uint64_t tid);
int tk_tl_thread_current(struct tk_tl_state *s, struct tk_tl_thread **out);

/* The number of a thread in the table of local threads. */
int tk_tl_thread_number(struct tk_tl_state *s, uint64_t tid, uint16_t *number);

/* Notes what is known of a zone that is or was open; end -1: it is. (zones.c) */
int tk_tl_zone_put(struct tk_tl_state *s, struct tk_tl_thread *t, const struct tk_tl_open_zone *z,
                   int64_t end);

/* The number of a source location. */
int tk_tl_place_of(struct tk_tl_state *s, uint64_t pointer, int16_t *place);
int tk_tl_place_dynamic(struct tk_tl_state *s, int16_t *place);

/* What was read with its number gets where it is found by what it is. TK_EFORMAT: it is there already. */
int tk_tl_dynamic_enter(struct tk_tl_state *s, uint32_t i);
int tk_tl_script_frame_enter(struct tk_tl_state *s, uint32_t i);
int tk_tl_gpu_note_enter(struct tk_tl_state *s, struct tk_tl_gpu *g, uint32_t i);

/* A file that a source location or a frame of code names; image: string + 1, or 0. */
int tk_tl_source_file(struct tk_tl_state *s, uint32_t path, uint32_t image);

/* ---- code (stacks.c) ---- */

int tk_tl_stack_of(struct tk_tl_state *s, const uint64_t *ids, size_t n, bool ask, uint32_t *stack);
int tk_tl_stack_join(struct tk_tl_state *s, uint32_t a, uint32_t b, uint32_t *stack);
uint32_t tk_tl_take_stack(struct tk_tl_thread *t);
uint32_t tk_tl_take_serial_stack(struct tk_tl_state *s);

/* An address whose function and line are requested, unless they were. */
int tk_tl_frame_want(struct tk_tl_state *s, uint64_t address);

/* An instruction of code that a program sends. */
struct tk_tl_instruction {
    size_t size;
    bool leads; /* it is a direct jump or call */
    int64_t to; /* bytes from its begin to there */
};

/* The instruction at p, of the architecture of a welcome. false: there is none, or it is cut, or the
 * architecture is not known. (instructions.c) */
bool tk_tl_instruction_read(unsigned arch, const uint8_t *p, size_t n, struct tk_tl_instruction *out);

/* ---- switches (switches.c), for fibers, too ---- */

int tk_tl_switches_of(struct tk_tl_state *s, uint64_t tid, struct tk_tl_switches **out);
int tk_tl_switch_add(struct tk_tl_state *s, struct tk_tl_switches *k, const struct tk_tl_switch *entry);

/* ---- handlers: one for each event ---- */

/* p: the bytes behind the number of the event; texts and data are in the state. */
#define TK_TL_HANDLER(name, a, b, c, d, e, f, g, form, size, since, more)                                    \
    int tk_tl_on_##name(struct tk_tl_state *s, const uint8_t *p);
TK_TL_EVENTS(TK_TL_HANDLER)
#undef TK_TL_HANDLER

#endif
