/*
 * Aggregation: sums, extremes and sketches of slices by timer. A set belongs to one worker or one lane and is
 * filled without locks; sets are merged when all is read. All sums are integers, so that the order does not
 * matter.
 */
#ifndef TK_MODEL_SUMS_TIMER_SUMS_H
#define TK_MODEL_SUMS_TIMER_SUMS_H

#include "base/hash.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "model/sums/interval_sums.h"
#include "query/context.h"
#include "query/slices.h"
#include "table/sketch.h"
#include "table/value_summary.h"

/* What a set keeps beyond count, total, excl, min and max. */
#define TK_TIMER_SUM_INCL    1u /* needs TK_SLICE_OUTER */
#define TK_TIMER_SUM_SKETCH  2u
#define TK_TIMER_SUM_FRAMES  4u /* needs TK_SLICE_OUTER and TK_SLICE_FRAME */
#define TK_TIMER_SUM_SQUARES 8u
#define TK_TIMER_SUM_THIN    16u /* one of many sets: most sketches have few values */
#define TK_TIMER_SUM_SOURCES 32u /* also what each timer of a key has for itself: `sources` */

/* What is kept of a timer: one line of cache. Times in cycles. */
struct tk_timer_sum_cell {
    _Alignas(8) uint64_t count; /* so that 32-bit machines have a line of cache, too */
    uint64_t total;
    uint64_t excl;           /* modulo 2^64: signed */
    uint64_t incl;           /* of outer scopes */
    uint64_t min, max;       /* of totals; UINT64_MAX and 0 without any */
    struct tk_sketch sketch; /* of totals, TK_SKETCH_CALLS */
};

/* The times of the calls as a distribution, for as long as the cell stays as it is; not to be released. */
static inline struct tk_distribution tk_timer_sum_distribution(const struct tk_timer_sum_cell *cell)
{
    return (struct tk_distribution){.count = cell->count,
                                    .total = cell->total,
                                    .min = cell->min,
                                    .max = cell->max,
                                    .sketch = cell->sketch};
}

struct tk_frame_row; /* frame_sums.h */

/* What is touched less. */
struct tk_timer_sum_side {
    uint64_t open;               /* scopes without an end */
    uint64_t squares[2];         /* of totals, 128 bits, low half first */
    struct tk_frame_row *frames; /* owned; NULL: nothing in any frame */
    uint64_t pending;            /* bit f modulo 64: a sum of frame f may be open */
};

/* Timers of a page. Pages are made for timers that occur. */
#define TK_TIMER_SUM_PAGE 16u

struct tk_timer_sum_page {
    struct tk_timer_sum_cell cells[TK_TIMER_SUM_PAGE];
    struct tk_timer_sum_side sides[TK_TIMER_SUM_PAGE];
};

/* Frames whose sums can be added to: size of them from base on. */
struct tk_frame_window {
    uint32_t base;
    uint32_t size; /* a power of two */
};

/* What an outer scope adds to a frame outside of the window; or, with `full`, to each of n frames, all it
 * takes. */
struct tk_frame_share {
    uint32_t timer;
    uint32_t frame, n;
    uint32_t set; /* for who collects them */
    bool full;
    uint64_t sum; /* cycles, of all n */
};

/* What the calls of a timer that is one of several of a key have. */
struct tk_timer_source {
    uint64_t count, excl;
};

/* Sums are by key (tk_slices). Zero-initialise, then set `what` and `window`. */
struct tk_timer_sum_set {
    unsigned what;                            /* TK_TIMER_SUM_... */
    const struct tk_frame_window *window;     /* borrowed; stays while slices are taken */
    TK_VEC(struct tk_timer_sum_page *) pages; /* owned; by timer / TK_TIMER_SUM_PAGE; NULL: none occurs */
    TK_VEC(struct tk_timer_sum_page *) late;  /* the same for timers from TK_LATE on */
    TK_VEC(struct tk_frame_share) outside;    /* shares that the window did not have */
    TK_VEC(uint32_t) pending;                 /* timers with a side whose `pending` is not 0 */
    struct tk_thin_blocks thin;               /* of sketches */
    TK_VEC(struct tk_timer_source) sources;   /* by timer; none while each timer is of its own key */
    uint32_t frames_seen;                     /* one more than the greatest index of a frame so far */
};

