/*
 * Baseline: the data stored for runs of a program so that they can be compared: per run its identity, its
 * frame times in order, and per series (a timer on a class of threads, a pass of a GPU, a counter, memory of
 * a tag, the errors of the log, what loading took) exact sums, a sketch, and sums over consecutive blocks of
 * frames; then the paths of calls that take the most. Segments (the warm-up, the regions of each name) are
 * sets of blocks, whose borders lie where segments begin and end. Runs lie side by side and are never pooled.
 * Filled by collect.h and baseline_read.c, cut to segments by segments.h, written by baseline_write.c,
 * compared by compare.h.
 *
 * Times are in cycles of the clock of their run.
 */
#ifndef TK_COMPARE_BASELINE_BASELINE_H
#define TK_COMPARE_BASELINE_BASELINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/text/intern.h"
#include "base/text/text.h"
#include "base/vec.h"
#include "judge/clip.h"
#include "judge/work.h"
#include "judge/smoothness.h"
#include "judge/timer_key.h"
#include "table/sink.h"
#include "table/sketch.h"

enum tk_series_kind {
    TK_SERIES_TIMER,   /* scopes of a timer on threads of a class */
    TK_SERIES_GPU,     /* the same on queues of a GPU of one name */
    TK_SERIES_COUNTER, /* values that a counter was set to */
    TK_SERIES_MEMORY,  /* bytes of a memory tag */
    TK_SERIES_LOG,     /* messages of the log that are errors */
    TK_SERIES_LOADING, /* steps of loading: all, by operation, by package */
    TK_SERIES_SAMPLES, /* stack samples whose innermost function it is; group: its module; no name: all */
    TK_SERIES_INSIDE,  /* those of them inside of a timer, which is the group; file: the module */
    TK_SERIES_KINDS
};

/* Parts of a run that own times are split into; see `part` of a run. */
#define TK_CALL_PATH_SUMS   8u
#define TK_CALL_PATH_NO_SUM UINT8_MAX

/* Calls whose times are kept one by one. */
#define TK_SERIES_EXACT 64u

/* Calls of a series in a part of the run. */
struct tk_run_part_sum {
    uint64_t count, total; /* cycles */
};

/* A frame in which a timer took more than others let it (judge/clip.h). */
struct tk_great_frame {
    uint32_t frame; /* of the run, from 0 */
    uint64_t own;   /* cycles of scopes that ended in it */
};

struct tk_greatest {
    uint64_t limit;           /* cycles of a frame; 0: there is none */
    struct tk_great_frame *v; /* beyond it, in order */
    uint32_t n;
};

/*
 * One series of a run. For counters and memory the times are values: `blocks` are sums of them in each block,
 * and `hits` how many there were; for the others `hits` is NULL.
 */
struct tk_series {
    uint8_t kind;       /* enum tk_series_kind */
    uint8_t timer_kind; /* enum tk_timer_kind of timers */
    bool real;          /* counters: a real number was among the values */
    bool by_file;       /* timers: the file is part of what it is (judge/timer_key.h) */
    uint32_t line;
    const struct tk_str *name, *group, *file; /* of the names of the run; file may be empty. Of several places
                                                 the file and line of the one with the most own time */
    struct tk_series *
        *places; /* owned, as they are by the run's arena; of several places of the sources what
                    each has: file, line, count, own, blocks; by file and line. NULL: one place */
    uint32_t n_places;
    const struct tk_series *merged; /* what it became a part of; NULL: it is in no other */
    uint64_t count;                 /* calls, values, messages */
    uint64_t total, incl;           /* cycles of all calls, and of outermost ones */
    int64_t own;                    /* cycles without scopes begun inside */
    uint64_t min, max;              /* cycles of a call */
    uint64_t *exact; /* owned; cycles of the calls, ascending; NULL: packed, or more than TK_SERIES_EXACT */
    struct tk_sketch sketch;       /* of cycles of calls; TK_SKETCH_CALLS; of files see packed */
    const uint8_t *packed;         /* `exact` or the sketch as in files, by the count, checked; it lies as
                                      packed_blocks does; NULL: `sketch` or `exact` */
    size_t packed_size;            /* call_walk.h reads all three */
    double first, last, low, high; /* counters, memory; first: from the begin of the first frame on */
    double
        *blocks; /* in the run; n_blocks of it: own cycles, or sums of values; of files see packed_blocks */
    const uint8_t *packed_blocks;  /* where `blocks` is NULL: they as in files, checked; nothing is zeros */
    size_t packed_blocks_size;     /* block_walk.h reads both */
    double packed_sum;             /* of packed_blocks */
    uint32_t *hits;                /* owned; NULL but for counters and memory */
    struct tk_run_part_sum *parts; /* owned; TK_CALL_PATH_SUMS; NULL: nothing in any */
    struct tk_greatest *greatest;  /* in the run; of timers that take long enough; NULL: not known */
};

