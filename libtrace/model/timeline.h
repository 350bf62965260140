/*
 * Timeline driver: scopes, frames, regions, counters and marks of a capture as tracks and items
 * (table/timeline.h), in one reading.
 *
 *   scope runs ----> timeline_lane: stacks ---------+
 *                                                   +--> items, in batches --> struct tk_timeline_sink
 *   tables' rows --> timeline_rows: by column ------+
 *
 * Scopes of a track nest: one that outlives the scope it began in ends with that. Scopes that were lost
 * (bytes are missing, their thread ended) end when the next scope of their track begins, where there is one;
 * those open at the end of the capture never end. Scopes that touch the selection come whole, or cut to it
 * where the query clips.
 */
#ifndef TK_MODEL_TIMELINE_H
#define TK_MODEL_TIMELINE_H

#include "base/intern.h"
#include "model/builder.h"
#include "table/timeline.h"

enum { TK_TIMELINE_BATCH = 1024 };

/* Ids of tracks: the kind above, a number below. */
#define TK_TRACK_ID(kind, number) ((uint64_t)(kind) << 40 | (uint64_t)(number) | 1)

struct tk_timeline_lane;

/* What is known of a timer's name. */
struct tk_timeline_name {
    const struct tk_str *shown; /* as it was when this was made; NULL: never */
    uint32_t id;
    bool passes;
};

struct tk_timeline_rule;

/* A table whose rows are items. */
struct tk_timeline_table {
    const struct tk_table *table; /* borrowed during the run */
    const struct tk_timeline_rule *rule;
    uint32_t at[6]; /* its columns */
};

struct tk_timeline {
    const struct tk_timeline_sink *sink; /* borrowed */
    const struct tk_view *view;          /* borrowed while a reading is under way */
    int64_t from, to;      /* nanoseconds: what is selected lies in it; known from the first reading on */
    bool closes;           /* scopes open at the end of their thread end there */
    struct tk_item *items; /* owned: TK_TIMELINE_BATCH */
    size_t n;
    TK_VEC(struct tk_timeline_lane *) lanes; /* owned, by number */
    TK_VEC(struct tk_timeline_name) names;   /* by timer */
    struct tk_intern texts;                  /* names of tracks, and every name of a scope once */
    struct tk_map name_index;                /* address in texts -> number of the name */
    struct tk_map track_index;               /* id of a track that is known -> 1 */
    uint32_t n_names;
    uint64_t spans, flows;                   /* so far */
    TK_VEC(struct tk_timeline_table) tables; /* that rows come of */
};

/* Begins empty. The sink is borrowed. TK_OK or TK_ENOMEM. */
int tk_timeline_init(struct tk_timeline *t, const struct tk_timeline_sink *sink, struct tk_err *err);

void tk_timeline_release(struct tk_timeline *t);

/* The builder that takes scopes; its table has no rows. Borrows t. */
struct tk_builder tk_timeline_builder(struct tk_timeline *t);

/* The sink for the tables of tk_timeline_table(). */
struct tk_sink tk_timeline_rows(struct tk_timeline *t);

/* Name of the i-th table whose rows are items; NULL behind the last. Static. */
const char *tk_timeline_table(size_t i);

/* The next item, all zero but for kind, track and time; NULL when the sink failed (err set). */
struct tk_item *tk_timeline_item(struct tk_timeline *t, uint8_t kind, uint64_t track, int64_t ns, int *rc,
                                 struct tk_err *err);

/* Hands on the items that wait. TK_OK or what the sink said. */
int tk_timeline_flush(struct tk_timeline *t, struct tk_err *err);

/* Tells of a track unless it is known. TK_OK, TK_ENOMEM or what the sink said. */
int tk_timeline_track(struct tk_timeline *t, const struct tk_track *track, struct tk_err *err);

/* Tells of the track of a thread unless it is known. As tk_timeline_track. */
int tk_timeline_thread(struct tk_timeline *t, uint32_t thread, struct tk_err *err);

/* Likewise of a GPU queue, or of the work in it; *track is its id. */
int tk_timeline_queue(struct tk_timeline *t, uint32_t queue, bool works, uint64_t *track, struct tk_err *err);

/* Number of a name; equal names have one. TK_MAP_NONE without memory. */
uint32_t tk_timeline_name(struct tk_timeline *t, const struct tk_str *name);

/* A time of the capture in nanoseconds. */
int64_t tk_timeline_ns(const struct tk_timeline *t, int64_t cycles);

/* Stacks of lanes (timeline_lane.c). */
int tk_timeline_run(struct tk_timeline *t, const struct tk_scope_run *run, struct tk_err *err);
int tk_timeline_end(struct tk_timeline *t, struct tk_err *err);
void tk_timeline_lane_free(struct tk_timeline_lane *lane);

#endif
