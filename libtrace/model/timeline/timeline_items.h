/*
 * Items of a timeline on their way to the sink, and the tracks and names that were sent. What stacks of lanes
 * and rows of tables share.
 */
#ifndef TK_MODEL_TIMELINE_TIMELINE_ITEMS_H
#define TK_MODEL_TIMELINE_TIMELINE_ITEMS_H

#include "base/arena.h"
#include "base/text/intern.h"
#include "query/builder.h"
#include "query/context.h"
#include "table/cell.h"
#include "table/timeline.h"

enum { TK_TIMELINE_BATCH = 128 }; /* they stay in the nearest cache */

/* Ids of tracks: the kind above, a number below. */
#define TK_TRACK_ID(kind, number) ((uint64_t)(kind) << 40 | (uint64_t)(number) | 1)

struct tk_timeline_lane;

/* What is known of a timer's name. */
struct tk_timeline_name {
    const struct tk_str *displayed; /* as it was when this was made; NULL: never */
    uint32_t id;
    bool passes;
    struct tk_scope_kind *kind; /* as it was sent last; NULL: never */
};

struct tk_timeline_rule;

enum { TK_TIMELINE_COLUMNS = 7 }; /* that a row of a table has at most */

/* A table whose rows are items. */
struct tk_timeline_table {
    const struct tk_table *table; /* borrowed during the run */
    const struct tk_timeline_rule *rule;
    uint32_t at[TK_TIMELINE_COLUMNS]; /* its columns */
};

struct tk_timeline {
    const struct tk_timeline_sink *sink; /* borrowed */
    const struct tk_query_context *view; /* borrowed while a reading is under way */
    int64_t from, to;      /* nanoseconds: what is selected lies in it; known from the first reading on */
    bool closes;           /* scopes open at the end of their thread end there */
    bool shows_open;       /* items TK_ITEM_OPEN are wanted */
    bool extras;           /* texts and callstacks of scopes are */
    struct tk_item *items; /* owned: TK_TIMELINE_BATCH */
    size_t n;
    struct tk_scope_step *steps; /* owned: TK_TIMELINE_BATCH; NULL: the sink takes items alone */
    size_t n_steps;              /* 0 where n is not, and the other way round */
    struct tk_arena kinds;       /* of scopes */
    size_t n_kinds;
    TK_VEC(bool) reported;                   /* names, by number: an item or step has had it */
    TK_VEC(struct tk_timeline_lane *) lanes; /* owned, by number */
    TK_VEC(struct tk_timeline_name) names;   /* by timer */
    struct tk_intern texts;                  /* names of tracks, and every name of a scope once */
    struct tk_map name_index;                /* address in texts -> number of the name */
    struct tk_map track_index;               /* id of a track that is known -> 1 */
    struct tk_map lane_counts;               /* thread -> how many lanes it has */
    uint32_t n_names;
    uint64_t spans, flows;                   /* so far */
    TK_VEC(struct tk_timeline_table) tables; /* that rows come of */
};

/* The next item, all zero but for kind, track and time; NULL when the sink failed (err set). */
struct tk_item *tk_timeline_item(struct tk_timeline *t, uint8_t kind, uint64_t track, int64_t ns, int *rc,
                                 struct tk_err *err);

/* What scopes of a timer begin with, instructed to the sink; NULL with TK_OK: they are to be sent as items.
 * `first`: as in the step that follows. The name is that of the timer now. */
const struct tk_scope_kind *tk_timeline_kind(struct tk_timeline *t, struct tk_timeline_name *name,
                                             const struct tk_fact_timer *timer, bool *first, int *rc,
                                             struct tk_err *err);

/* The next step; NULL when the sink failed (err set). To be filled. */
struct tk_scope_step *tk_timeline_step(struct tk_timeline *t, int *rc, struct tk_err *err);

/* Notes that an item has a name of this number. false: without memory. */
bool tk_timeline_tell_name(struct tk_timeline *t, uint32_t id, bool *first);

/* Hands on the items that wait. TK_OK or what the sink said. */
int tk_timeline_flush(struct tk_timeline *t, struct tk_err *err);

/* Reports a track unless it is known. TK_OK, TK_ENOMEM or what the sink said. */
int tk_timeline_track(struct tk_timeline *t, const struct tk_track *track, struct tk_err *err);

/* Reports the track of a thread unless it is known. As tk_timeline_track. */
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

/*
 * Stacks of scopes, named, for profiles: the call tree in the words of table/cell.h.
 */

/* What stacks begin with: their outermost scope; threads and queues of the GPU, those of one name together;
 * each of these. */
enum tk_stack_roots { TK_ROOTS_SCOPES, TK_ROOTS_NAMES, TK_ROOTS_THREADS };

struct tk_stacks_request {
    struct tk_stacks *stacks; /* borrowed: filled when all is read; begins empty */
    enum tk_stack_roots roots;
};

/*
 * The builder that fills stacks; its table has no rows. Calls are those of `tree`, and those of the GPU:
 * scopes without an end are in no sum. Scopes that touch the selection count whole, or cut to it where the
 * query clips; timers that are not selected are left out, their own time is that of who called them. Borrows
 * the request.
 */
struct tk_builder tk_stacks_builder(struct tk_stacks_request *request);

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

/* Begins empty. The sink is borrowed. TK_OK or TK_ENOMEM. */
int tk_timeline_init(struct tk_timeline *t, const struct tk_timeline_sink *sink, struct tk_err *err);

void tk_timeline_release(struct tk_timeline *t);

/* The builder that takes scopes; its table has no rows. Borrows t. */
struct tk_builder tk_timeline_builder(struct tk_timeline *t);

/* The sink for the tables of tk_timeline_table(). */
struct tk_sink tk_timeline_rows(struct tk_timeline *t);

/* Name of the i-th table whose rows are items; NULL behind the last. Static. */
const char *tk_timeline_table(size_t i);

#endif
