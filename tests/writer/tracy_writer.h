/*
 * `.tracy` captures for tests and benchmarks: from a description, in any version from 0.7.0 to 0.14.0, with
 * the records of the product's writer.
 *
 * tk_tw_write() writes all of a description. Captures that are too large for one go through the parts:
 * tk_tw_open, tk_tw_front, for each thread tk_tw_thread with its zones, tk_tw_rest, tk_tw_close.
 *
 * Strings are known by their number in the description; -1 is none. String i has the key 0x5000 + i and the
 * pointer 0x10000 + i. Static location i has the address 0x800000 + i and the number i + 1; dynamic location
 * i has the number -i - 1. Times are nanoseconds. Lists are arrays with their lengths; all is borrowed.
 */
#ifndef TK_TRACY_WRITER_H
#define TK_TRACY_WRITER_H

#include "format/tracy/file/sections_out.h"
#include "tracy_blocks.h"

#define TK_TW_V(major, minor, patch) ((major) << 16 | (minor) << 8 | (patch))

struct tk_tw_location {
    int name, function, file;
    uint32_t line, colour;
};

struct tk_tw_frame {
    int64_t start, end; /* end: of sets that are not continuous */
    int32_t image;
};

struct tk_tw_frame_set {
    int name; /* -1: the main set */
    bool continuous;
    const struct tk_tw_frame *frames;
    size_t n;
};

struct tk_tw_section {
    uint16_t category;
    int64_t start, end;
    int text;
};

struct tk_tw_category {
    uint16_t id;
    int text;
};

struct tk_tw_lock_event {
    int64_t time;
    int16_t location;
    uint8_t thread, kind;
};

struct tk_tw_lock {
    uint32_t id;
    int name;
    int16_t location;
    uint8_t type;
    int64_t announced, terminated;
    const uint64_t *threads; /* tids */
    size_t n_threads;
    const struct tk_tw_lock_event *events;
    size_t n;
};

struct tk_tw_message {
    int64_t time;
    int text;
    uint32_t colour, callstack;
    uint8_t source, severity;
    size_t thread; /* index in the threads of the capture */
};

struct tk_tw_extra {
    uint32_t callstack;
    int text, name;
    uint32_t colour;
};

/* In pre-order; children are those that follow with a greater depth. */
struct tk_tw_zone {
    int16_t location;
    uint32_t depth, extra;
    int64_t start, end; /* end -1: open */
};

struct tk_tw_sample {
    int64_t time;
    uint32_t callstack;
};

struct tk_tw_thread {
    uint64_t tid;
    int name; /* -1: none */
    bool fiber;
    bool unlisted; /* it is not in the table of threads */
    const struct tk_tw_zone *zones;
    size_t n;
    const struct tk_tw_sample *samples, *switch_samples;
    size_t n_samples, n_switch_samples;
};

/* In pre-order, as zones. */
struct tk_tw_gpu_zone {
    int16_t location;
    uint32_t depth, callstack;
    uint16_t thread, query;
    int64_t cpu_start, cpu_end, gpu_start, gpu_end;
};

struct tk_tw_gpu {
    uint64_t tid; /* 0: zones have their own */
    int name;
    uint8_t type;
    float period;
    const struct tk_tw_gpu_zone *zones; /* of the only timeline */
    size_t n;
};

struct tk_tw_point {
    int64_t time;
    double value;
};

struct tk_tw_plot {
    int name;
    uint8_t type, format;
    const struct tk_tw_point *points;
    size_t n;
};

struct tk_tw_memory {
    uint64_t address, size;
    int64_t time, freed; /* freed -1: never */
    uint32_t callstack;
    uint16_t thread;
};

struct tk_tw_pool {
    int name; /* -1: the default pool */
    const struct tk_tw_memory *events;
    size_t n;
};

/* Of another process. */
struct tk_tw_external {
    uint64_t tid;
    int process, name; /* -1: not named at all */
};

/* Number i + 1. */
struct tk_tw_callstack {
    const uint64_t *frames; /* ids, innermost first */
    uint16_t n;
};

struct tk_tw_place {
    int function, file;
    uint32_t line;
    uint64_t symbol;
};

/* What a frame id of callstacks stands for; the places are those inlined into each other, innermost first. */
struct tk_tw_code_frame {
    uint64_t id;
    int image;
    const struct tk_tw_place *places;
    uint8_t n;
};

struct tk_tw_image {
    uint16_t width, height; /* multiples of 4 */
    bool flipped;
    const uint8_t *blocks; /* width * height / 2 bytes */
};

struct tk_tw_switch {
    int64_t wakeup, start, end; /* end -1: it still runs */
    uint8_t cpu;
    int8_t reason, state;
    uint64_t thread;    /* that of a fiber */
    uint8_t wakeup_cpu; /* where it was woken */
};

struct tk_tw_switches {
    uint64_t tid;
    const struct tk_tw_switch *v;
    size_t n;
};

struct tk_tw_cpu_switch {
    int64_t start, end;
    uint16_t external; /* index in the externals */
};

