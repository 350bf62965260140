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
 * queries, link_try.c gets as far as the first answer, link_end.c says when it ends, and sends.
 */

enum tk_tl_step { TK_TL_TRYING, TK_TL_GREETING, TK_TL_RECORDING, TK_TL_LEAVING, TK_TL_OVER };

enum { TK_TL_PORTS = 24, TK_TL_PORT_ADDRESSES = 4, TK_TL_GREETING_SECONDS = 10 };

/* A port at which a program may listen: its addresses are tried one after the other, as a program that has
 * taken one connection looks at no other. */
struct tk_tl_try {
    struct tk_os_address at[TK_TL_PORT_ADDRESSES];
    size_t n_at, address;
    struct tk_os_socket *socket; /* owned; NULL: nobody is being reached */
    bool connected;              /* it was, and the mark is on its way */
    size_t version;
    double since, until; /* when that began; when it is given up, or tried again */
    enum tk_tl_end why;  /* what came of it last; TK_TL_GOES_ON: nothing yet */
};

struct tk_tl_link {
    struct tk_tl_link_options options;
    struct tk_tl_try tries[TK_TL_PORTS];
    size_t n_tries, adopted; /* adopted: that which is greeted */
    struct tk_os_address at; /* of what was found out last */
    enum tk_tl_step step;
    enum tk_tl_end end;
    struct tk_err err;
    struct tk_tl_protocol protocol;
    struct tk_tl_stream stream;
    struct tk_tl_session session;
    struct tk_os_socket *socket;
    bool has_stream, connected, draining;
    double began_trying, until, began, last;
    TK_VEC(uint8_t) head;  /* what arrived before there was a log */
    struct tk_tl_log *log; /* borrowed; NULL: none, or none yet */
    bool log_ended;        /* what arrives now is not kept */
    TK_VEC(uint8_t) out;   /* questions on their way */
    size_t sent;
    uint64_t cut;      /* bytes behind which nothing is read from the end of a block on; 0: all is */
    uint64_t counted;  /* bytes up to a size that was requested; 0: all */
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

/* Where it may be (link_try.c). Too many of them are left out. */
void tk_tl_link_add_try(struct tk_tl_link *l, const struct tk_os_address *at);
int tk_tl_link_ask_tries(struct tk_tl_link *l, struct tk_live_waits *waits);
/* true: one has answered that it can be recorded, and is l->socket from now on. */
bool tk_tl_link_serve_tries(struct tk_tl_link *l, const struct tk_live_waits *waits, double now);
void tk_tl_link_end_tries(struct tk_tl_link *l);

/* The one that was greeted is none after all: others are tried, unless it was the last. */
void tk_tl_link_refuse(struct tk_tl_link *l, enum tk_tl_end why, double now);

/* Says the program at once that it is left. */
void tk_tl_link_say_goodbye(struct tk_tl_link *l);

/* What a socket was waited for; NULL: it was not. */
const struct tk_os_wait *tk_tl_wait_of(const struct tk_os_socket *socket, const struct tk_live_waits *waits);

/* Of a recording: is it time to leave the program? */
void tk_tl_link_look_at_end(struct tk_tl_link *l, double now);

/*
 * A capture of what a session has brought: one pass over its state and its columns writes a .tracy
 * (tracy-live 12). The recorder calls it when the program has been left.
 */

/* Writes the file with `write`, packed as Tracy's tool of that release does. Nothing can be added to the
 * state afterwards, unless the recording goes on in another capture (tk_tl_rotate). TK_OK, TK_EOUTPUT,
 * TK_ENOMEM or what `write` said. */
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
int tk_tl_save_names(struct tk_tl_state *s, struct tk_tracy_writer *w);

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
