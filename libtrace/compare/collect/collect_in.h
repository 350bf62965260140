/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_IN_H
#define TK_COMPARE_COLLECT_COLLECT_IN_H

#include "base/hash.h"
#include "compare/baseline/baseline.h"
#include "model/frames/frame_classes.h"
#include "model/marks/bookmark_range.h"
#include "model/marks/counting.h"
#include "model/memory/memory_model.h"
#include "model/memory/memory_names.h"
#include "model/samples/sample_stacks.h"
#include "model/scopes/call_paths.h"
#include "model/sums/timer_sums.h"
#include "query/context.h"
#include "query/context_cells.h"
#include "query/dict.h"
#include "query/slices.h"

/*
 * Frames of a run being collected: which frames of the capture belong to the run, and the block of each. Part
 * of collect.c.
 */

struct tk_collect_frames {
    const struct tk_frames *frames; /* of the capture; borrowed, as the next two */
    const struct tk_select *select;
    struct tk_base_run *run;
    uint32_t *block; /* owned; by frame of the capture; TK_COLLECT_NO_BLOCK: it is none of the run */
    uint8_t usual;   /* the class that most frames are in */
    uint8_t *class;  /* owned; by block: the first part of what is in the same segments */
};

#define TK_COLLECT_NO_BLOCK UINT32_MAX

/* When all is read: judges the frames of the run among all of the capture. 0, or -1 without memory. */
int tk_collect_frames_judge(struct tk_collect_frames *f, const struct tk_loading_frames *screens);

/* Gives the run, whose frequency is known, its frames, blocks and segments. TK_OK, TK_ENOMEM, TK_EMATCH where
 * there are no frames; to be released also then. */
int tk_collect_frames_init(struct tk_collect_frames *f, const struct tk_query_context *view,
                           struct tk_base_run *run, struct tk_err *err);
/* The recording was read: a run whose unit is itself gets its length, and a note of that. 0, or -1 if
 * out of memory. */
int tk_collect_frames_end(struct tk_collect_frames *f, const struct tk_query_context *view);
void tk_collect_frames_release(struct tk_collect_frames *f);

/* The block of a frame of the capture, or SIZE_MAX. */
static inline size_t tk_collect_block_of(const struct tk_collect_frames *f, size_t frame)
{
    if (frame >= f->frames->n || f->block[frame] == TK_COLLECT_NO_BLOCK)
        return SIZE_MAX;
    return f->block[frame];
}

/* When and where a frame of the run was in the capture. */
static inline const struct tk_range *tk_collect_range(const struct tk_collect_frames *f, size_t frame)
{
    return &f->frames->v[f->run->numbers ? f->run->numbers[frame] : frame];
}

/* The frame of the capture that a time lies in, in cycles since the start, or SIZE_MAX. */
size_t tk_collect_frame_at(const struct tk_collect_frames *f, int64_t time);

/* The block that a time lies in, in cycles since the start, or SIZE_MAX. */
size_t tk_collect_block_at(const struct tk_collect_frames *f, int64_t time);

/*
 * What single frames of a run being collected took, of the timers that somebody watches (struct tk_watch).
 * Part of collect.c; without a watch it costs nothing.
 */

/* Who is watched. Zero-initialise, then tk_collect_watch_init. */
struct tk_collect_watch {
    const struct tk_watch *of;              /* borrowed; NULL: nobody */
    const struct tk_collect_frames *frames; /* borrowed */
    TK_VEC(uint32_t) marks;                 /* by timer: TK_WATCH_... */
};

#define TK_WATCH_SLOT                                                                                        \
    UINT32_C(0x7fffffff)                    /* 1 + the first of those watched that has its name; 0: none has \
                                             */
#define TK_WATCH_WAITS UINT32_C(0x80000000) /* it is not among those that work */

void tk_collect_watch_init(struct tk_collect_watch *w, const struct tk_watch *of,
                           const struct tk_collect_frames *frames);

/* Learns names of timers. 0, or -1 if out of memory. */
int tk_collect_watch_feed(struct tk_collect_watch *w, const struct tk_batch *batch);