/* Calls of a timer below the same calls. Parents come before their children. */
struct tk_path {
    uint32_t parent;               /* 1 + index of the path it is called in; 0: none */
    const struct tk_series *timer; /* of the run */
    uint64_t count;
    int64_t own;   /* cycles without what was called */
    bool reported; /* it takes long enough to be reported; else it is there for those below it */
    int64_t parts[TK_CALL_PATH_SUMS]; /* own cycles in each part of the run */
};

/* What a series comes to in a run. */
struct tk_run_value {
    uint8_t kind; /* enum tk_series_kind: timers, passes, loading, memory, counters */
    const struct tk_str *name, *group;
    const struct tk_str *parent; /* of timers: the timer that calls it most; NULL: not known */
    bool increases;              /* of a counter that only rises: its increase a frame */
    double value; /* own cycles; loading: cycles of outermost steps; most bytes; mean of a counter */
};

struct tk_run_values {
    struct tk_run_value *v; /* owned */
    size_t n, cap;
};

enum tk_segment_kind { TK_SEGMENT_WARMUP, TK_SEGMENT_REGION };

/* Some blocks of a run. */
struct tk_run_segment {
    uint8_t kind;              /* enum tk_segment_kind */
    const struct tk_str *name; /* of the names of the run; empty: the warm-up */
    uint8_t *has;              /* owned; n_blocks of the run, 1 where a block is in it */
};

/* What a reading of the capture warns of, a kind of faults each. */
enum tk_fault_tier { TK_FAULT_CUT_OFF, TK_FAULT_LOST, TK_FAULT_DAMAGE, TK_FAULT_TIERS };

struct tk_base_fault {
    uint8_t tier;                     /* enum tk_fault_tier */
    uint64_t count;                   /* faults of the kind */
    const struct tk_str *kind, *text; /* as in the table health; the text of the first */
};

/* A metric of the user, as it was measured in the run (query/metrics.h). */
struct tk_base_metric {
    const struct tk_str *name, *unit;
    uint8_t better, source;    /* enum tk_metric_better, tk_metric_source */
    bool measured;             /* else it has no value */
    uint64_t hash;             /* of its definition */
    double value;              /* in its unit */
    double floor, floor_ratio; /* changes below it do not count */
};

/* Where a frame was drawn, in steps of the run (baseline.h). */
struct tk_run_step {
    int64_t at[3];
    bool known;
};

struct tk_watched_frames;

/* The first reason of a hitch. */
struct tk_base_hitch {
    uint32_t number;             /* of its frame, as `numbers` of the run have it */
    uint64_t frame;              /* as the table `hitches` counts */
    uint8_t role;                /* enum tk_role */
    const struct tk_str *thread; /* class of threads, or the queue */
    const struct tk_str
        *timer;    /* or "(outside every scope)", "(on no core)"; empty: no reason was recorded */
    double excess; /* ms more than typical frames */
    /* The cause: the same, or where the thread waited and it is known for what, that. */
    uint8_t cause_role;
    const struct tk_str *cause_thread, *cause;
    double growth; /* ms by which it grew; below a quarter of the excess the cause is unclear */
};

/* A long frame of a run, and what its capture recorded of the screen nearest to it. Files of baselines do not
 * have it. */
