/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_EVENTS_EVENTS_IN_H
#define TK_FORMAT_EVENTS_EVENTS_IN_H

#include "fact/fact.h"
#include "format/events/capture.h"
#include "format/events/pairs.h"
#include "format/events/track.h"
#include "io/scratch/spill.h"

/*
 * Frames of captures that have none (import 1.1): instants whose name has "frame" in it, and the tracks of
 * frames in exports of Tracekit.
 */

/* A set of frames: all marks of a name. */
struct tk_ev_frame_set {
    uint32_t name, type;
    uint64_t marks; /* in all */
    uint64_t seen;  /* so far */
};

struct tk_ev_frames {
    TK_VEC(struct tk_ev_frame_set) sets;
};

/* Finds the sets of a capture that has been walked over. TK_OK, or negative. */
int tk_ev_frames_find(struct tk_ev_frames *f, const struct tk_ev_capture *c, struct tk_err *err);

/* Makes the facts of a mark: none, or the end of a frame and the begin of the next. Returns how many. */
unsigned tk_ev_frames_take(struct tk_ev_frames *f, const struct tk_ev_capture *c,
                           const struct tk_ev_item *mark, struct tk_fact facts[2]);

void tk_ev_frames_release(struct tk_ev_frames *f);

/*
 * Lanes: scopes in order of start become begins and ends on lanes in which they nest (import 1.2,
 * step 2). What lies partly across another scope goes to an extra lane of the thread, and it is noted whose
 * the time is; unless both overlap by no more than times are rounded.
 */

#define TK_EV_LANE_OPS 16384u /* begins and ends of a batch: what reads them next finds them in the cache */

/* A scope was the innermost of its lane, and not that of the thread (struct tk_fact_overlap). */
struct tk_ev_overlap {
    int64_t from, to;
    uint32_t timer;
};

struct tk_ev_lane {
    uint32_t number;
    TK_VEC(struct tk_ev_item) stack; /* what is open */
    struct tk_ev_overlap overlap;    /* that may go on; of no length: there is none */
    TK_VEC(int64_t) time;
    TK_VEC(uint32_t) op;
    TK_VEC(const struct tk_str *) text; /* where texts are requested */
};

struct tk_ev_lanes {
    uint32_t thread;
    uint8_t kind;                      /* enum tk_lane_kind */
    uint32_t *next_number;             /* borrowed: of the next lane of the capture */
    const struct tk_str *const *texts; /* borrowed: by order of the scope, n_texts; NULL: not requested */
    size_t n_texts;
    int64_t base;    /* the time that is 0 in facts */
    uint64_t most;   /* lanes of a thread */
    int64_t rounded; /* an overlap of no more than this opens no lane */
    bool notes;      /* overlaps are wanted */
    int64_t swept;   /* up to here it is known whose the time is, where there are several lanes */
    TK_VEC(struct tk_ev_overlap) shared; /* until tk_ev_lanes_clear */
    TK_VEC(struct tk_ev_lane) lanes;
    size_t used;                        /* lanes of this thread; those behind are kept for their memory */
    TK_VEC(struct tk_ev_item) together; /* nested begins and ends of one time, of which more may come */
    size_t ops;                         /* of all lanes, since the last batch */
    uint64_t overlaps, in_extra, left_out;
};

/* A thread begins. texts: NULL where they are not requested, whether or not an earlier reading has filled
 * them. */
void tk_ev_lanes_begin(struct tk_ev_lanes *l, uint32_t thread, const struct tk_str *const *texts,
                       size_t n_texts);

/* The next scope. 0, or -1 if out of memory. */
int tk_ev_lanes_take(struct tk_ev_lanes *l, const struct tk_ev_item *scope);

/*
 * The next begins and ends of a thread all of which nest as they come, and have no other scopes
 * alongside them. 0, or -1.
 */
int tk_ev_lanes_take_nested(struct tk_ev_lanes *l, const struct tk_ev_item *items, size_t n);

/* All scopes of the thread have come: ends those that end. 0 or -1. */
int tk_ev_lanes_finish(struct tk_ev_lanes *l);