/* What a timer is, by its name. */
uint32_t tk_collect_watch_mark(const struct tk_collect_watch *w, const struct tk_str *name);

void tk_collect_watch_release(struct tk_collect_watch *w);

/* Times of those watched on the threads of a class, or a queue. Zero-initialised it watches nobody. */
struct tk_watched_sums {
    const struct tk_collect_watch *watch; /* borrowed */
    bool all;                             /* the timers of the class that work are watched together */
    int64_t **v; /* owned: 0 the ones that work, then of each slot; by frame of the capture; NULL: none */
};

/* 0, or -1 if out of memory; to be released also then. */
int tk_watched_sums_init(struct tk_watched_sums *s, const struct tk_collect_watch *watch, uint8_t lane_kind,
                         const struct tk_str *class);
int tk_watched_sums_take(struct tk_watched_sums *s, const struct tk_slices *slices);
int tk_watched_sums_merge(struct tk_watched_sums *into, const struct tk_watched_sums *from);

/* The frames of a timer are not known: its name came too late. */
void tk_watched_sums_forget(struct tk_watched_sums *s, const struct tk_str *name);

/* Gives the run what there is, as of a group of series. 0, or -1 if out of memory. */
int tk_watched_sums_tell(const struct tk_watched_sums *s, struct tk_base_run *run, uint8_t kind,
                         const struct tk_str *group);
void tk_watched_sums_release(struct tk_watched_sums *s);

/*
 * Sums by timer of a run being collected, kept per worker for the lanes of a class of threads. They are
 * integers, so the result does not depend on which worker processed which calls. Part of collect.c.
 */

/* Where in the run calls were. In parts of the usual class are those that are not elsewhere. */
struct tk_call_times {
    struct tk_run_part_sum parts[TK_CALL_PATH_SUMS]; /* that of the usual class stays empty */
    struct tk_run_part_sum outside;                  /* of all blocks */
    int64_t blocks[];                                /* own cycles, n_blocks of the run */
};

/* What is kept of the calls of a timer alongside the sums that all tables of timers have. */
struct tk_call_sum {
    struct tk_call_times *times; /* owned; NULL: no call */
    uint64_t *calls;  /* owned; cycles of the first TK_SERIES_EXACT calls; NULL: none, or more than these */
    uint32_t n_calls; /* of them; TK_SERIES_EXACT + 1: more */
};

/* Zero-initialise, then tk_collect_calls_init. */
struct tk_collect_calls {
    const struct tk_collect_frames *frames; /* borrowed */
    struct tk_timer_sum_set cells;
    TK_VEC(struct tk_call_sum *) pages; /* owned, of TK_TIMER_SUM_PAGE timers */
    TK_VEC(struct tk_call_sum *) late;
    struct tk_watched_sums watched;
    TK_VEC(uint8_t) parts; /* of the slices taken last: the parts of the run that they are in */
};

void tk_collect_calls_init(struct tk_collect_calls *c, const struct tk_collect_frames *frames);

/* Adds slices, and sets `parts` for each: TK_CALL_PATH_NO_SUM outside of the blocks. 0, or -1 if out of
 * memory. */
int tk_collect_calls_take(struct tk_collect_calls *c, const struct tk_slices *s);

/* A timer and what its calls sum up to. */
struct tk_calls_entry {
    uint32_t timer;
    struct tk_timer_sum_cell *cell;
    struct tk_call_sum *sum;
};

/* The next timer that has calls: 1, 0 at the end, -1 if out of memory. *at begins with 0. In the order of
 * tk_timer_sum_next. */
int tk_collect_calls_next(struct tk_collect_calls *c, size_t *at, struct tk_calls_entry *out);

/* The sums of a part of the run. */
struct tk_run_part_sum tk_collect_calls_part(const struct tk_collect_calls *c, const struct tk_calls_entry *e,
                                             size_t part);

/* Adds what another worker has. 0, or -1 if out of memory. */
int tk_collect_calls_merge(struct tk_collect_calls *into, struct tk_collect_calls *from);