struct tk_run_picture {
    uint64_t frame;
    int64_t begin, length, time; /* nanoseconds; time: of the picture */
    char *file;                  /* owned: a picture as a page has it */
    size_t bytes;
    const char *kind; /* "png" or "jpg". Static */
};

struct tk_base_run {
    uint64_t hash;      /* of bytes of the capture, and its size */
    uint64_t frequency; /* units of time a second: cycles, or parts of them (fact.h) */
    uint64_t duration;  /* in these units */
    struct tk_intern names;
    TK_VEC(struct tk_run_fact) session;  /* what the capture says of itself */
    TK_VEC(struct tk_base_fault) faults; /* what its reading warned of */
    TK_VEC(struct tk_run_fact) said;     /* what else is known */
    TK_VEC(uint64_t) frames;             /* cycles of each game frame, in order */
    TK_VEC(uint64_t)
    gaps; /* cycles before each frame, since the one before it or the start; empty: not known */
    struct tk_judged_frames judged;         /* of the frames, by the rule "local"; see tk_base_run_judge */
    TK_VEC(struct tk_base_hitch) reasons;   /* of hitches, in order of their frames */
    TK_VEC(struct tk_run_picture) pictures; /* the longest frame first; see tk_baseline_add_pictures */
    TK_VEC(struct tk_base_metric) metrics;
    bool knows_reasons;    /* there is one of each; else none is known */
    bool knows_loading;    /* it is known which frames are loading screens; else none of them says so */
    uint32_t block_frames; /* frames of a block at most, a power of two */
    uint32_t n_blocks;
    uint8_t *part;     /* owned; of each block: the part of the run, of TK_CALL_PATH_SUMS, that it is in */
    uint32_t *numbers; /* owned; of each frame: its number in the capture; NULL: that in the run */
    double *begins;    /* owned; of each frame, in ms since the start of the capture; NULL: as the gaps say */
    uint32_t *starts;  /* owned; first frame of each block, then the number of frames */
    TK_VEC(struct tk_run_segment) segments;
    uint32_t lost_regions;             /* names of regions that there was no space for */
    TK_VEC(struct tk_series *) series; /* sorted by kind, group, name, file, line */
    struct tk_arena series_space;      /* what they lie in */
    uint8_t *file; /* owned; the file that packed bytes of series lie in; NULL: they are in series_space */
    TK_VEC(struct tk_path) paths;
    uint64_t lost_calls;                             /* that there was no space for among the paths */
    TK_VEC(struct tk_watched_frames) watched_frames; /* not in files */
    const struct tk_base_run *copy_of;               /* what has the watched frames; NULL: itself. Borrowed */
    TK_VEC(struct tk_run_step) places;               /* of each frame; none: they are not known */
    double step;                                     /* of places */
    const struct tk_str *place_source;               /* of places: --position; empty: the usual one */
    char unknown[5]; /* tag of a section of the file that is not known, and would be lost; else empty */
    struct tk_run_values values; /* of what is brief, whose texts lie in `file`; else nothing */
    bool brief;                  /* read for its values alone: no blocks, segments, series and paths */
    bool torn; /* cut within a part: calls and paths of what is left are not known; not in files */
};

/* Series whose single frames are kept for whom they are wanted by, alongside blocks of frames. */
struct tk_watched {
    uint8_t kind;               /* enum tk_series_kind */
    const struct tk_str *name;  /* NULL: all timers of the group that do not wait, together */
    const struct tk_str *group; /* NULL: any */
};

struct tk_watch {
    TK_VEC(struct tk_watched) v;
    bool (*waits)(const struct tk_str *name); /* does a timer of that name wait? */
};

#define TK_BASELINE_NOTE 256

struct tk_baseline {
    TK_VEC(struct tk_base_run *) runs; /* owned */
    const struct tk_watch *watch;      /* of the captures to come; NULL: nothing. Borrowed */
    uint32_t lost_regions; /* names of regions that a run had no space for, where patterns cut the runs */
    char note[TK_BASELINE_NOTE]; /* what a report has to say of how the runs were chosen; may be empty */
};