/* The runs since the last call, appended; their columns are borrowed until tk_ev_lanes_clear. 0 or -1. */
typedef TK_VEC(struct tk_scope_run) tk_ev_runs;
int tk_ev_lanes_give(struct tk_ev_lanes *l, tk_ev_runs *runs);
void tk_ev_lanes_clear(struct tk_ev_lanes *l);

void tk_ev_lanes_release(struct tk_ev_lanes *l);

/*
 * Sorting of items in memory, each order with its own comparison inside of the loops. Items come nearly in
 * order: what is in order already is hardly looked at.
 */

/* By time, then in the order of the file. */
int tk_ev_by_time(const void *a, const void *b);

/* Scopes (value: the end) by begin, then longer first, then in the order of the file, or against it. */
int tk_ev_by_begin(const void *a, const void *b);
int tk_ev_by_begin_late(const void *a, const void *b);

typedef int tk_ev_compare(const void *a, const void *b);

/* Sorts by one of the three above; equal items stay as they are. 0, or -1 if out of memory. */
int tk_ev_sort_items(struct tk_ev_item *v, size_t n, tk_ev_compare *compare);

/*
 * Sorting of items, in memory while they are few, else in a temporary file. Events of a thread are brought in
 * order of time with it, and scopes in order of start.
 */

/* Items that are sorted in memory: few where their order is nearly known, as they then only wait; else as
 * many as a reading may hold. */
#define TK_EV_SORT_FEW  ((size_t)256 << 10)
#define TK_EV_SORT_MANY ((size_t)8 << 20)

/* Zero-initialise all but the first three. */
struct tk_ev_sorter {
    tk_ev_compare *compare; /* total: the order of the file distinguishes equal ones */
    const char *dir;        /* of temporary files; may be NULL */
    size_t most;            /* in memory */
    TK_VEC(struct tk_ev_item) held;
    size_t at;
    struct tk_external_sort *disk; /* owned; NULL while all is in memory */
};

/* TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_ev_sorter_add(struct tk_ev_sorter *s, const struct tk_ev_item *item, struct tk_err *err);
int tk_ev_sorter_start(struct tk_ev_sorter *s, struct tk_err *err);

/* The next item, borrowed until the next call. TK_ITEM, TK_OK at the end, TK_EOUTPUT. */
int tk_ev_sorter_next(struct tk_ev_sorter *s, const struct tk_ev_item **out, struct tk_err *err);

/* Forgets all items; it can be filled again. */
void tk_ev_sorter_clear(struct tk_ev_sorter *s);

/*
 * Merging of the runs of a track, as bundles of one core each have them: what overlaps is looked at, and
 * nothing is kept.
 */

/* A run on its way. */
struct tk_ev_cursor {
    struct tk_ev_item item; /* the next one */
    const uint8_t *at, *end;
    struct tk_ev_packing before;
};

/* When a run goes on, of a heap with the earliest on top. */
struct tk_ev_turn {
    int64_t time;
    uint32_t order, cursor;
};

/* Zero-initialise. */
struct tk_ev_merge {
    TK_VEC(struct tk_ev_cursor) cursors; /* in the order in which they begin */
    TK_VEC(struct tk_ev_turn) heap;      /* of those that have begun */
    size_t next;                         /* that begins */
    struct tk_ev_item out;
};

/* Are the runs of a track known? */
bool tk_ev_merge_can(const struct tk_ev_track *track);

/* 0, or -1 if out of memory. */
int tk_ev_merge_open(struct tk_ev_merge *m, const struct tk_ev_track *track);

/* The next item, borrowed until the next call; NULL at the end. */
const struct tk_ev_item *tk_ev_merge_next(struct tk_ev_merge *m);

void tk_ev_merge_release(struct tk_ev_merge *m);

/*
 * A track in order of time, sorted or merged where the file has another order.
 */

struct tk_ev_ordered {
    struct tk_ev_track_reader reader;
    struct tk_ev_sorter sorter;
    struct tk_ev_merge merge;
    bool sorts, merges;
};

