/*
 * The state of counting: counters, and the changes and frames that wait for their turn. See counting.h.
 */
#ifndef TK_MODEL_COUNTERS_COUNTING_STATE_H
#define TK_MODEL_COUNTERS_COUNTING_STATE_H

#include "model/threads/task_counts.h"

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

#endif