/* Frames of a block at most; fewer where a run is short, more where it is very long. */
#define TK_BLOCK_FRAMES 64u

/* Frames of a block in a run of n frames: about 64 blocks, of 4 frames at least; at most 64 frames unless
 * that were more than 160 blocks. */
uint32_t tk_block_frames(uint64_t n);

/* A run without anything; NULL if out of memory. */
struct tk_base_run *tk_base_run_new(void);
void tk_base_run_free(struct tk_base_run *run);

/* Lays out the blocks of the frames there are: of block_frames each, and beginning anew at each of the n
 * edges (numbers of frames, ascending). 0, or -1 if out of memory. */
int tk_base_run_lay(struct tk_base_run *run, const uint32_t *edges, size_t n);

/* Adds a segment without blocks; NULL if out of memory. */
struct tk_run_segment *tk_base_run_segment(struct tk_base_run *run, uint8_t kind, const struct tk_str *name);

/* The block of a frame of the run, or SIZE_MAX. */
size_t tk_base_run_block(const struct tk_base_run *run, size_t frame);

struct tk_metric;

/* Adds a metric with its value in the run, NaN for none. 0, or -1 if out of memory. */
int tk_base_run_measured(struct tk_base_run *run, const struct tk_metric *metric, double value);

/* Makes a series with blocks of zeros; it is the run's. NULL if out of memory. A bare one has no names
 * yet and no space for calls one by one, which tk_series_keep_calls makes, and its blocks are packed ones of
 * zeros. */
struct tk_series *tk_base_run_add(struct tk_base_run *run, uint8_t kind);
struct tk_series *tk_base_run_add_bare(struct tk_base_run *run, uint8_t kind);
int tk_series_keep_calls(struct tk_series *s); /* 0, or -1 if out of memory */

/* Unpacks the blocks of a series, so that they can be changed. 0, or -1 if out of memory. */
int tk_base_run_unpack(struct tk_base_run *run, struct tk_series *s);

/* Releases what a series owns; it lies in its run. */
void tk_base_series_release(struct tk_series *s);

/* The number of calls is known: there may be too many to keep them one by one. */
void tk_series_settle(struct tk_series *s);

/* Times of single calls are not known, only their sums. */
void tk_series_forget_calls(struct tk_series *s);

/* Puts the series in their order, and makes one of what nothing distinguishes: values of such counters are
 * together, bytes of such tags are added up, and so are timers that files of before have by place. 0, or -1
 * if out of memory. */
int tk_base_run_tidy(struct tk_base_run *run);

/* Appends what each series of a run comes to, in their order, but for errors of the log and samples; those
 * that come to no number are left out. Its texts are the run's. 0, or -1 if out of memory. */
int tk_base_run_values(const struct tk_base_run *run, struct tk_run_values *out);

/* Does a counter rise from each block with values to the next, in eight blocks or more, and never fall? Then
 * it counts what there was so far, and its values say less than its increase: by block, twice that since the
 * one before it, and the halves of frames that it took (both NULL, or space for all blocks). What is cut out
 * of a run is no increase. */
bool tk_series_increases(const struct tk_base_run *run, const struct tk_series *s, double *blocks,
                         uint32_t *halves);

/* *out: that increase a frame; NaN where it is no such counter. 0, or -1 if out of memory. */
int tk_series_increase(const struct tk_base_run *run, const struct tk_series *s, double *out);

/* The place of a series at a file and line, made where there is none: once there are several they are its
 * `places`, whose counts, own times and blocks the caller adds to. The series itself as long as it has no
 * other place. NULL if out of memory. */
struct tk_series *tk_series_place(struct tk_base_run *run, struct tk_series *s, const struct tk_str *file,
                                  uint32_t line);

/* The places in their order, and the file and line of the greatest as those of the series. */
void tk_series_settle_places(struct tk_series *s);

/* The number of places, and each of them: the series itself where it has one. */
static inline size_t tk_series_n_places(const struct tk_series *s)
{
    return s->n_places ? s->n_places : 1;
}

static inline const struct tk_series *tk_series_place_at(const struct tk_series *s, size_t i)
{
    return s->n_places ? s->places[i] : s;
}