/* TK_OK, TK_ENOMEM, TK_EOUTPUT. dir: of temporary files; may be NULL. Release also after a failure. */
int tk_ev_ordered_open(struct tk_ev_ordered *o, const struct tk_ev_track *track, const struct tk_spill *spill,
                       const char *dir, struct tk_err *err);

/* The next item, borrowed until the next call. TK_ITEM, TK_OK at the end, negative. */
static inline int tk_ev_ordered_next(struct tk_ev_ordered *o, const struct tk_ev_item **out,
                                     struct tk_err *err)
{
    if (o->merges)
        return (*out = tk_ev_merge_next(&o->merge)) ? TK_ITEM : TK_OK;
    return o->sorts ? tk_ev_sorter_next(&o->sorter, out, err) : tk_ev_track_next(&o->reader, out, err);
}

void tk_ev_ordered_release(struct tk_ev_ordered *o);

/*
 * Wake-ups of threads, taken along with their times on cores, both in order of time (wakes.c).
 */

/* The last wake-up of a thread that did not run since. */
struct tk_ev_woken {
    int64_t time;
    uint32_t core;
    bool pending, sure;
};

/* Zero-initialise. */
struct tk_ev_wakes {
    struct tk_ev_ordered events;
    struct tk_ev_item next; /* where there is more */
    bool begun, more;
    struct tk_map index; /* thread -> place in last */
    TK_VEC(struct tk_ev_woken) last;
};

/* A thread begins to run: fills in who woke it, where that is recorded. TK_OK or negative. */
int tk_ev_wakes_take(struct tk_ev_wakes *w, const struct tk_ev_capture *c, int64_t time,
                     struct tk_fact_switch *fact, struct tk_err *err);

/* Begins anew. */
void tk_ev_wakes_release(struct tk_ev_wakes *w);

/*
 * Facts of asynchronous work: begins and ends with one key become regions (import 3.6).
 */

/* A region that is open: a list by key. */
struct tk_ev_open_region {
    uint32_t id, name, outer; /* place in `open` + 1; 0: none */
};

/* Where the list of a key begins: place in `open` + 1; 0: the slot is empty. */
struct tk_ev_open_key {
    uint64_t key;
    uint32_t innermost;
};

/* Zero-initialise to begin. */
struct tk_ev_regions {
    TK_VEC(struct tk_ev_open_region) open; /* what is not open any more is a list, too: */
    uint32_t unused;                       /* place in `open` + 1 */
    struct tk_ev_open_key *slots;          /* owned: open-addressed, of keys that have open regions */
    size_t mask, keys;
    uint32_t begun; /* regions in all */
    uint64_t without_begin, matched, twice;
    uint64_t first_unmatched; /* the place in the track of an end without a begin + 1; 0: there is none */
};

/* Makes the fact of a begin or an end. 1: there is one; 0: an end of nothing; -1 without memory. */
int tk_ev_regions_take(struct tk_ev_regions *r, const struct tk_ev_capture *c, const struct tk_ev_item *item,
                       struct tk_fact *fact);

void tk_ev_regions_release(struct tk_ev_regions *r);

/*
 * The scopes of one thread: paired, put in order of start and laid on lanes, part by part.
 */

/* Zero-initialise; tk_ev_thread_scopes_open sets up a thread, also a second one. */
struct tk_ev_thread_scopes {
    struct tk_ev_capture *c; /* borrowed */
    struct tk_ev_ordered events;
    struct tk_ev_pairs pairs;
    TK_VEC(struct tk_ev_item) waiting; /* slots of scopes whose place is not sure yet, nearly in order */
    size_t given;                      /* how many slots were in front of these */
    size_t enough;                     /* of them, to look what is sure */
    struct tk_ev_sorter sorter;        /* takes all where too many wait */
    bool uses_sorter, read, open;
    int64_t now;        /* time of the last event */
    struct tk_err *err; /* of the call that is at work */
    /* Takes scopes in order of start. 0, or -1 if out of memory. */
    int (*take)(void *ctx, const struct tk_ev_item *scope);
    /* Takes begins and ends of a thread where all of them nest as they come; NULL: `take` gets them. As
     * above. */
    int (*take_nested)(void *ctx, const struct tk_ev_item *items, size_t n);
    void *ctx;
    bool nested; /* this thread is such a one */
};

