/*
 * The records of a session that are kept until its capture is written (tracy-live 7), a topic each: those
 * that grow with time stand in columns that spill, the others in memory. The state of a session holds them;
 * file/ writes them.
 */
#ifndef TK_LIVE_TRACY_STATE_ITEMS_H
#define TK_LIVE_TRACY_STATE_ITEMS_H

#include "base/cursor.h"
#include "base/hash.h"
#include "base/record_map.h"
#include "io/scratch/spill_column.h"

#define TK_TL_NONE UINT32_MAX /* no string, no index */

/* ---- names ---- */

struct tk_tl_text {
    const uint8_t *p;
    uint32_t n;
};

/* A pointer of the program and its string; TK_TL_NONE while it is asked for. */
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
    struct tk_tl_gpu_live *next, **before;
};

struct tk_tl_gpu_timeline {
    uint64_t tid, roots;
    struct tk_spill_column zones; /* struct tk_tl_gpu_zone */
    TK_VEC(struct tk_tl_gpu_live *) open;
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
    uint64_t tid, count;
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

#endif
