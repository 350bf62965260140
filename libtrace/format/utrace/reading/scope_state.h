/*
 * Where the scopes of a reading stand between two batches of facts, as bytes: to go on from there in another
 * reading (struct tk_piece). A part of source_state.h.
 */
#ifndef TK_FORMAT_UTRACE_STATES_SCOPE_STATE_H
#define TK_FORMAT_UTRACE_STATES_SCOPE_STATE_H

#include "fact/kept.h"
#include "format/utrace/scopes/scope_collect.h"

/* Appends it. false: it cannot be told, as something is wrong with a lane. */
bool tk_ut_scopes_put(const struct tk_ut_scopes *s, struct tk_kept_bytes *out);

/* Makes it the state of the scopes of a feed, whatever it was. TK_OK, TK_ENOMEM; *c has a fault where the
 * bytes are none. */
int tk_ut_scopes_take(struct tk_ut_feed *feed, struct tk_cur *c);

/* Makes the lanes that it names, in their order, and nothing else of it. As tk_ut_scopes_take. */
int tk_ut_scopes_number(struct tk_ut_feed *feed, struct tk_cur *c);

#endif