int tk_ev_thread_scopes_open(struct tk_ev_thread_scopes *t, struct tk_ev_capture *c,
                             const struct tk_ev_thread *thread, struct tk_err *err);

/* A part. TK_ITEM: there is more; TK_OK at the end of the thread; negative. */
int tk_ev_thread_scopes_step(struct tk_ev_thread_scopes *t, struct tk_err *err);

void tk_ev_thread_scopes_close(struct tk_ev_thread_scopes *t);
void tk_ev_thread_scopes_release(struct tk_ev_thread_scopes *t);

/*
 * A reading on its way, shared by the files that make it: source.c, which says what comes after what, and
 * source_tracks.c with the stages that read tracks.
 */

enum { TK_EV_BATCH = 4096 }; /* facts, roughly */

struct tk_ev_reading {
    struct tk_source base;
    struct tk_ev_capture *c; /* borrowed */
    struct tk_request request;
    unsigned stage;
    bool begun; /* the stage */
    TK_VEC(struct tk_fact) facts;
    tk_ev_runs runs;
    struct tk_ev_ordered events; /* of a stage that reads a track */
    struct tk_ev_wakes wakes;
    struct tk_ev_frames frames;
    struct tk_ev_regions regions;
    struct tk_ev_thread_scopes scopes;
    struct tk_ev_lanes lanes;
    size_t thread;              /* whose scopes are read */
    size_t part;                /* the thread itself, or the part of it that is read */
    uint32_t part_order;        /* what comes before the orders of its scopes */
    struct tk_ev_sorter joined; /* scopes of all parts, where there are several */
    bool joins, joined_all;
    uint64_t frame_number;
    int64_t frame_whole, frame_open_at; /* begins of the last frame with an end, and without one */
    bool frame_open;                    /* there is one without an end */
    uint64_t frames_lost;               /* without an end although others began after them */
    size_t code;                        /* the next stack, then the next frame */
    size_t heap, heap_step;             /* the next ones */
    uint64_t heap_block;                /* of that step */
    size_t row;                         /* of rows of the format, the next */
    uint32_t next_lane;
    void *walk; /* for records */
};

static inline bool tk_ev_reading_wants(const struct tk_ev_reading *s, uint64_t facts)
{
    return (s->request.facts & facts) != 0;
}

static inline int tk_ev_reading_no_memory(struct tk_err *err)
{
    return tk_err_nomem(err, "facts of the capture");
}

static inline struct tk_fact *tk_ev_reading_add(struct tk_ev_reading *s, enum tk_fact_kind kind,
                                                uint32_t thread, int64_t time)
{
    struct tk_fact fact = {
        .kind = (uint16_t)kind, .size = sizeof fact, .thread = thread, .time = time, .seq = TK_NO_SEQ};
    return tk_vec_push(&s->facts, fact) ? NULL : &s->facts.v[s->facts.n - 1];
}

static inline int tk_ev_reading_push(struct tk_ev_reading *s, const struct tk_fact *fact, struct tk_err *err)
{
    return tk_vec_push(&s->facts, *fact) ? tk_ev_reading_no_memory(err) : TK_OK;
}

/* Stages. TK_ITEM: there is more; TK_OK: it is over; negative. Those that give no facts that are wanted are
 * over at once. */
int tk_ev_stage_frame_tracks(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_frames(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_regions(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_scopes(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_marks(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_values(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_switches(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_samples(struct tk_ev_reading *s, struct tk_err *err);
int tk_ev_stage_memory(struct tk_ev_reading *s, struct tk_err *err);

/* Makes blocks of what profiles of heaps say, when all is read. 0, or -1 if out of memory. */
int tk_ev_heap_finish(struct tk_ev_capture *c);

#endif