void tk_timer_sum_release(struct tk_timer_sum_set *set);

/* Sets by lane or by worker. */
struct tk_timer_sum_sets {
    TK_VEC(struct tk_timer_sum_set *) list; /* owned; NULL: nothing taken */
};

/* The set at a place, made where there is none (then *fresh is true); NULL if out of memory. */
struct tk_timer_sum_set *tk_timer_sum_sets_at(struct tk_timer_sum_sets *sets, size_t at, bool *fresh);

void tk_timer_sum_sets_release(struct tk_timer_sum_sets *sets);

/* Adds slices. 0, or -1 if out of memory. */
int tk_timer_sum_take(struct tk_timer_sum_set *set, const struct tk_slices *slices);

/* Cell and side of a timer. */
struct tk_timer_sum_entry {
    uint32_t timer;
    struct tk_timer_sum_cell *cell;
    struct tk_timer_sum_side *side;
};

/* Finds a timer, or makes it. 0, or -1 if out of memory. */
int tk_timer_sum_find(struct tk_timer_sum_set *set, uint32_t timer, struct tk_timer_sum_entry *out);

/*
 * The next entry that holds anything: late timers first, then the others, in order; *at begins with 0. False
 * at the end. While it is at late ones, others may be made.
 */
bool tk_timer_sum_next(const struct tk_timer_sum_set *set, size_t *at, struct tk_timer_sum_entry *out);

/* Begins with what timers have while each is its own key, unless that was done. 0, or -1. */
int tk_timer_sum_begin_sources(struct tk_timer_sum_set *set);

/* Adds to what a timer has for itself. 0, or -1. */
int tk_timer_sum_source(struct tk_timer_sum_set *set, uint32_t timer, uint64_t count, uint64_t excl);

/* Adds a sum of squares to another. */
void tk_timer_sum_merge_squares(uint64_t into[2], const uint64_t from[2]);

/* The standard deviation of the totals of a sample, in cycles; exact but for the last division and root. 0
 * for fewer than two. */
double tk_timer_sum_deviation(const struct tk_timer_sum_cell *cell, const uint64_t squares[2]);

/* Adds the figures of a cell to one of a set. 0, or -1 if out of memory. */
int tk_timer_sum_merge_cell(struct tk_timer_sum_set *set, struct tk_timer_sum_cell *into,
                            const struct tk_timer_sum_cell *from);

/*
 * Part runs: sums by part and timer that are hardly going to change, packed into some bytes each, so that
 * there may be millions. A sum may come in several pieces, which are added when they are read.
 */

/* Sums in order of their parts. */
struct tk_packed_sum {
    uint8_t *p; /* owned, n bytes */
    size_t n;
    size_t at;     /* where reading stands */
    uint32_t part; /* of the sum read last, or appended last */
    size_t cap;    /* where sums are appended */
};

/* Zero-initialise to begin. */
struct tk_packed_sums {
    TK_VEC(struct tk_packed_sum) v;
};

/* Packs all sums, which are empty then. 0, or -1 without memory. */
int tk_packed_sums_pack(struct tk_packed_sums *runs, struct tk_interval_sums *sums);

/* Appends a sum whose part is not before that of the one appended last; nothing else may have been done to
 * the runs. 0, or -1 without memory. */
int tk_packed_sums_append(struct tk_packed_sums *runs, const struct tk_interval_sum *sum);

/* Begins to read all runs at their first sums, also a second time. */
void tk_packed_sums_rewind(struct tk_packed_sums *runs);

/* The next sum of a run whose part is before `end`. false: there is none. */
bool tk_packed_sum_next(struct tk_packed_sum *run, uint32_t end, struct tk_interval_sum *out);

void tk_packed_sums_release(struct tk_packed_sums *runs);