/* Functions of a run that have a series, and functions inside of a timer: those with the most samples. With
 * fewer than these it has all that were sampled. */
#define TK_SAMPLED_FUNCTIONS 256u

/* Is it a series of calls with a sketch of their times? */
static inline bool tk_series_has_calls(uint8_t kind)
{
    return kind == TK_SERIES_TIMER || kind == TK_SERIES_GPU;
}

/* Order of the names of what is compared: kind, group, name, class of timers (judge/timer_key.h). */
static inline int tk_series_compare_names(const struct tk_series *a, const struct tk_series *b)
{
    int c = (a->kind > b->kind) - (a->kind < b->kind);
    c = c ? c : tk_str_order(a->group, b->group);
    c = c ? c : tk_str_order(a->name, b->name);
    const enum tk_timer_class x = tk_timer_class_of(a->timer_kind), y = tk_timer_class_of(b->timer_kind);
    return c ? c : (x > y) - (x < y);
}

/* Order of series of any two runs, which are of one thing where it is 0: the same, and the file where it is
 * part of that. */
static inline int tk_series_compare(const struct tk_series *a, const struct tk_series *b)
{
    const int c = tk_series_compare_names(a, b);
    if (c || !tk_series_has_calls(a->kind))
        return c ? c : tk_str_order(a->file, b->file);
    if (a->by_file && b->by_file)
        return tk_str_order(a->file, b->file);
    return a->by_file - b->by_file;
}

/* Is it counted: how often there was something in each block? */
static inline bool tk_series_is_counted(uint8_t kind)
{
    return kind == TK_SERIES_LOG || kind == TK_SERIES_SAMPLES || kind == TK_SERIES_INSIDE;
}

/* Is it of allocations, whose peak is exact and of the whole run, while what is alive was looked at now and
 * then? They have counts of allocations and no least value, and other memory counts its values in blocks; of
 * files of before also others. */
bool tk_series_of_allocations(const struct tk_series *s, uint32_t n_blocks);

/* What the means of blocks tell of the values of a part of a run. */
struct tk_series_span {
    uint64_t hits; /* 0: nothing */
    double first, last, low, high;
};

/* Of the blocks from `from` on, before `to`. */
struct tk_series_span tk_series_span(const struct tk_series *s, size_t from, size_t to);

/* Takes a run, also when it fails. TK_OK, TK_ENOMEM, TK_EUSAGE when it is there already. */
int tk_baseline_take(struct tk_baseline *b, struct tk_base_run *run, struct tk_err *err);

/* When a frame began, in ms since the start of the capture; as if the first began there where it is not
 * known. */
double tk_base_run_begin(const struct tk_base_run *run, size_t frame);

/* Frames of a block. */
static inline uint32_t tk_block_weight(const struct tk_base_run *run, size_t block)
{
    return run->starts[block + 1] - run->starts[block];
}

/* Judges the frames of a run, unless that was done where their capture was read: what is a loading screen is
 * known there alone. 0, or -1 if out of memory. */
int tk_base_run_judge(struct tk_base_run *run);

/* The place of a frame by its number in `numbers`; the number of frames where it is not there. */
size_t tk_base_run_find_frame(const struct tk_base_run *run, uint32_t number);

/* How smoothly its frames from `first` on come; target: frames a second, 0 for none. without_classes: hitches
 * of loading screens count as others, as another run does not know them. 0, or -1 if out of memory. */
int tk_base_run_smoothness(const struct tk_base_run *run, size_t first, double target, bool without_classes,
                           struct tk_smoothness *out);

/* What a frame is: TK_FRAME_IS_.... */
static inline unsigned tk_base_run_is(const struct tk_base_run *run, size_t frame, bool without_classes)
{
    const unsigned is = frame < run->judged.n ? run->judged.is[frame] : 0;
    return without_classes ? is & ~TK_FRAME_IS_LOADING : is;
}

/* Finds the greatest frames of a series that has so much own time in each of the n frames of the run: those
 * beyond the limit, and a twentieth of all at most. `space`: for n rates. 0, or -1 if out of memory. */
