/*
 * Scope model: rebuilds the stacks of all lanes from scope runs and hands closed scopes on as slices.
 *
 * Facts in, slices out; the hot path. Lanes are independent: the runs of one batch are worked on in parallel,
 * one task a lane. The rules are those of events 2.5 to 2.7 as far as they belong to no format (two writers
 * on one stack, unmatched ends, times that go backwards, open scopes, clipping).
 */
#ifndef TK_MODEL_SCOPES_SCOPE_MODEL_H
#define TK_MODEL_SCOPES_SCOPE_MODEL_H

#include "base/err.h"
#include "fact/fact.h"
#include "base/health/health.h"
#include "base/health/limits.h"
#include "io/scratch/pool.h"
#include "query/builder.h"
#include "query/select.h"
#include "query/slices.h"

struct tk_scope_model;

struct tk_scope_setup {
    const struct tk_limits *limits;
    const struct tk_select *select;
    const struct tk_frames *frames; /* for TK_SLICE_FRAME */
    const struct tk_dict *dict;     /* tells what late timers turned out to be; NULL: nobody knows */
    struct tk_pool *pool;
    unsigned columns; /* TK_SLICE_... that anybody wants */
    /* Gets the slices of a lane; called by several workers at one time, for one lane in order. Negative
     * stops. */
    int (*take)(void *ctx, const struct tk_slices *slices, unsigned worker);
    /* As the hooks of builders (query/builder.h); both NULL: nodes stay what they are. */
    uint64_t (*uses)(void *ctx, uint32_t lane, uint32_t node);
    int (*fold)(void *ctx, uint32_t lane, const uint32_t *to, size_t n);
    uint64_t (*least)(void *ctx, uint32_t lane); /* NULL: all slices need their nodes */
    void *ctx;
};

/* The setup is copied, what it points to borrowed. TK_OK or TK_ENOMEM. */
int tk_scope_model_open(struct tk_scope_model **out, const struct tk_scope_setup *setup, struct tk_err *err);

/* Works off all runs of a batch. TK_OK, TK_ENOMEM, or what take said. */
int tk_scope_model_feed(struct tk_scope_model *m, const struct tk_batch *batch, struct tk_err *err);

/* Tells about each lane, in order of lane number. Notes what health should know (unmatched, raised, too deep,
 * open). */
int tk_scope_model_finish(struct tk_scope_model *m, struct tk_health *health,
                          int (*lane)(void *ctx, const struct tk_lane_end *end, struct tk_err *err),
                          void *ctx, struct tk_err *err);

/* Least and greatest time of all lanes; false when there was none. */
bool tk_scope_model_span(const struct tk_scope_model *m, int64_t *first, int64_t *last);

void tk_scope_model_close(struct tk_scope_model *m);

#endif