void tk_collect_calls_release(struct tk_collect_calls *c);

/*
 * Loading times of a run being collected: in all, by operation and by package. Part of collect.c.
 */

#define TK_COLLECT_LOADING_FACTS (TK_FACT_MASK(PACKAGE) | TK_FACT_MASK(LOAD_STEP))

/* Packages that have a series: those that took the longest. */
#define TK_LOADING_PACKAGES 256u

struct tk_loading_sum {
    uint32_t package;
    const struct tk_str *name; /* of the run; NULL: not reported */
    uint64_t count;
    int64_t own;
    uint64_t most;
};

struct tk_collect_loading {
    const struct tk_query_context *view; /* borrowed, as the next */
    struct tk_base_run *run;
    TK_VEC(struct tk_loading_sum) packages;
    struct tk_map index; /* id of the package -> place */
    struct tk_loading_sum operations[TK_LOAD_OPS];
    uint64_t left_out; /* steps of packages beyond the limit on rows */
};

void tk_collect_loading_init(struct tk_collect_loading *l, const struct tk_query_context *view,
                             struct tk_base_run *run);
int tk_collect_loading_feed(struct tk_collect_loading *l, const struct tk_batch *batch, struct tk_err *err);

/* Makes the series: "loading" of everything, of group "" ; operations of group "operation"; packages of group
 * "package". Own time is that of the steps without those inside them. */
int tk_collect_loading_finish(struct tk_collect_loading *l, struct tk_err *err);
void tk_collect_loading_release(struct tk_collect_loading *l);

/*
 * Memory of a run being collected: the peak and the final size of live allocations of each tag. Part of
 * collect.c.
 */

#define TK_COLLECT_MEMORY_FACTS (TK_MEMORY_FACTS | TK_FACT_MASK(MEMORY_TAG))

/* Moments of a block at which is looked what is alive. */
#define TK_MEMORY_LOOKS 8u

struct tk_collect_memory {
    struct tk_base_run *run; /* borrowed, as frames */
    const struct tk_collect_frames *frames;
    struct tk_memory model;
    struct tk_memory_names names;
    int64_t
        until; /* cycles since the start: the first frame begins, then a frame ends behind which is looked */
    size_t frame;    /* that one; of the run */
    uint32_t *looks; /* owned; by block: how often was looked */
    bool started, reached;
    bool watched;           /* the frames of peaks are wanted */
    TK_VEC(double *) alive; /* owned; by group: sums of bytes alive, by block */
    TK_VEC(uint64_t) then;  /* bytes alive of each group when it was reached */
};

/* Must stay where it is. 0, or -1 if out of memory; to be released also then. */
int tk_collect_memory_init(struct tk_collect_memory *m, const struct tk_query_context *view,
                           const struct tk_collect_frames *frames, const struct tk_watch *watch);
int tk_collect_memory_feed(struct tk_collect_memory *m, const struct tk_batch *batch, struct tk_err *err);

/* Makes the series: one a tag and root heap, named by the tag, of group "allocations" or the name of the
 * heap; and "all allocations", of group "". `first` is what was alive at the first frame; values of blocks
 * are what was alive behind some of their frames. */
int tk_collect_memory_finish(struct tk_collect_memory *m, struct tk_emit *emit, struct tk_err *err);
void tk_collect_memory_release(struct tk_collect_memory *m);

/*
 * Call paths of a run being collected: own time by node for each lane, then merged over the lanes of a class
 * of threads. Paths that take too little time are dropped. Part of collect.c.
 */

/* A path is kept from this share of the time of all frames on, and where one below it is. */
#define TK_PATH_SHARE 0.001

/* What a lane spent on a stack. */
struct tk_lane_path {
    uint64_t count;
    int64_t own;                      /* cycles without what was called */
    int64_t parts[TK_CALL_PATH_SUMS]; /* of it, in each part of the run */
};

/* Zero-initialise to begin. */
struct tk_lane_paths {
    TK_VEC(struct tk_lane_path) v; /* by node; may be fewer than there are nodes */
    const struct tk_paths *paths;  /* of the scope model; NULL until there was a slice */
};

