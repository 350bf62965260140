/*
 * Source: a pull iterator of facts, in batches. What a format offers to the rest.
 *
 * Contract: a batch is borrowed until the next call on its source. Order is promised inside a thread, not
 * across threads (facts with a seq can be ordered by it; with TK_ORDER_SERIAL they come in that order).
 * Definitions come first as far as the capture allows. A batch never holds half an event. Batches do not
 * depend on the number of jobs.
 */
#ifndef TK_FACT_SOURCE_H
#define TK_FACT_SOURCE_H

#include "base/err.h"
#include "base/health/health.h"
#include "fact/fact.h"
#include "io/scratch/pool.h"
#include "tracekit/captures.h"

/*
 * Takes scopes that come closed. They are in no batch: the worker of the pool who decoded them gives them at
 * once, while they are in the cache of its core.
 */
struct tk_closed_taker {
    /* Called from the second batch on, also between batches, until the source is closed. The scopes are
     * borrowed during the call; worker as in tk_task_fn. TK_OK or TK_ENOMEM. */
    int (*take)(void *ctx, const struct tk_closed_scopes *scopes, unsigned worker);
    void *ctx;
    bool by_source; /* timers of one name are apart by their places */
    bool in_order; /* those of a lane come in order of their ends, by one worker at a time; else by several */
};

/*
 * A part of a capture, in places of batches (tk_batch.from, to): [from, to). Only scopes of threads are
 * requested of one, all of the capture was read before, and no lane has a past: what was open at its begin is
 * not known, and ends of that come without their begins. No faults are noted again.
 */
struct tk_part {
    uint64_t from, to;
};

/*
 * A piece of a capture that is read as if all in front of it had been: from the place behind a batch that had
 * a state (tk_batch.state) up to another such place, or to the end. Batches are those of a whole reading.
 */
struct tk_piece {
    uint64_t from, to;
    const void *state; /* n_state bytes */
    size_t n_state;
};

/* What is requested of a format; nothing else is decoded. */
struct tk_request {
    uint64_t facts;       /* TK_FACT_MASK of what is wanted; definitions come always */
    uint64_t decode_only; /* of `facts`: what is decoded for the faults in it. A source need not keep it in
                             batches, which saves memory where there are many at once */
    enum tk_order order;
    /* TK_FACT_RECORD: which events, as patterns over "Logger.Event"; none: all. Borrowed while the source
     * lives. */
    const char *const *events;
    size_t n_events;
    const struct tk_table *const *rows; /* TK_FACT_ROW: of which tables. Borrowed like events */
    size_t n_rows;
    bool generic; /* TK_FACT_RECORD: only of types without a family (struct tk_record_type) */
    bool
        placed; /* TK_FACT_RECORD: those without a time come with the latest of their thread, wanted or not */
    bool startup; /* TK_FACT_FRAME: also the time before the first mark of a frame, as frames */
    bool
        named; /* rows are made of single scopes while they are read: names come before them where they can */
    bool resolved; /* TK_FACT_RECORD: fields that refer to a definition come with its text */
    const struct tk_closed_taker *closed; /* scopes of threads may come closed, to this; or NULL. Borrowed */
    bool in_passing;                      /* with ends: what lies behind all else is not looked for */
    bool ends; /* only the last packets of the threads: enough for a lower bound of the duration, at hardly
                  any cost */
    /* Which threads' scopes; NULL: all. Records come of all. ctx is handed back. Called with the thread's id,
     * by any thread; the answer changes only when a batch with TK_FACT_THREAD was taken. */
    bool (*want_thread)(void *ctx, uint32_t thread);
    void *want_ctx;
    const struct tk_part *part; /* NULL: all. Only for formats whose batches have places. Borrowed */
    bool states;    /* batches come with states where they can, by which pieces can be read later */
    uint64_t extra; /* of `facts`: what is only to be kept for later. Its faults are not noted */
    /* Only these pieces, in order; NULL: all. The capture is known to be without faults, and only scopes of
     * threads are requested. Borrowed. */
    const struct tk_piece *resume;
    size_t n_resume;
};

struct tk_source {
    const struct tk_source_ops *ops;
};

struct tk_source_ops {
    /* TK_ITEM with a batch, TK_OK at the end, negative on failure. */
    int (*next)(struct tk_source *s, struct tk_batch *out, struct tk_err *err);
    void (*close)(struct tk_source *s);
};

static inline int tk_source_next(struct tk_source *s, struct tk_batch *out, struct tk_err *err)
{
    return s->ops->next(s, out, err);
}

static inline void tk_source_close(struct tk_source *s)
{
    if (s)
        s->ops->close(s);
}

#endif
