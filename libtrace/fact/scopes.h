/*
 * Scopes as a source gives them: columns of begins and ends, a lane at a time.
 */
#ifndef TK_FACT_SCOPES_H
#define TK_FACT_SCOPES_H

#include "tracekit/values.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Scopes of one lane, as columns: op[i] happens at time[i]. Times do not go backwards inside a thread
 * except where the capture is wrong.
 *
 * Begin: the timer id, perhaps with TK_OP_STAMPED. End: TK_OP_END, perhaps with TK_OP_STAMPED. Two writers
 * can share a thread's stack, the plain one and the stamped one: an end closes the innermost open scope of
 * its own writer. Timer ids from TK_LATE on are slots that a TK_FACT_TIMER_LATE says later. TK_OP_CUT: bytes
 * are missing here, all open scopes are lost; its time is INT64_MIN where none is known. TK_OP_CLOSE: the
 * thread ended, scopes open now never end. TK_OP_LOSE: the innermost open scope ends, but nobody knows when;
 * it counts as one without an end. TK_OP_YIELD: the innermost scope, of the plain writer, ends as many cycles
 * later as its lowest bits say; the next scope begins now and has this time for itself.
 */
#define TK_OP_END     UINT32_C(0x80000000)
#define TK_OP_STAMPED UINT32_C(0x40000000)
#define TK_OP_TIMER   UINT32_C(0x0fffffff)
#define TK_OP_CUT     UINT32_C(0xa0000000)
#define TK_OP_CLOSE   UINT32_C(0xb0000000)
#define TK_OP_LOSE    UINT32_C(0xe0000000)
#define TK_OP_YIELD   UINT32_C(0xd0000000)
#define TK_LATE       UINT32_C(0x08000000)

/* How much later than the time of an op its scope ends. */
static inline uint32_t tk_op_yields(uint32_t op)
{
    return op >> 28 == TK_OP_YIELD >> 28 ? op & TK_OP_TIMER : 0;
}

/* Whose scopes. Those of threads are requested with SCOPES, the others with GPU_SCOPES. */
enum tk_lane_kind {
    TK_LANE_THREAD,
    TK_LANE_GPU,     /* what the program calls the work of a queue */
    TK_LANE_GPU_WORK /* when a queue works and waits */
};

/*
 * From `time` to `end` a scope was the innermost of its lane, while one that began later ran on another lane
 * of the thread or queue: the time of the thread is that one's.
 */
struct tk_fact_overlap {
    int64_t end;
    uint32_t timer;
    uint8_t kind; /* enum tk_lane_kind; the fact's `thread` is the thread, or the id of the queue */
};

/* A scope that never ended. */
struct tk_open_scope {
    uint32_t timer;
    int64_t begin; /* cycles since the start */
    uint64_t id;   /* of the scope model: number in its lane; else 0 */

    /* What the scope model adds: */
    int64_t end;    /* until when it was open for all that is known; INT64_MAX: until nothing more is known */
    int64_t inside; /* when the scope directly inside began that was open at that time; INT64_MAX: none */
    uint64_t children; /* totals of its direct children that have an end, as in slices */
    uint64_t parent;   /* as in slices */
    uint32_t depth;    /* likewise; a source sets it, too */
    uint32_t node;     /* likewise; 0 without TK_SLICE_PATH */
};

/* What is to be known of a lane whose scopes came closed. As the scope model (model/scopes/scope_lane.h)
 * would find it.
 */
struct tk_closed_lane {
    int64_t first, last; /* the first time, the greatest one */
    uint64_t raised;     /* times that went backwards and were raised */
    uint64_t too_deep;   /* scopes beyond the limit `open_scopes` */
    uint64_t scopes;     /* those that have an end and were timed */
    uint64_t covered;    /* cycles inside them */
    uint32_t max_depth;  /* most scopes open at one time, those too deep included */
    size_t n_open, n_lost;
    const struct tk_open_scope *open; /* at the end, outermost first */
    const struct tk_open_scope *lost; /* those of TK_OP_LOSE */
};

