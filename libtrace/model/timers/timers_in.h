/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_MODEL_TIMERS_TIMERS_IN_H
#define TK_MODEL_TIMERS_TIMERS_IN_H

#include "base/vec.h"
#include "model/sums/frame_sums.h"
#include "model/sums/interval_sums.h"
#include "model/sums/timer_sums.h"
#include "model/threads/work_kind.h"
#include "model/timers/call_tree.h"
#include "query/builder.h"
#include "query/context_cells.h"

/*
 * Groups: what the table `groups` (groups.c) sums up by, and how sums become those of groups: stretches of
 * time are known beforehand (group_intervals.c), classes, files and labels when all is read (group_merge.c).
 */

/* What a part is displayed as. */
struct tk_group {
    const struct tk_str *name;
    int64_t begin, end;
    uint32_t number;
    bool is_region, open;
};

struct tk_groups {
    const struct tk_query_context *view;
    unsigned by; /* one of TK_BY_CLASS, ... */
    struct tk_requested_timers requested;
    struct tk_interval_sums *workers;  /* owned; of the first in the end those of all */
    struct tk_label_sums *labels;      /* owned, by worker; NULL but by label */
    struct tk_packed_sums packed;      /* all, when they are merged */
    struct tk_interval_index_now *now; /* owned, by worker; NULL where pieces change too often */
    unsigned n_workers;
    TK_VEC(struct tk_timer_sum_set *)
    sets; /* owned; by class: by lane, NULL: had no run; by file: by worker */
    TK_VEC(struct tk_interval_set) tracks; /* of regions one, of frames one a type */
    struct tk_interval_index covers;       /* of the tracks */
    TK_VEC(struct tk_group) parts;
    struct tk_map by_name;    /* address of a name -> place of its part; of regions: how many there are */
    TK_VEC(uint32_t) threads; /* ids by lane */
    TK_VEC(uint8_t) kinds;    /* likewise: enum tk_lane_kind */
    TK_VEC(struct tk_child_times) children; /* by lane */
    struct tk_intern names;
};

/* Adds a part, which is then the last one of its name. 0, or -1 without memory. */
int tk_groups_add(struct tk_groups *g, const struct tk_group *part);

/* Makes the groups of regions or of types of frames, and the stretches of time that they are. 0, -1 without
 * memory, or 1 when too many of them lie in each other. */
int tk_groups_stretch(struct tk_groups *g);

/* Puts together what workers and lanes summed up, packed in order of group and timer: whoever sorts the rows
 * may hold them all. 0, or -1 without memory. */
int tk_groups_merge(struct tk_groups *g);

/*
 * Columns of the tables `timers` and `gpu`, which are the same but for the name of the lane.
 */

enum tk_timer_column {
    TK_TIMERS_THREAD_ID, /* or of the queue */
    TK_TIMERS_THREAD,
    TK_TIMERS_TIMER,
    TK_TIMERS_KIND,
    TK_TIMERS_FILE_NAME,
    TK_TIMERS_LINE,
    TK_TIMERS_SOURCES,
    TK_TIMERS_PLACES,
    TK_TIMERS_COUNT,
    TK_TIMERS_OPEN,
    TK_TIMERS_INCL,
    TK_TIMERS_TOTAL,
    TK_TIMERS_EXCL,
    TK_TIMERS_WORKING,
    TK_TIMERS_SHARE,
    TK_TIMERS_MIN,
    TK_TIMERS_MAX,
    TK_TIMERS_MEAN,
    TK_TIMERS_MEDIAN,
    TK_TIMERS_P50,
    TK_TIMERS_P90,
    TK_TIMERS_P95,
    TK_TIMERS_P99,
    TK_TIMERS_P999,
    TK_TIMERS_MODE,
    TK_TIMERS_STDDEV,
    TK_TIMERS_FRAME_MEAN,
    TK_TIMERS_FRAME_P95,
    TK_TIMERS_GPU_COLUMNS,
    TK_TIMERS_MORE = TK_TIMERS_GPU_COLUMNS, /* of the thread */
    TK_TIMERS_COLUMNS = TK_TIMERS_MORE + TK_THREAD_MORE
};

#define TK_TIMERS_BIT(column) (UINT64_C(1) << (column))
#define TK_TIMERS_CALL_SKETCH                                                                                \
    (TK_TIMERS_BIT(TK_TIMERS_MODE) | TK_TIMERS_BIT(TK_TIMERS_MEDIAN) | TK_TIMERS_BIT(TK_TIMERS_P50) |        \
     TK_TIMERS_BIT(TK_TIMERS_P90) | TK_TIMERS_BIT(TK_TIMERS_P95) | TK_TIMERS_BIT(TK_TIMERS_P99) |            \
     TK_TIMERS_BIT(TK_TIMERS_P999))
