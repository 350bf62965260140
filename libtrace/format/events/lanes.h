/*
 * Lanes: scopes in order of start become begins and ends on lanes in which they nest (import 1.2,
 * step 2). What lies partly across another scope goes to an extra lane of the thread, and it is noted whose
 * the time is; unless both overlap by no more than times are rounded.
 */
#ifndef TK_FORMAT_EVENTS_ORDER_LANES_H
#define TK_FORMAT_EVENTS_ORDER_LANES_H

#include "fact/fact.h"
#include "format/events/pairs.h"

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
    TK_VEC(const struct tk_str *) text; /* where texts are asked for */
};

struct tk_ev_lanes {
    uint32_t thread;
    uint8_t kind;                      /* enum tk_lane_kind */
    uint32_t *next_number;             /* borrowed: of the next lane of the capture */
    const struct tk_str *const *texts; /* borrowed: by order of the scope, n_texts; NULL: not asked for */
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

/* A thread begins. texts: NULL where they are not asked for, whether or not an earlier reading has filled
 * them. */
void tk_ev_lanes_begin(struct tk_ev_lanes *l, uint32_t thread, const struct tk_str *const *texts,
                       size_t n_texts);

/* The next scope. 0, or -1 if out of memory. */
int tk_ev_lanes_take(struct tk_ev_lanes *l, const struct tk_ev_item *scope);

/*
 * The next begins and ends of a thread all of which nest as they come (nested.h), and have no other scopes
 * beside them. 0, or -1.
 */
int tk_ev_lanes_take_nested(struct tk_ev_lanes *l, const struct tk_ev_item *items, size_t n);

/* All scopes of the thread have come: ends those that end. 0 or -1. */
int tk_ev_lanes_finish(struct tk_ev_lanes *l);

/* The runs since the last call, appended; their columns are borrowed until tk_ev_lanes_clear. 0 or -1. */
typedef TK_VEC(struct tk_scope_run) tk_ev_runs;
int tk_ev_lanes_give(struct tk_ev_lanes *l, tk_ev_runs *runs);
void tk_ev_lanes_clear(struct tk_ev_lanes *l);

void tk_ev_lanes_release(struct tk_ev_lanes *l);

#endif
