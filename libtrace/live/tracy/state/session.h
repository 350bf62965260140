/*
 * A session of a Tracy program: blocks of events in, questions out (tracy-live 7, 8, 10). The recorder stands
 * between it and the connection.
 */
#ifndef TK_LIVE_TRACY_STATE_SESSION_H
#define TK_LIVE_TRACY_STATE_SESSION_H

#include "live/tracy/state/state.h"

struct tk_tl_session {
    struct tk_tl_state *state; /* owned; NULL before the greeting */
    struct tk_tl_options options;
    unsigned protocol;
    bool draining;       /* only answers count, and what asks for more of them */
    bool failed;         /* the program broke a rule: only what tells where counts, unless it drains */
    uint64_t unanswered; /* questions that were taken with tk_tl_session_question */
    uint64_t blocks, events;
};

/* options are copied. */
void tk_tl_session_begin(struct tk_tl_session *s, unsigned protocol, const struct tk_tl_options *options);
void tk_tl_session_end(struct tk_tl_session *s);

/* What a tk_tl_stream_taker needs; ctx is the session. TK_OK, TK_EFORMAT, TK_ELIMIT, TK_EOUTPUT or TK_ENOMEM.
 */
int tk_tl_session_welcome(void *ctx, const struct tk_tl_welcome *w, struct tk_err *err);
int tk_tl_session_block(void *ctx, const uint8_t *p, size_t n, struct tk_err *err);

/* The next question, names first; false where there is none. */
bool tk_tl_session_question(struct tk_tl_session *s, uint8_t out[TK_TL_QUESTION_BYTES]);

/* Are there questions that were not answered or not taken? */
bool tk_tl_session_asks(const struct tk_tl_session *s);

/* May the recorder leave a program that has ended? Everything is answered and no zone is open (a crash, or
 * `zones` false: or are). */
bool tk_tl_session_is_done(const struct tk_tl_session *s, bool zones);

/* After a failure: is what it was about known? */
bool tk_tl_session_failure_told(const struct tk_tl_session *s);

#endif
