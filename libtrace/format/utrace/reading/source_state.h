/*
 * Where a reading in the order of the file stands behind a batch, as bytes (tk_batch.state, struct tk_piece):
 * what records, events and scopes of threads are under way. Timers are those of known_timers.h.
 */
#ifndef TK_FORMAT_UTRACE_STATES_SOURCE_STATE_H
#define TK_FORMAT_UTRACE_STATES_SOURCE_STATE_H

#include "fact/kept.h"
#include "format/utrace/scopes/scope_collect.h"

/* A reading, as far as its state goes. All is borrowed. */
struct tk_ut_under_way {
    struct tk_ut_capture *capture;
    struct tk_ut_feed *feed;
    const struct tk_ut_decoder *decoder;
    struct tk_ut_lane *(*at)(void *ctx, uint16_t tid); /* a lane of it; NULL: there is none */
    struct tk_ut_lane *(*make)(
        void *ctx, uint16_t tid); /* the same, which is made where there is none; NULL: no memory */
    void *ctx;
};

/* Writes it. false: it cannot be told. */
bool tk_ut_state_put(const struct tk_ut_under_way *r, struct tk_kept_bytes *out);

/* Numbers the lanes of scopes as the reading did that told the state of the end, for one that begins at the
 * start and passes over threads. TK_OK, TK_ENOMEM; TK_EFORMAT: it is none. */
int tk_ut_state_number(const struct tk_ut_under_way *r, const struct tk_piece *end);

/* Lets a reading go on from the begin of a piece. As tk_ut_state_number. */
int tk_ut_state_take(const struct tk_ut_under_way *r, const struct tk_piece *piece);

#endif
