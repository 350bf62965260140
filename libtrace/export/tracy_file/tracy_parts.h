/*
 * What tracy_sink.c gathers of a timeline and tracy_save.c writes.
 */
#ifndef TK_EXPORT_TRACY_FILE_TRACY_PARTS_H
#define TK_EXPORT_TRACY_FILE_TRACY_PARTS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/hash/hash.h"
#include "export/tracy_file/tracy_sink.h"
#include "io/scratch/external_sort.h"
#include "io/scratch/spill_column.h"

enum { TK_TS_PLACES = 32767 }; /* source locations that a file can have */

struct tk_ts_zone {
    int64_t start, end;
    uint32_t extra, children;
    int16_t place;
};

struct tk_ts_open {
    uint64_t index;
    struct tk_ts_zone zone;
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
    bool percent, bytes;
};

struct tk_ts_place {
    uint32_t name, file, line; /* strings; file may be UINT32_MAX */
};

struct tk_ts_message {
    int64_t time;
    uint64_t order;
    uint32_t text, thread; /* thread: index of its track, or UINT32_MAX */
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
    TK_VEC(uint64_t) counts;       /* zones of each place */
    struct tk_spill_column extras; /* uint32_t: the name of a zone, + 1 */
    struct tk_map span_of;         /* open spans by id */
    TK_VEC(struct tk_ts_span) spans;
    struct tk_external_sort *messages;
    uint64_t n_messages, zones, parents, left_out;
    int64_t last_time;
};

/* Writes all to the output. TK_OK, TK_EOUTPUT, TK_EPIPE, TK_ECANCELED, TK_ENOMEM. */
int tk_ts_save(struct tk_tracy_sink *t, const struct tk_tracy_about *about, struct tk_err *err);

#endif