/*
 * Label sums: what timers spent in scopes of each text, such as the metadata of a scope or the asset that it
 * is about.
 */

struct tk_label_sum {
    const struct tk_str *label;
    struct tk_interval_sum sum; /* its part is not used */
};

/* Of one worker. Zero-initialise to begin. */
struct tk_label_sums {
    TK_VEC(struct tk_label_sum) v;
    struct tk_places index;               /* of v, by address of the label and timer */
    TK_VEC(struct tk_label_sum *) sorted; /* after a merge: those of v in order, each label and timer once */
};

/* Adds slices with texts (TK_SLICE_TEXT and TK_SLICE_OUTER). 0, or -1 without memory. */
int tk_label_sums_take(struct tk_label_sums *l, const struct tk_requested_timers *requested,
                       const struct tk_slices *s);

/*
 * Puts together what n workers have: late timers become those that they are, timers that are not requested
 * and empty labels are left out. They are in `sorted`. 0, or -1 without memory.
 */
int tk_label_sums_merge(struct tk_label_sums *into, struct tk_label_sums *workers, unsigned n,
                        const struct tk_requested_timers *requested, struct tk_dict *dict);

void tk_label_sums_release(struct tk_label_sums *l);

/*
 * Times of timers: when threads were inside calls of the timers that a query selects, as disjoint times by
 * thread. Tables about other things that happen on threads choose by it.
 */

/* A call, or several that follow each other without a gap. */
struct tk_timer_time {
    int64_t begin, end; /* cycles since the start; [begin, end) */
    uint32_t timer;     /* TK_LATE + slot as long as nobody knows which; 0: a selected one */
};

struct tk_timer_lane {
    uint32_t thread;
    TK_VEC(struct tk_timer_time) v;
};

/* Zero-initialise and set view to begin. */
struct tk_timer_times {
    const struct tk_query_context *view;
    TK_VEC(struct tk_timer_lane *) lanes; /* owned; by lane; NULL: none */
    TK_VEC(bool) requested;               /* by timer id */
    struct tk_map threads;                /* thread -> lane; when it is settled */
};

/* Does the query select timers? Without that nothing here needs to be fed. */
static inline bool tk_timer_times_needed(const struct tk_query_context *view)
{
    return view->query->select.n_timers != 0;
}

/* Before the slices of a batch are taken. 0, or -1 if out of memory. */
int tk_timer_times_feed(struct tk_timer_times *t, const struct tk_batch *batch);

/* Slices with begin and end; of different lanes by several workers at a time. 0, or -1 if out of memory. */
int tk_timer_times_take(struct tk_timer_times *t, const struct tk_slices *s);

/* Calls that never ended. 0, or -1 if out of memory. */
int tk_timer_times_lane(struct tk_timer_times *t, const struct tk_lane_end *end);

/* All is read. 0, or -1 if out of memory. */
int tk_timer_times_settle(struct tk_timer_times *t);

/* Was a thread inside one of the timers then? */
bool tk_timer_times_has(const struct tk_timer_times *t, uint32_t thread, int64_t time);

void tk_timer_times_release(struct tk_timer_times *t);

/*
 * Longest: the n longest calls of a lane, kept while slices come.
 */

struct tk_top_call {
    uint64_t total, excl; /* cycles, clipped */
    int64_t begin, end;
    int64_t displayed_from; /* the begin, clipped: calls are ordered as in a capture that is cut */
    uint64_t seq;           /* number of the slice in its lane */
    uint32_t timer, node, thread, lane;
    const struct tk_str *text; /* NULL: none */
};

/* Zero-initialise to begin. */
struct tk_top_calls {
    TK_VEC(struct tk_top_call) v; /* a heap, the least one first */
};

/* Is a before b? Longest first, then what began first, by thread and lane, what is around before what is
 * inside. */
int tk_top_call_compare(const void *a, const void *b);

/* Takes a call into the n longest ones. 0, or -1 without memory. */
int tk_top_calls_put(struct tk_top_calls *l, size_t n, const struct tk_top_call *call);

void tk_top_calls_release(struct tk_top_calls *l);

#endif