/* Adds slices of a lane, with TK_SLICE_PATH; parts[i] is the part that slice i belongs to, or
 * TK_CALL_PATH_NO_SUM. 0, or -1 if out of memory. */
int tk_lane_paths_take(struct tk_lane_paths *p, const struct tk_slices *s, const uint8_t *parts);

void tk_lane_paths_release(struct tk_lane_paths *p);

struct tk_collect_paths {
    struct tk_base_run *run; /* borrowed */
    TK_VEC(struct tk_path) paths;
    struct tk_map index; /* parent and timer -> index in paths */
    TK_VEC(uint32_t) places;
    size_t limit;
    uint64_t left_out; /* calls */
};

void tk_collect_paths_init(struct tk_collect_paths *p, struct tk_base_run *run, size_t limit);

/* Adds the paths of a lane. timer_of: the series of a timer, NULL for none: what is below it then counts for
 * what is above. 0, or -1 if out of memory. */
int tk_collect_paths_add(struct tk_collect_paths *p, const struct tk_lane_paths *lane,
                         const struct tk_series *(*timer_of)(void *ctx, uint32_t timer), void *ctx);

/* Gives the run its paths, in an order that follows from their names. 0, or -1 if out of memory. */
int tk_collect_paths_finish(struct tk_collect_paths *p);

void tk_collect_paths_release(struct tk_collect_paths *p);

/*
 * Stack samples of a run being collected: by function, and by function inside of each timer. Part of
 * collect.c.
 */

#define TK_COLLECT_SAMPLES_FACTS TK_SAMPLE_STACK_FACTS

/* The samples of a thread with scopes: a part of the moments that were read beforehand. */
struct tk_sampled_lane {
    size_t first, n;
    size_t passed; /* of them: before the end of the last scope */
};

struct tk_collect_samples {
    const struct tk_query_context *view; /* borrowed; NULL: there are none */
    const struct tk_collect_frames *frames;
    struct tk_sample_stacks stacks;
    uint32_t *timers;                       /* owned; by moment: the innermost scope around it */
    TK_VEC(struct tk_sampled_lane *) lanes; /* owned; by lane; NULL: none of a thread */
};

/* Is it worth reading them? Not of calls that are selected by their timers. */
bool tk_collect_samples_has(const struct tk_query_context *view);

/* The struct must stay where it is. 0, or -1 if out of memory. */
int tk_collect_samples_init(struct tk_collect_samples *c, const struct tk_query_context *view,
                            const struct tk_collect_frames *frames);
int tk_collect_samples_feed(struct tk_collect_samples *c, const struct tk_batch *batch);
int tk_collect_samples_take(struct tk_collect_samples *c, const struct tk_slices *slices);

/* Makes the series: one without a name for all samples, one of each function and module, and one of each
 * timer and function inside of it. What has no function goes by its module. */
int tk_collect_samples_finish(struct tk_collect_samples *c);
void tk_collect_samples_release(struct tk_collect_samples *c);

/*
 * The layout of a run being collected: the block of each frame, and the segments of each block. Part of
 * collect.c.
 */

/* Frames of the warm-up: as many, but no more than an eighth of the run. */
#define TK_WARMUP_FRAMES 64u

/* Regions of so many names have a segment, those that take the most frames; the rest is counted. */
#define TK_SEGMENT_REGIONS 24u

/*
 * Lays out the blocks of the frames there are, and makes the segments: the warm-up, and a segment for all
 * regions of a name that have a frame's begin in them. `begins`: when each frame of the run began, in cycles.
 * regions may be NULL. 0, or -1 if out of memory.
 */
int tk_collect_segments(struct tk_base_run *run, const int64_t *begins, const struct tk_region_list *regions);

/*
 * Series of timers of a run being collected: timers with the same name, kind and file on the threads of a
 * class become one series. Part of collect.c.
 */

