/*
 * The payload of a .tracy file that is written: values one after the other, cut into blocks that packer.h
 * compresses (tracy-file 3). The records of sections are put with it.
 *
 * The first error sticks: later values are dropped, and tk_tracy_writer_close returns the error. Callers
 * therefore put whole sections without looking.
 */
#ifndef TK_FORMAT_TRACY_FILE_SECTIONS_OUT_H
#define TK_FORMAT_TRACY_FILE_SECTIONS_OUT_H

#include "base/cursor.h"
#include "format/tracy/file/packer.h"
#include "format/tracy/file/version.h"

/*
 * The payload of a .tracy file that is written: values one after the other, cut into blocks that packer.h
 * compresses (tracy-file 3). The records of sections are put with it.
 *
 * The first error sticks: later values are dropped, and tk_tracy_writer_close returns the error. Callers
 * therefore put whole sections without looking.
 */

struct tk_tracy_writer {
    struct tk_tracy_packer packer;
    uint32_t version;
    struct tk_tracy_layout layout;
    uint8_t *block;         /* in the packer's space */
    size_t n;               /* bytes in it */
    uint64_t total;         /* bytes of the payload in blocks before */
    int64_t time, gpu_time; /* running times of the list that is written */
    int rc;                 /* the first error, or TK_OK */
    struct tk_err *err;     /* borrowed */
};

/* Begins a file of a version that is known (TK_TRACY_OLDEST to TK_TRACY_NEWEST). err is where the first error
 * will be reported. Close it in any case. */
void tk_tracy_writer_open(struct tk_tracy_writer *w, uint32_t version, const struct tk_tracy_packing *packing,
                          tk_tracy_write_fn *write, void *ctx, struct tk_err *err);

/* Writes the last block and frees. TK_OK or the first error. */
int tk_tracy_writer_close(struct tk_tracy_writer *w);

/* Bytes of the payload so far. */
static inline uint64_t tk_tracy_writer_size(const struct tk_tracy_writer *w)
{
    return w->total + w->n;
}

/* Bytes as they are. */
void tk_tracy_put_bytes(struct tk_tracy_writer *w, const void *p, size_t n);

/* As tk_tracy_put where the block has no space for the value. */
void tk_tracy_put_across(struct tk_tracy_writer *w, uint64_t value, unsigned bytes);

/* The low bytes of a number, 8 at most. */
static inline void tk_tracy_put(struct tk_tracy_writer *w, uint64_t value, unsigned bytes)
{
    if (w->rc != TK_OK || w->n + 8 > TK_TRACY_BLOCK) {
        tk_tracy_put_across(w, value, bytes);
        return;
    }
    /* all eight, so that it is one store: there is space, and what is too much is written over */
    uint8_t *p = w->block + w->n;
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
    p[2] = (uint8_t)(value >> 16);
    p[3] = (uint8_t)(value >> 24);
    p[4] = (uint8_t)(value >> 32);
    p[5] = (uint8_t)(value >> 40);
    p[6] = (uint8_t)(value >> 48);
    p[7] = (uint8_t)(value >> 56);
    w->n += bytes;
}

/* A double, and a length of 8 bytes with its text. */
void tk_tracy_put_real(struct tk_tracy_writer *w, double value);
void tk_tracy_put_text(struct tk_tracy_writer *w, const void *p, size_t n);

/* A list's running time begins at 0; a time is written as the difference to the one before. */
static inline void tk_tracy_put_time(struct tk_tracy_writer *w, int64_t time)
{
    tk_tracy_put(w, (uint64_t)time - (uint64_t)w->time, 8);
    w->time = time;
}

/* A string: by its number + 1, 0 for none, in 3 bytes. */
static inline void tk_tracy_put_index(struct tk_tracy_writer *w, uint32_t index)
{
    tk_tracy_put(w, index, 3);
}

/* A string: none, a pointer of the program, or its number in the table (tracy-file 3, StringRef). */
enum tk_tracy_ref_kind { TK_TRACY_REF_NONE = 0, TK_TRACY_REF_POINTER = 2, TK_TRACY_REF_NUMBER = 3 };

struct tk_tracy_ref {
    uint64_t value;
    enum tk_tracy_ref_kind kind;
};

static inline void tk_tracy_put_ref(struct tk_tracy_writer *w, struct tk_tracy_ref ref)
{
    tk_tracy_put(w, ref.kind == TK_TRACY_REF_NONE ? 0 : ref.value, 8);
    tk_tracy_put(w, (uint64_t)ref.kind, 1);
}

