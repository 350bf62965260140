/*
 * Counting: what counters of a kind are worth when. Facts say changes, in no order of time across threads;
 * this puts them in order, applies them, and passes each new value to its user.
 *
 * Order: changes and frames wait in a window (limit `counter_window`) until it is full; then the older half
 * of them is used. What comes after later ones were used is late: it counts at the time reached and is noted.
 * Of one time, frames come first, then seq decides, then the order in which changes came.
 *
 * Rules (events 4 and 6.1): a plain counter and a memory tag are set. A statistic is set and added to; one
 * that clears begins each game frame with 0, and has a counter of its own with the last value of each frame.
 * Those of tasks follow from what happens to them. A series has one value a frame: the changes in it put
 * together, the first of which sets; it is passed on when the frame is over, at the end of the frame before
 * (the first one: at its begin). Changes before the first frame count to that.
 */
#ifndef TK_MODEL_MARKS_COUNTING_H
#define TK_MODEL_MARKS_COUNTING_H

#include "base/hash.h"
#include "base/health/health.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "model/threads/task_counts.h"
#include "query/builder.h"

/*
 * The state of counting: counters, and the changes and frames that wait for their turn.
 */

enum { TK_COUNTING_FRAMES = 2 }; /* types of frames that series can have: game, rendering */

struct tk_counter {
    uint64_t id;
    uint32_t thread;             /* of a series, else TK_NO_THREAD */
    struct tk_fact_counter info; /* name NULL: not known */
    uint32_t by_frame;           /* index of the counter of last values by frame; TK_MAP_NONE: none */
    uint32_t of;                 /* is such a counter: index of the one it belongs to; else TK_MAP_NONE */
    struct tk_number value;
    bool has_value; /* a series: in this frame */
    bool listed;    /* among those that clear */
    uint8_t frames; /* a series with a value: type of the frame it is in */
};

enum tk_counted_what { TK_COUNTED_SET, TK_COUNTED_ADD, TK_COUNTED_CLEAR, TK_COUNTED_FRAME };

/* A counter has a new value. */
struct tk_counted {
    uint32_t counter; /* index in counters */
    uint32_t thread;  /* that changed it; TK_NO_THREAD: none */
    uint8_t what;     /* enum tk_counted_what */
    bool in_frame;    /* a frame had begun: the next is its number (game frame; series: of its type) */
    bool of_selected; /* and its begin is selected */
    uint32_t frame;
    int64_t time;           /* from when on */
    int64_t at;             /* what a selection of times goes by: the same, or the begin of the frame */
    struct tk_number value; /* the new one */
    struct tk_number given; /* what it was set to or what was added */
};

/* A change or a frame that waits for its turn. */
struct tk_counting_held {
    int64_t time;
    uint64_t seq;
    union {
        int64_t i;
        double r;
    } v;
    uint32_t counter; /* of a frame: its type */
    uint32_t thread;
    uint8_t op;
    bool real, frame;
};

struct tk_counting_frame {
    uint32_t count;              /* begun so far */
    uint64_t selected;           /* of these: whose begin is selected */
    int64_t begin;               /* of the last one */
    int64_t stamp;               /* of its values */
    int64_t end;                 /* where ended */
    bool ended, begins_selected; /* the last one */
    TK_VEC(uint32_t) series;     /* that have a value in it */
};

/* Takes a new value. TK_OK or negative, which ends the run. */
typedef int tk_counted_fn(void *ctx, const struct tk_counted *counted, struct tk_err *err);

struct tk_counting {
    const struct tk_query_context *view; /* borrowed */
    enum tk_counter_kind kind;
    uint16_t values; /* kind of the facts that say them */
    tk_counted_fn *fn;
    void *ctx;
    TK_VEC(struct tk_counter) counters; /* in order of definition or first use */
    struct tk_map index;                /* id -> index in counters */
    TK_VEC(struct tk_counting_held) held;
    TK_VEC(uint32_t) clearing; /* counters that clear */
    struct tk_counting_frame frames[TK_COUNTING_FRAMES];
    int64_t reached; /* greatest time used so far */
    bool started;    /* there is one */
    uint64_t late, left_out;
    struct tk_task_counts tasks; /* TK_COUNTER_TASK, once there is a task */
    bool has_tasks;
    bool framed; /* there may be values: borders of frames count */
};

/* The facts that counters need whose values are facts of this symbol. */
#define TK_COUNTING_FACTS(symbol) (TK_FACT_MASK(COUNTER) | TK_FACT_MASK(FRAME) | TK_FACT_MASK(symbol))

static inline double tk_number_real(struct tk_number number)
{
    return number.real ? number.v.r : (double)number.v.i;
}

/* Begins without counters. */
void tk_counting_init(struct tk_counting *c, const struct tk_query_context *view, enum tk_counter_kind kind,
                      tk_counted_fn *fn, void *ctx);

/* Takes the facts of a batch. TK_OK, TK_ENOMEM or what fn said. */
int tk_counting_feed(struct tk_counting *c, const struct tk_batch *batch, struct tk_err *err);

/* Uses what waits; everything was read. As feed. */
int tk_counting_finish(struct tk_counting *c, struct tk_err *err);

void tk_counting_release(struct tk_counting *c);

/* A number of a counter as a cell. */
struct tk_cell tk_counting_cell(const struct tk_counter *counter, struct tk_number number);

/* Unit of its values, or NULL. Static. */
const char *tk_counting_unit(const struct tk_counter *counter);

/* Name of a counter as a cell, the bytes of a made-up one kept by the rows. */
struct tk_cell tk_counting_name(const struct tk_counter *counter, struct tk_emit *emit);

/*
 * Counter references: which counters, statistics, series and memory tags have values and no definition. To be
 * queried when all is read, as a definition may come after its use.
 */

struct tk_counter_use {
    uint64_t id;
    bool named;
};

/* Of a kind of counter; zero-initialise. */
struct tk_counter_uses {
    TK_VEC(struct tk_counter_use) uses;
    struct tk_map index; /* id -> place in uses */
};

struct tk_counter_references {
    struct tk_counter_uses kinds[TK_COUNTER_KINDS];
    uint64_t most; /* counters of a kind that are distinguished, the limit: others are none */
};

/* Takes facts of counters and their values; ignores others. 0, or -1 if out of memory. */
int tk_counter_references_feed(struct tk_counter_references *r, const struct tk_fact *fact);

/* Notes those without a definition, once whoever says them. */
void tk_counter_references_note(const struct tk_counter_references *r, struct tk_health *health);

void tk_counter_references_release(struct tk_counter_references *r);

/* Notes that n of a kind have no definition, the one of this id as the first. */
void tk_counter_note_unnamed(struct tk_health *health, enum tk_counter_kind kind, uint64_t n, uint64_t first);

/* The fact that says values of a kind. */
enum tk_fact_kind tk_counter_value_fact(enum tk_counter_kind kind);

/* What one of a kind is called. Static. */
const char *tk_counter_noun(enum tk_counter_kind kind);

#endif