/* Whose calls are summed up together: threads of a class, or a queue of a GPU. */
struct tk_collect_class {
    uint8_t kind;                   /* enum tk_lane_kind */
    uint32_t queue;                 /* of a GPU */
    const struct tk_str *name;      /* of threads; of the names of the run */
    size_t lanes;                   /* so far */
    struct tk_collect_calls *calls; /* owned; as many as workers: one a lane, or where there are more of
                                       these, one a worker */
    struct tk_map series;           /* timer -> index of its series in the run */
};

struct tk_collect_series {
    struct tk_base_run *run; /* borrowed */
    struct tk_dict *dict;    /* borrowed; all is read */
    struct tk_map index;     /* what a series is -> index in the run */
};

/* Makes series of the calls of a class, and forgets these. Each has the line of the first of its timers. 0,
 * or -1 if out of memory. */
int tk_collect_series_add(struct tk_collect_series *s, struct tk_collect_class *class, unsigned workers);

/* What a class is called in series; NULL if out of memory. */
const struct tk_str *tk_collect_group(struct tk_base_run *run, const struct tk_dict *dict,
                                      const struct tk_collect_class *class);

/* The series of a timer on a class, with its index in *out: 1; 0 where none of its scopes has ended; -1 if
 * out of memory. */
int tk_collect_series_find(struct tk_collect_series *s, struct tk_collect_class *class, uint32_t timer,
                           uint32_t *out);

/* All classes were added: puts the single calls of each series in order. */
void tk_collect_series_settle(struct tk_base_run *run);

void tk_collect_series_release(struct tk_collect_series *s);

/*
 * Identity of a run being collected: the session that its capture states. Part of collect.c.
 */

/* Gives the run the session items that are texts or whole numbers, as texts, and `time`, when it was
 * recorded, where that is known; of a host that is reported in lines its parts. 0, or -1 if out of memory. */
int tk_collect_session(struct tk_base_run *run, const struct tk_dict *dict);

/* Notes of a run whose duration is known that it ended in a crash, or in a fatal error: a message (which is
 * NUL-terminated) at fatal_at, in the last second and with no more than two whole frames behind it. 0, or -1.
 */
int tk_collect_end(struct tk_base_run *run, const struct tk_frames *frames, const char *fatal,
                   int64_t fatal_at);

/*
 * Values of a run being collected that are not scopes: counters, memory tags, log errors. Part of collect.c.
 */

#define TK_COLLECT_VALUES_FACTS (TK_COUNTING_FACTS(COUNTER_VALUE) | TK_COUNTING_FACTS(TAG_VALUE))

struct tk_collect_values;

struct tk_collect_counter {
    struct tk_series *series; /* the run's; NULL: no value yet */
    uint32_t times;           /* 1 + index of its watched frames in the run; 0: it is not watched */
    bool framed;              /* it had a value since the first frame began */
};

/* Counters of a kind. */
struct tk_collect_counters {
    struct tk_collect_values *of;
    struct tk_counting counting;
    TK_VEC(struct tk_collect_counter) v; /* by counter */
    uint8_t kind;                        /* of the series */
};

struct tk_collect_values {
    const struct tk_query_context *view; /* borrowed, as the next two */
    struct tk_base_run *run;
    const struct tk_collect_frames *frames;
    const struct tk_watch *watch; /* may be NULL */
    struct tk_collect_counters counters[2];
    struct tk_series *errors; /* of the log; the run's */
    uint32_t error_times;     /* as of counters */
    char fatal[160];          /* the begin of the last fatal message; NUL-terminated */
    int64_t fatal_at;         /* when that was; INT64_MIN: there was none */
};

/* The struct must stay where it is. TK_OK or TK_ENOMEM. */
int tk_collect_values_init(struct tk_collect_values *v, const struct tk_query_context *view,
                           struct tk_base_run *run, const struct tk_collect_frames *frames,
                           const struct tk_watch *watch, struct tk_err *err);
int tk_collect_values_feed(struct tk_collect_values *v, const struct tk_batch *batch, struct tk_err *err);

/* Names the series. */
int tk_collect_values_finish(struct tk_collect_values *v, struct tk_err *err);
void tk_collect_values_release(struct tk_collect_values *v);

#endif