/*
 * Records of the zones and of the sections behind them (tracy-file 5.10 to 5.22), in the version of the
 * writer. Counts that stand before records are put by the caller: tk_tracy_put(w, n, 8).
 */

enum { TK_TRACY_CPU_LISTS = 256 };

/* ---- zones ---- */

struct tk_tracy_thread_head {
    uint64_t tid, zones, kernel_samples;
    bool fiber;
    int32_t hint;
    uint32_t roots; /* zones of the first level, which follow */
};

void tk_tracy_put_thread(struct tk_tracy_writer *w, const struct tk_tracy_thread_head *t);

/* A zone begins, its children follow, it ends (-1: it is open). */
static inline void tk_tracy_put_zone_begin(struct tk_tracy_writer *w, int16_t location, int64_t start,
                                           uint32_t extra, uint32_t children)
{
    tk_tracy_put(w, (uint16_t)location, 2);
    tk_tracy_put_time(w, start);
    tk_tracy_put(w, (uint64_t)extra | (uint64_t)children << 32, 8);
}

static inline void tk_tracy_put_zone_end(struct tk_tracy_writer *w, int64_t end)
{
    tk_tracy_put_time(w, end);
}

/* A list of n samples, then they. */
void tk_tracy_put_samples(struct tk_tracy_writer *w, uint64_t n);
void tk_tracy_put_sample(struct tk_tracy_writer *w, int64_t time, uint32_t callstack);

/* ---- GPU ---- */

struct tk_tracy_gpu_head {
    uint64_t tid, zones;
    bool calibrated;
    float period;
    uint8_t type;
    uint32_t name; /* number + 1 */
    uint64_t overflow;
};

/* A context up to its notes: names of notes, timelines and values of notes follow. */
void tk_tracy_put_gpu(struct tk_tracy_writer *w, const struct tk_tracy_gpu_head *g);

/* A timeline of `zones` on its first level. */
void tk_tracy_put_gpu_timeline(struct tk_tracy_writer *w, uint64_t tid, uint64_t zones);

struct tk_tracy_gpu_zone {
    int64_t cpu_start, cpu_end, gpu_start, gpu_end;
    int16_t location;
    uint16_t thread, query;
    uint32_t callstack;
    uint64_t children;
};

void tk_tracy_put_gpu_zone_begin(struct tk_tracy_writer *w, const struct tk_tracy_gpu_zone *z);
void tk_tracy_put_gpu_zone_end(struct tk_tracy_writer *w, const struct tk_tracy_gpu_zone *z);

/* ---- plots, memory ---- */

struct tk_tracy_plot_head {
    uint8_t type, format, steps, fill;
    uint32_t colour;
    uint64_t name;
    double min, max, sum;
    uint64_t n; /* points that follow */
};

void tk_tracy_put_plot(struct tk_tracy_writer *w, const struct tk_tracy_plot_head *p);
void tk_tracy_put_point(struct tk_tracy_writer *w, int64_t time, double value);

struct tk_tracy_pool_head {
    uint64_t name, n, active, frees; /* n events follow */
    uint64_t high, low, used;
};

void tk_tracy_put_pool(struct tk_tracy_writer *w, const struct tk_tracy_pool_head *p);

struct tk_tracy_memory_event {
    uint64_t address, size;
    int64_t time, freed; /* freed < 0: never */
    uint32_t callstack, free_callstack;
    uint16_t thread, free_thread;
};

void tk_tracy_put_memory(struct tk_tracy_writer *w, const struct tk_tracy_memory_event *m);

/* Behind the events of a pool. */
void tk_tracy_put_pool_end(struct tk_tracy_writer *w, const struct tk_tracy_pool_head *p);

/* ---- code, images ---- */

/* A frame of callstacks, then its n places, those inlined first. Image, name and file by number + 1. */
void tk_tracy_put_code_frame(struct tk_tracy_writer *w, uint64_t id, uint8_t n, uint32_t image);
void tk_tracy_put_code_place(struct tk_tracy_writer *w, uint32_t name, uint32_t file, uint32_t line,
                             uint64_t symbol);

/* The dictionary of images (none), and an image without its width * height / 2 bytes. */
void tk_tracy_put_images(struct tk_tracy_writer *w, uint64_t n);
void tk_tracy_put_image(struct tk_tracy_writer *w, uint16_t width, uint16_t height, bool flipped);

struct tk_tracy_symbol {
    uint64_t address;
    uint32_t name, file, line, image, call_file, call_line; /* texts by number + 1 */
    bool is_inline;
    uint32_t size;
};