#define TK_TIMERS_PLACE_COLUMNS                                                                              \
    (TK_TIMERS_BIT(TK_TIMERS_KIND) | TK_TIMERS_BIT(TK_TIMERS_FILE_NAME) | TK_TIMERS_BIT(TK_TIMERS_LINE) |    \
     TK_TIMERS_BIT(TK_TIMERS_SOURCES) | TK_TIMERS_BIT(TK_TIMERS_PLACES))
#define TK_TIMERS_FRAME_COLUMNS (TK_TIMERS_BIT(TK_TIMERS_FRAME_MEAN) | TK_TIMERS_BIT(TK_TIMERS_FRAME_P95))

extern const struct tk_table tk_timers_table;
extern const struct tk_table tk_timers_gpu_table;

/*
 * Tables `timers` and `gpu`: what was summed up, and the rows that it becomes.
 */

struct tk_timers {
    const struct tk_query_context *view;
    uint64_t columns;
    unsigned what;                 /* TK_TIMER_SUM_... */
    uint64_t facts;                /* of TK_SCOPE_FACTS; of the table `gpu` GPU_SCOPES alone */
    bool by_thread;                /* or by queue */
    struct tk_timer_sum_sets sets; /* by lane or by worker */
    TK_VEC(uint32_t) threads;      /* by lane: id; only by thread */
    TK_VEC(uint8_t) kinds;         /* likewise: enum tk_lane_kind */
    struct tk_frame_sums frames;   /* with TK_TIMER_SUM_FRAMES */
    uint64_t all_excl;             /* of all timers; modulo 2^64 */
    struct tk_work_rules work;     /* with TK_TIMERS_WORKING */
    TK_VEC(uint32_t) members;      /* timers that are not alone in their keys, by key; see timer_rows.c */
    struct tk_intern texts;
};

/*
 * Places of timers: what the timers of a key have each.
 */

/* Are they wanted, and is there a key with several? */
bool tk_timer_places_wanted(const struct tk_timers *t);

/* Adds what the timers of one set have for themselves to that of another. 0, or -1 if out of memory. */
int tk_timer_sum_merge_sources(struct tk_timer_sum_set *into, const struct tk_timer_sum_set *from);

/* To be called once all is settled, before the others below. 0, or -1 if out of memory. */
int tk_timer_places_order(struct tk_timers *t);

/* Fills the columns about places of a row that has the sums of a key. 0, or -1 if out of memory. */
int tk_timer_places_fill(struct tk_timers *t, const struct tk_timer_sum_set *set, uint32_t key,
                         struct tk_cell *row);

/* Sends a row for each timer of each set, once sets are merged and late timers counted with what they are. */
int tk_timer_rows_send(struct tk_timers *t, struct tk_emit *emit, struct tk_err *err);

/*
 * Rows of call trees: children in order of their time, small ones put together.
 */

/* Columns of the tables of call trees. */
enum {
    TK_TREE_DEPTH,
    TK_TREE_TIMER,
    TK_TREE_COUNT,
    TK_TREE_INCL,
    TK_TREE_EXCL,
    TK_TREE_OPEN_TIME,
    TK_TREE_SHARE,
    TK_TREE_FRAME_MEAN,
    TK_TREE_PRUNED,
    TK_TREE_ID,
    TK_TREE_PARENT_ID,
    TK_TREE_KIND,
    TK_TREE_FILE,
    TK_TREE_LINE,
    TK_TREE_COLUMNS
};

extern const struct tk_column tk_tree_columns[TK_TREE_COLUMNS];

struct tk_tree_form {
    const struct tk_query_context *view;
    const uint32_t *threads; /* ids by lane, for TK_CALL_THREAD */
    const uint8_t *kinds;    /* of the lanes: enum tk_lane_kind */
    size_t n_threads;
    uint64_t n_frames; /* game frames that frame_mean is of; 0: none */
    unsigned depth;    /* 0: all */
    double min_share;
    bool filters; /* --timer: only stacks that lead to a timer that is selected */
};

/* Sends the rows of a tree, parents before their children; threads get the sums of what lies below them.
 * TK_OK, TK_ENOMEM or what the sink said. */
int tk_tree_rows_send(const struct tk_tree_form *form, struct tk_call_tree *t, struct tk_emit *emit,
                      struct tk_err *err);

#endif
