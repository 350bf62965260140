/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_LIVE_TRACY_TRACY_IN_H
#define TK_LIVE_TRACY_TRACY_IN_H

#include "format/tracy/file/sections_out.h"
#include "live/tracy/link.h"
#include "live/tracy/state/protocol.h"
#include "live/tracy/state/state.h"

/*
 * What a connection to a Tracy program is made of, shared by the files that serve it: link.c receives and
 * queries, link_connect.c gets as far as the greeting, link_end.c says when it ends, link_out.c sends.
 */

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
    TK_VEC(uint8_t) head;  /* what arrived before there was a log */
    struct tk_tl_log *log; /* borrowed; NULL: none, or none yet */
    bool log_ended;        /* what arrives now is not kept */
    TK_VEC(uint8_t) out;   /* questions on their way */
    size_t sent;
    uint8_t *capacity; /* owned: READ_BYTES */
};

/* Puts bytes on their way to the program. TK_OK or TK_ENOMEM. */
int tk_tl_link_put(struct tk_tl_link *l, const uint8_t *p, size_t n);

/* Sends what fits; with questions: as many as may be queried now. false: the connection is broken. */
bool tk_tl_link_send(struct tk_tl_link *l);
bool tk_tl_link_send_questions(struct tk_tl_link *l);

/* Closes the connection, and forgets what is on its way. */
void tk_tl_link_drop(struct tk_tl_link *l);

/* It is over; the first end that was found out is that which counts. */
void tk_tl_link_finish(struct tk_tl_link *l, enum tk_tl_end end);

/* Says the program that it is left. */
void tk_tl_link_leave(struct tk_tl_link *l, enum tk_tl_end end, double now);

/* Ends the recording in order: what was requested is still awaited for a while. */
void tk_tl_link_drain(struct tk_tl_link *l, enum tk_tl_end end, double now);

/* Connects to the address that is to be tried. */
void tk_tl_link_connect(struct tk_tl_link *l, double now);

/* Another address, or the first one again after a while, or nobody is there. */
void tk_tl_link_try_next(struct tk_tl_link *l, struct tk_os_result why, double now);

/* The program waits for another connection with the number that it speaks. */
void tk_tl_link_try_protocol(struct tk_tl_link *l, double now);
void tk_tl_link_serve_connecting(struct tk_tl_link *l, double now);

/* Of a recording: is it time to leave the program? */
void tk_tl_link_look_at_end(struct tk_tl_link *l, double now);

/*
 * A capture of what a session has brought: one pass over its state and its columns writes a .tracy
 * (tracy-live 12). The recorder calls it when the program has been left.
 */

/* Writes the file with `write`, packed as Tracy's tool of that release does. Nothing can be added to the
 * state afterwards. TK_OK, TK_EOUTPUT, TK_ENOMEM or what `write` said. */
int tk_tl_save(struct tk_tl_state *s, tk_tracy_write_fn *write, void *ctx, struct tk_err *err);

/*
 * What the files of this folder share: the parts of a capture, and columns read in order of time. Each part
 * returns TK_OK, TK_EOUTPUT or TK_ENOMEM; the writer keeps its own errors.
 */

/* Records of 16 bytes that begin with their time, as they came or sorted; equal ones stay in order. */
enum { TK_TL_ORDERED = 16 };

struct tk_tl_ordered {
    struct tk_spill_column_reading reading;
    struct tk_external_sort *sort; /* owned; NULL: they are in order */
    struct tk_err *err;            /* borrowed */
};

/* TK_OK, TK_EOUTPUT, TK_ENOMEM. Close it in any case. */
int tk_tl_ordered_open(struct tk_tl_ordered *o, struct tk_tl_state *s, const struct tk_spill_column *c,
                       bool sort, struct tk_err *err);
/* TK_ITEM, TK_OK at the end, or an error. */
int tk_tl_ordered_next(struct tk_tl_ordered *o, const void **record);
void tk_tl_ordered_close(struct tk_tl_ordered *o);

int tk_tl_save_frames(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_sections(struct tk_tl_state *s, struct tk_tracy_writer *w);
void tk_tl_save_names(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_locks(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_messages(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_extras(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_threads(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_gpus(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_plots(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_memory(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_code(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_images(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_switches(struct tk_tl_state *s, struct tk_tracy_writer *w);
int tk_tl_save_symbols(struct tk_tl_state *s, struct tk_tracy_writer *w);

/* Copies n bytes of a column of bytes. */
int tk_tl_save_bytes(struct tk_spill_column_reading *r, struct tk_tracy_writer *w, uint64_t n);

#endif