void tk_tracy_put_symbol(struct tk_tracy_writer *w, const struct tk_tracy_symbol *s);

/* A length of 4 bytes with its bytes. */
void tk_tracy_put_short_text(struct tk_tracy_writer *w, const void *p, uint32_t n);

/* ---- threads on cores ---- */

struct tk_tracy_switch {
    int64_t wakeup, start, end;
    uint8_t cpu, wakeup_cpu;
    int8_t reason, state;
    uint64_t thread;
};

/* The list of a thread, then its n switches. */
void tk_tracy_put_switches(struct tk_tracy_writer *w, uint64_t tid, uint64_t n);
void tk_tracy_put_switch(struct tk_tracy_writer *w, const struct tk_tracy_switch *s);

/* The list of a CPU, then its n runs. */
void tk_tracy_put_cpu(struct tk_tracy_writer *w, uint64_t n);
void tk_tracy_put_cpu_run(struct tk_tracy_writer *w, int64_t start, int64_t end, uint16_t external);

void tk_tracy_put_cpu_use(struct tk_tracy_writer *w, uint64_t tid, int64_t running, uint32_t regions,
                          uint32_t migrations);

/*
 * Records of the sections before the zones (tracy-file 4, 5.1 to 5.9), in the version of the writer. Counts
 * that stand before records are put by the caller: tk_tracy_put(w, n, 8).
 */

struct tk_tracy_head {
    int64_t delay, resolution; /* ns */
    double period;             /* ns of a tick */
    int64_t last_time;
    uint64_t frame_offset, pid;
    int64_t sampling;
    uint8_t arch;
    uint32_t cpu_id;
    uint8_t manufacturer[12];
    bool on_demand;
    struct tk_bytes capture_name, program, host; /* borrowed */
    uint64_t capture_time, exec_time;            /* seconds since 1970 */
};

/* Mark, version and header. */
void tk_tracy_put_head(struct tk_tracy_writer *w, const struct tk_tracy_head *h);

/* A hardware thread of the CPU. */
struct tk_tracy_cpu_thread {
    uint32_t package, die, core, thread;
};

/* The whole topology; what belongs together need not follow each other. */
void tk_tracy_put_topology(struct tk_tracy_writer *w, const struct tk_tracy_cpu_thread *v, size_t n);

void tk_tracy_put_crash(struct tk_tracy_writer *w, uint64_t tid, int64_t time, uint64_t message,
                        uint32_t callstack);

/* A frame set, then its n frames; `end` counts in sets that are not continuous. */
void tk_tracy_put_frame_set(struct tk_tracy_writer *w, uint64_t name, bool continuous, uint64_t n);
void tk_tracy_put_frame(struct tk_tracy_writer *w, bool continuous, int64_t start, int64_t end,
                        int32_t image);

/* A section of time. */
void tk_tracy_put_time_section(struct tk_tracy_writer *w, int64_t start, int64_t end, uint32_t text);

struct tk_tracy_written_place {
    struct tk_tracy_ref name, function, file;
    uint32_t line, colour;
};

void tk_tracy_put_place(struct tk_tracy_writer *w, const struct tk_tracy_written_place *p);

/* Zones of a source location. */
void tk_tracy_put_zone_count(struct tk_tracy_writer *w, int16_t location, uint64_t zones);

struct tk_tracy_lock_head {
    uint32_t id, name; /* name: number + 1 */
    int16_t location;
    uint8_t type;
    bool valid;
    int64_t announced, terminated;
    const uint64_t *threads; /* borrowed */
    size_t n_threads;
    uint64_t n; /* events that follow */
};

void tk_tracy_put_lock(struct tk_tracy_writer *w, const struct tk_tracy_lock_head *l);
void tk_tracy_put_lock_event(struct tk_tracy_writer *w, int64_t time, int16_t location, uint8_t thread,
                             uint8_t kind);

struct tk_tracy_written_message {
    uint64_t key;
    int64_t time;
    struct tk_tracy_ref text;
    uint32_t colour, callstack;
    uint8_t source, severity;
};

/* Messages are one list: w->time is 0 before the first. */
void tk_tracy_put_message(struct tk_tracy_writer *w, const struct tk_tracy_written_message *m);

/* Text and name by number + 1. */
void tk_tracy_put_extra(struct tk_tracy_writer *w, uint32_t callstack, uint32_t text, uint32_t name,
                        uint32_t colour);

#endif