int tk_series_find_greatest(struct tk_base_run *run, struct tk_series *s, const int64_t *own,
                            struct tk_rate *space);

/* Cycles beyond the limit in the frames from `from` on, before `to`. */
double tk_series_beyond(const struct tk_series *s, size_t from, size_t to);

/* The capture's time as milliseconds. */
static inline double tk_base_ms(const struct tk_base_run *run, double cycles)
{
    return cycles * 1e3 / (double)run->frequency;
}

/*
 * Cells: the frames of a run by the cell of the level that they were drawn in. A run stores for each frame
 * where it was, in steps of a power of ten that divides its level into a thousand or more, so that the side
 * of a cell can be chosen later: any whole number of steps.
 */

/* Where the frames of a run were, before they are stored: real coordinates of each, NaN where not known. */
struct tk_run_place {
    double at[3];
};

/* Gives a run the places of its frames, one for each in order. 0, or -1 if out of memory. */
int tk_base_run_place(struct tk_base_run *run, const struct tk_run_place *places, const char *source);

/* A frame with its cell. */
struct tk_run_cell_frame {
    int64_t at[3]; /* z is 0 unless it counts */
    bool known;
    uint32_t frame;  /* of the run */
    uint64_t length; /* cycles */
};

/* By cell, those without one last; in a cell the shortest first. */
struct tk_run_cells {
    TK_VEC(struct tk_run_cell_frame) v;
};

/* Makes them; to be released also when it fails. TK_OK; TK_EUNKNOWN (the run does not store places);
 * TK_EMATCH (the side is no whole number of its steps, which is said); TK_ENOMEM. */
int tk_run_cells_make(struct tk_run_cells *cells, const struct tk_base_run *run, double side, bool z,
                      struct tk_err *err);
void tk_run_cells_release(struct tk_run_cells *cells);

/* The frames of the next cell, from v[*first] on; 0 at the end. *first begins with 0, and the caller adds
 * what is returned. */
size_t tk_run_cells_count(const struct tk_run_cells *cells, size_t first);

/* The order of cells: by x, y and z. */
int tk_run_cells_order(const struct tk_run_cell_frame *a, const struct tk_run_cell_frame *b);

enum { TK_RUN_CELL_NAME = 80 }; /* "3,0", with z "3,0,1" */
void tk_run_cell_name(char name[TK_RUN_CELL_NAME], const struct tk_run_cell_frame *cell, bool z);

/* The length in ms at a rank of a cell, from 1 on. */
double tk_run_cell_ms(const struct tk_base_run *run, const struct tk_run_cell_frame *cell, size_t rank);

/*
 * The runs of a history that others are to be compared with.
 */

/* As tk_baseline_base_of in tracekit.h. */
int tk_base_of(struct tk_baseline *history, const struct tk_baseline *like, const char *what,
               struct tk_err *err);

/*
 * Name map: the names that threads and timers of a baseline have in the candidate, from a small JSON file
 * (schemas/map.schema.json). Renamed timers are then compared under their new names.
 */

/* "thread" renames classes of threads, and queues of a GPU; "timer" timers and passes of a GPU. */
struct tk_name_pair {
    const struct tk_str *from, *to;
    bool thread;
    bool used; /* some run has it */
};

/* Zero-initialise to begin. */
struct tk_name_map {
    TK_VEC(struct tk_name_pair) v;
    struct tk_intern names;
};

/* TK_OK; TK_EUSAGE (no JSON, unknown keys, wrong types, nothing in it); TK_ENOMEM. To be released also
 * then. */
int tk_name_map_parse(struct tk_name_map *map, const char *text, size_t n, struct tk_err *err);

/* Renames what is in all runs. TK_OK; TK_EMATCH when no run has what a pair is about; TK_EUSAGE when two
 * timers of a run would become one; TK_ENOMEM. After a failure the baseline is only to be released. */
int tk_name_map_apply(struct tk_name_map *map, struct tk_baseline *b, struct tk_err *err);

void tk_name_map_release(struct tk_name_map *map);

#endif
