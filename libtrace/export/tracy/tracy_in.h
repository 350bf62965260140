/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_EXPORT_TRACY_TRACY_IN_H
#define TK_EXPORT_TRACY_TRACY_IN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "export/tracy/tracy_events.h"
#include "format/tracy/file/sections_out.h"
#include "io/scratch/spill.h"
#include "tracekit/sinks.h"

/*
 * What tracy_sink.c gathers of a timeline and tracy_save.c writes.
 */

enum {
    TK_TS_PLACES = 32767,         /* source locations that a file can have */
    TK_TS_STRINGS = (1 << 24) - 2 /* strings */
};

struct tk_ts_zone {
    int64_t start, end;
    uint32_t extra, children;
    int16_t place;
};

/* Of the GPU, which a program requests. */
struct tk_ts_gpu_zone {
    struct tk_ts_zone zone; /* first, so that it is one of these */
    int64_t requested, requested_end;
};

/* What few zones have: a callstack, as the capture numbers it, strings + 1. */
struct tk_ts_extra {
    uint32_t callstack, text, name;
};

struct tk_ts_open {
    uint64_t index;
    struct tk_ts_gpu_zone gpu; /* of threads only its first part */
};

struct tk_ts_interval {
    int64_t start, end;
};

struct tk_ts_point {
    int64_t time;
    double value;
};

/* A track, or a set of regions of one name: what it becomes depends on its kind. */
struct tk_ts_track {
    uint64_t id, tid;
    uint8_t kind;
    uint32_t name;                /* string */
    struct tk_spill_column items; /* zones, intervals or points */
    uint64_t roots;
    TK_VEC(struct tk_ts_open) open;
    struct tk_spill_column message_keys; /* of threads */
    double min, max, sum;
    bool percent, bytes, fiber;
};

struct tk_ts_place {
    uint32_t name, file, line, colour; /* strings; file may be UINT32_MAX */
};

/* Of zones of threads, and of the GPU. */
struct tk_ts_count {
    uint64_t cpu, gpu;
};

enum { TK_TS_INFO = 2 }; /* severity of those that state none */

struct tk_ts_message {
    int64_t time;
    uint64_t order;
    uint32_t text, thread; /* thread: index of its track, or UINT32_MAX */
    uint8_t severity, source;
    bool placed; /* it has a category or place in the code that is none of Tracy's sources */
};

struct tk_ts_span {
    int64_t start;
    uint32_t set;
};

struct tk_ts_text {
    const char *p;
    size_t n;
};

struct tk_tracy_sink {
    struct tk_output *output;
    struct tk_spill_columns *columns;
    const char *scratch;
    struct tk_arena arena, texts;
    TK_VEC(struct tk_ts_text) strings;
    struct tk_map string_of, track_of, place_of, region_of;
    TK_VEC(struct tk_ts_track *) tracks; /* in the arena */
    TK_VEC(struct tk_ts_place) places;
    TK_VEC(struct tk_ts_count) counts; /* zones of each place */
    struct tk_spill_column extras;
    struct tk_ts_events *events;    /* owned; NULL: none */
    TK_VEC(uint32_t) system_tracks; /* of events->systems: places in tracks, or UINT32_MAX */
    TK_VEC(uint64_t) system_ids;    /* of them: ids in the file */
    TK_VEC(uint32_t) numbered;      /* tracks of threads, as the file numbers them from 1 on */
    TK_VEC(uint16_t) local;         /* by track: number of a thread in the file; 0: it is none */
    struct tk_map span_of;          /* open spans by id */
    TK_VEC(struct tk_ts_span) spans;
    struct tk_external_sort *messages;
    uint64_t n_messages;
    struct tk_ts_count zones, parents;
    uint64_t bare_messages; /* severity or source of which is left out */
    uint64_t bare;          /* zones of the GPU whose text, or name beyond the locations, is left out */
    int64_t last_time;
};

/* The number of a string. TK_OK, TK_ENOMEM, TK_ELIMIT. */
int tk_ts_string(struct tk_tracy_sink *t, const struct tk_str *text, uint32_t *number, struct tk_err *err);

/* Begins a track of a kind, or a set of regions; *i is its place. TK_OK, TK_ENOMEM. */
int tk_ts_new_track(struct tk_tracy_sink *t, uint8_t kind, uint32_t name, uint32_t *i, struct tk_err *err);

/* Take tracks and their items, as a timeline sink does (tracy_tracks.c, tracy_items.c). A track that comes
 * again has a better name. */
int tk_ts_take_track(void *self, const struct tk_track *track, struct tk_err *err);
int tk_ts_take_items(void *self, const struct tk_item *items, size_t n, struct tk_err *err);

/* The place of the track of a thread, which is made where there is none yet; `id` as of tracks. TK_OK,
 * TK_ENOMEM, TK_ELIMIT. */
int tk_ts_thread(struct tk_tracy_sink *t, uint64_t id, uint64_t system_id, const struct tk_str *name,
                 uint32_t *place, struct tk_err *err);

/* Threads of the system that are no threads of the program, by name and number. */
int tk_ts_put_externals(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err);
void tk_ts_put_external_ids(struct tk_tracy_sink *t, struct tk_tracy_writer *w);

/* Strings and threads of what was gathered alongside the timeline, before anything is written (tracy_back.c).
 */
int tk_ts_merge_events(struct tk_tracy_sink *t, struct tk_err *err);

/* The id in the file of a thread of the capture; 0: it is not there. */
uint64_t tk_ts_tid_of(const struct tk_tracy_sink *t, uint32_t thread);

/* The locks (tracy_put_locks.c). */
int tk_ts_put_locks(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err);

/* The sections of memory up to the last. */
int tk_ts_put_back(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err);

/* The contexts of the GPU, one for each of its tracks (tracy_gpu.c). */
int tk_ts_put_gpu(struct tk_tracy_sink *t, struct tk_tracy_writer *w, struct tk_err *err);

/* The samples of the thread of a track. */
int tk_ts_put_samples(struct tk_tracy_sink *t, struct tk_tracy_writer *w, size_t track, struct tk_err *err);

static inline bool tk_ts_is_thread(const struct tk_ts_track *k)
{
    return k->kind == TK_TRACK_THREAD;
}

/* Pointers and keys of strings in the file are their numbers behind a fixed part. */
#define TK_TS_POINTER(text) (UINT64_C(0x10000) + (text))
#define TK_TS_KEY(text)     (UINT64_C(1) + (text))

#endif