/*
 * Scopes of one lane that have ended, in order of their ends: what is left of begins and ends for who only
 * adds up (struct tk_closed_taker).
 */
struct tk_closed_scopes {
    uint32_t thread, lane; /* as in the runs */
    size_t n;
    const uint32_t *timer;
    const uint64_t *total; /* cycles */
    const uint64_t *excl;  /* cycles without those of direct children */
    const uint8_t *outer;  /* 1: no scope of the same key was open when it began */
    const uint32_t
        *key; /* of each the first timer of its key (judge/timer_key.h); `timer` where all are apart */
};

struct tk_scope_run {
    uint32_t thread; /* or id of the queue */
    uint32_t lane;   /* dense number among all lanes with scopes, in order of first appearance */
    size_t n;
    const int64_t *time;
    const uint32_t *op;
    uint8_t kind;  /* enum tk_lane_kind */
    bool reported; /* by other threads: it is not in a part of the capture that is read for it (struct
                      tk_part) */
    bool closed;   /* the lane's scopes come closed, not in runs (tk_request.closed): n is 0. One such run is
                      there before they come, another one behind them */
    const struct tk_closed_lane *end; /* with the latter; else NULL */
    const struct tk_str *const
        *text;          /* of each entry: that of a begin where it has one, else NULL. The column
                           may be there where SCOPE_TEXT is requested, which has no facts of its own. A text
                           lives as long as the capture; it is empty until its definition comes */
    const int64_t *cpu; /* of a GPU: likewise when the program requested what begins or ends here; INT64_MIN:
                           not known. NULL: of none */
    const uint32_t *stack; /* likewise the id of the callstack of a begin, 0 without one; where SCOPE_STACK is
                              requested */
};

/*
 * Which scope a begin or an end is about: the rules of fact/scopes.h for stacks of open scopes, whatever
 * their elements hold.
 *
 * Scopes beyond a limit are counted, not kept. What begins above one of them is too deep as well, so that
 * they are innermost, always, and their ends come first.
 */

/* Open scopes beyond the limit, by writer. */
struct tk_scopes_beyond {
    uint64_t n[2];
};

static inline unsigned tk_scope_writer(uint32_t op)
{
    return op & TK_OP_STAMPED && op >> 28 != TK_OP_YIELD >> 28 ? 1 : 0;
}

static inline uint64_t tk_scopes_beyond_count(const struct tk_scopes_beyond *b)
{
    return b->n[0] + b->n[1];
}

/* A scope begins inside `depth` that are kept. true: it is too deep, and counted. */
static inline bool tk_scopes_beyond_begin(struct tk_scopes_beyond *b, size_t depth, uint64_t limit,
                                          uint32_t op)
{
    if (depth < limit && !b->n[0] && !b->n[1])
        return false;
    b->n[tk_scope_writer(op)]++;
    return true;
}

/* true: what ends was too deep. */
static inline bool tk_scopes_beyond_end(struct tk_scopes_beyond *b, uint32_t op)
{
    uint64_t *n = &b->n[tk_scope_writer(op)];
    if (!*n)
        return false;
    --*n;
    return true;
}

/* TK_OP_LOSE: the same for the innermost. Only the plain writer loses scopes. */
static inline bool tk_scopes_beyond_lose(struct tk_scopes_beyond *b)
{
    return tk_scopes_beyond_end(b, 0);
}

/*
 * How many of the kept scopes there are up to the innermost one of the writer of an end; 0: it has none, the
 * end is unmatched. first: the begin of the outermost, those of the others follow at a distance of `stride`
 * bytes.
 */
static inline size_t tk_scope_innermost(const uint32_t *first, size_t stride, size_t depth, uint32_t op)
{
    const char *at = (const char *)first;
    const uint32_t writer = tk_scope_writer(op) ? TK_OP_STAMPED : 0;
    while (depth > 0 &&
           ((*(const uint32_t *)(const void *)(at + (depth - 1) * stride) ^ writer) & TK_OP_STAMPED))
        depth--;
    return depth;
}

#endif
