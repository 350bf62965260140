/*
 * Records of the sections before the zones (tracy-file 4, 5.1 to 5.9), in the version of the writer. Counts
 * that stand before records are put by the caller: tk_tracy_put(w, n, 8).
 */
#ifndef TK_FORMAT_TRACY_WRITE_SECTIONS_FRONT_H
#define TK_FORMAT_TRACY_WRITE_SECTIONS_FRONT_H

#include "base/cursor.h"
#include "format/tracy/file/payload_out.h"

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