/* Of CPU i in the list of CPUs. */
struct tk_tw_cpu {
    const struct tk_tw_cpu_switch *v;
    size_t n;
};

struct tk_tw_process {
    uint64_t tid, pid;
};

struct tk_tw_cpu_use {
    uint64_t tid;
    int64_t running;
    uint32_t regions, migrations;
};

struct tk_tw_symbol {
    uint64_t address;
    int name, file;
    uint32_t line;
    int image, call_file;
    uint32_t call_line;
    bool is_inline;
    uint32_t size;
};

struct tk_tw_code {
    uint64_t address;
    const void *bytes;
    uint32_t n;
};

struct tk_tw_code_symbol {
    uint64_t code, symbol;
};

enum { TK_TW_COUNTERS = 6 };

/* Times at which a counter of the processor overflowed at an address. */
struct tk_tw_hw_sample {
    uint64_t address;
    struct {
        const int64_t *times;
        size_t n;
    } counters[TK_TW_COUNTERS];
};

struct tk_tw_source {
    const char *name, *text;
};

/* A list of the capture: `name` and its length `n_name`. */
#define TK_TW_LIST(type, name)                                                                               \
    const type *name;                                                                                        \
    size_t n_##name

struct tk_tw_trace {
    const char *capture_name, *program, *host;
    uint64_t pid, capture_time;
    int64_t last_time;
    uint64_t crash_tid;
    int64_t crash_time;
    int crash_message;

    TK_TW_LIST(char *const, strings);
    TK_TW_LIST(struct tk_tw_location, locations);
    TK_TW_LIST(struct tk_tw_location, dynamics);
    TK_TW_LIST(struct tk_tw_frame_set, frame_sets);
    TK_TW_LIST(struct tk_tw_section, sections);    /* those of a category follow each other */
    TK_TW_LIST(struct tk_tw_category, categories); /* those that are described */
    TK_TW_LIST(struct tk_tw_lock, locks);
    TK_TW_LIST(struct tk_tw_message, messages);
    TK_TW_LIST(struct tk_tw_extra, extras); /* without the empty one, which is number 0 */
    TK_TW_LIST(struct tk_tw_thread, threads);
    TK_TW_LIST(struct tk_tw_gpu, gpus);
    TK_TW_LIST(struct tk_tw_plot, plots);
    TK_TW_LIST(struct tk_tw_pool, pools);
    TK_TW_LIST(int, app_info); /* strings */
    TK_TW_LIST(struct tk_tw_external, externals);
    TK_TW_LIST(struct tk_tw_callstack, callstacks);
    TK_TW_LIST(struct tk_tw_code_frame, code_frames);
    TK_TW_LIST(struct tk_tw_image, images);
    TK_TW_LIST(struct tk_tw_switches, switches); /* by thread */
    TK_TW_LIST(struct tk_tw_cpu, cpus);          /* 256 at most */
    TK_TW_LIST(struct tk_tw_process, processes);
    TK_TW_LIST(struct tk_tw_cpu_use, cpu_use);
    TK_TW_LIST(struct tk_tw_symbol, symbols);
    TK_TW_LIST(struct tk_tw_code, code);
    TK_TW_LIST(struct tk_tw_code_symbol, code_symbols);
    TK_TW_LIST(struct tk_tw_hw_sample, hw_samples);
    TK_TW_LIST(struct tk_tw_source, sources);
};

struct tk_tw_options {
    const char *path;           /* file to write, or */
    struct tk_uw_bytes *memory; /* where to write; must outlive the writer */
    uint32_t version;           /* TK_TW_V */
    enum tk_tw_container container;
    enum tk_tw_codec codec;
    int level;
    unsigned streams;
};

struct tk_tw {
    struct tk_uw_sink sink;
    struct tk_tracy_writer out;      /* the product's */
    const struct tk_tw_trace *trace; /* borrowed */
};

/* Writes a whole capture. Returns 0, or -1 when anything failed. */
int tk_tw_write(const struct tk_tw_options *options, const struct tk_tw_trace *trace);

/* ---- in parts ---- */

/* Begins a capture; tk_tw_close is due even when that fails. */
void tk_tw_open(struct tk_tw *w, const struct tk_tw_options *options, const struct tk_tw_trace *trace);

/* All sections up to the zone extras, and the numbers that stand before the first thread. */
void tk_tw_front(struct tk_tw *w, uint64_t zones);

/* A thread: its head, `roots` zones on the first level with tk_tw_zone_begin and _end, then its lists. */
void tk_tw_thread(struct tk_tw *w, size_t thread, uint64_t zones, uint32_t roots);
void tk_tw_zone_begin(struct tk_tw *w, int16_t location, int64_t start, uint32_t extra, uint32_t children);
void tk_tw_zone_end(struct tk_tw *w, int64_t end);
void tk_tw_thread_lists(struct tk_tw *w, size_t thread);

/* All sections behind the zones. */
void tk_tw_rest(struct tk_tw *w);

/* Returns 0, or -1 if anything failed on the way. */
int tk_tw_close(struct tk_tw *w);

#endif
