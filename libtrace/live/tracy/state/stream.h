/*
 * Bytes of a program, in pieces of any size, cut into its answer, its greeting and unpacked blocks of events
 * (tracy-live 3, 4). The recorder feeds it from the connection.
 */
#ifndef TK_LIVE_TRACY_WIRE_STREAM_H
#define TK_LIVE_TRACY_WIRE_STREAM_H

#include "base/err.h"
#include "live/tracy/state/protocol.h"

enum tk_tl_stream_state {
    TK_TL_AT_ANSWER,
    TK_TL_AT_WELCOME,
    TK_TL_AT_ON_DEMAND,
    TK_TL_AT_SIZE,
    TK_TL_AT_BLOCK,
    TK_TL_REFUSED /* see `answer` */
};

/* What takes what was cut off; each returns TK_OK or what tk_tl_stream_feed is to return. */
struct tk_tl_stream_taker {
    void *ctx; /* borrowed */
    int (*welcome)(void *ctx, const struct tk_tl_welcome *w, struct tk_err *err);
    int (*block)(void *ctx, const uint8_t *p, size_t n, struct tk_err *err);
};

struct tk_tl_stream {
    const struct tk_tl_protocol *protocol; /* borrowed */
    enum tk_tl_stream_state state;
    uint8_t answer;
    struct tk_tl_welcome welcome;
    size_t want, got;  /* bytes of what comes next, and of them in `room` */
    uint8_t *room;     /* owned: TK_TL_PACKED_MOST */
    uint8_t *unpacked; /* owned: blocks one after the other */
    size_t at;         /* where the next one goes */
    uint64_t blocks, bytes;
};

/* TK_OK or TK_ENOMEM. Release in any case. */
int tk_tl_stream_begin(struct tk_tl_stream *s, const struct tk_tl_protocol *protocol, struct tk_err *err);
void tk_tl_stream_release(struct tk_tl_stream *s);

/* Takes n bytes. TK_OK; TK_EFORMAT: no Tracy program sends this; TK_ECANCELED: refused, see `answer`; or what
 * the taker returned. */
int tk_tl_stream_feed(struct tk_tl_stream *s, const uint8_t *p, size_t n,
                      const struct tk_tl_stream_taker *taker, struct tk_err *err);

#endif
