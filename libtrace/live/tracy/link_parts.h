/*
 * What a connection to a Tracy program is made of, shared by the files that serve it: link.c receives and
 * asks, link_connect.c gets as far as the greeting, link_end.c says when it ends, link_out.c sends.
 */
#ifndef TK_LIVE_TRACY_LINK_PARTS_H
#define TK_LIVE_TRACY_LINK_PARTS_H

#include "live/tracy/link.h"
#include "live/tracy/state/stream.h"

enum tk_tl_step {
    TK_TL_WAITING,
    TK_TL_CONNECTING,
    TK_TL_GREETING,
    TK_TL_RECORDING,
    TK_TL_LEAVING,
    TK_TL_OVER
};

struct tk_tl_link {
    struct tk_tl_link_options options;
    enum tk_tl_step step;
    enum tk_tl_end end;
    struct tk_err err;
    struct tk_tl_protocol protocol;
    struct tk_tl_stream stream;
    struct tk_tl_session session;
    struct tk_os_socket *socket;
    size_t address, version; /* that are tried */
    bool has_stream, connected, draining;
    double began_trying, until, began, last;
    TK_VEC(uint8_t) out; /* questions on their way */
    size_t sent;
    uint64_t frames_before;
    uint8_t *room; /* owned: READ_BYTES */
};

/* Puts bytes on their way to the program. TK_OK or TK_ENOMEM. */
int tk_tl_link_put(struct tk_tl_link *l, const uint8_t *p, size_t n);

/* Sends what fits; with questions: as many as may be asked now. false: the connection is broken. */
bool tk_tl_link_send(struct tk_tl_link *l);
bool tk_tl_link_send_questions(struct tk_tl_link *l);

/* Frames that have come. */
uint64_t tk_tl_link_frames(const struct tk_tl_link *l);

/* Closes the connection, and forgets what is on its way. */
void tk_tl_link_drop(struct tk_tl_link *l);

/* It is over; the first end that was found out is that which counts. */
void tk_tl_link_finish(struct tk_tl_link *l, enum tk_tl_end end);

/* Tells the program that it is left. */
void tk_tl_link_leave(struct tk_tl_link *l, enum tk_tl_end end, double now);

/* Connects to the address that is to be tried. */
void tk_tl_link_connect(struct tk_tl_link *l, double now);

/* Another address, or the first one again after a while, or nobody is there. */
void tk_tl_link_try_next(struct tk_tl_link *l, struct tk_os_result why, double now);

/* The program waits for another connection with the number that it speaks. */
void tk_tl_link_try_protocol(struct tk_tl_link *l, double now);
void tk_tl_link_serve_connecting(struct tk_tl_link *l, double now);

/* Of a recording: is it time to leave the program? */
void tk_tl_link_look_at_end(struct tk_tl_link *l, double now);

#endif
