/*
 * Records of the zones and of the sections behind them (tracy-file 5.10 to 5.22), in the version of the
 * writer. Counts that stand before records are put by the caller: tk_tracy_put(w, n, 8).
 */
#ifndef TK_FORMAT_TRACY_WRITE_SECTIONS_BACK_H
#define TK_FORMAT_TRACY_WRITE_SECTIONS_BACK_H

#include "base/cursor.h"
#include "format/tracy/file/payload_out.h"

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

#endif
