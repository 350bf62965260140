/*
 * A connection to a Tracy program: from connecting to the capture (tracy-live 2, 3, 8 to 11). The command
 * holds one for each program that it records, and lets them wait together.
 *
 *     tk_tl_link_open(&link, &options, &err);
 *     while (!tk_tl_link_is_over(link)) {
 *         waits.list.n = 0;
 *         tk_tl_link_ask(link, &waits);
 *         tk_os_socket_wait(waits.list.v, waits.list.n, NULL, 0.1);
 *         tk_tl_link_serve(link, &waits, tk_os_seconds());
 *         if (tk_tl_link_wants_log(link) && (rc = tk_tl_log_create(&log, path, false, &err)) == TK_OK)
 *             tk_tl_link_keep(link, &log);
 *     }
 *     if (tk_tl_link_has_capture(link))
 *         rc = tk_tl_link_save(link, path, false, NULL, &err);
 *     tk_tl_link_close(link);
 */
#ifndef TK_LIVE_TRACY_LINK_H
#define TK_LIVE_TRACY_LINK_H

#include "base/vec.h"
#include "live/access.h"
#include "live/tracy/log.h"
#include "live/tracy/state/state.h"
#include "os/socket.h"

#include <stdint.h>

enum { TK_TL_LINK_ADDRESSES = 64 };

struct tk_tl_link_options {
    struct tk_os_address at[TK_TL_LINK_ADDRESSES]; /* all ports are tried at once */
    size_t n_at;
    double patience;        /* seconds to go on trying to connect; negative: without end */
    double again;           /* seconds between two attempts at an address; 0: 0.02 */
    double seconds;         /* of the recording; 0: no end */
    double idle;            /* it ends when nothing came for so long; 0: it does not */
    uint64_t frames, bytes; /* it ends with so many frames of the main set, bytes that came; 0: it does not */
    bool keeps;             /* what arrives goes into a log, which tk_tl_link_keep gives it */
    struct tk_tl_options session;

    /* May who listens there be spoken to? NULL: anybody. */
    bool (*may)(void *ctx, const struct tk_os_address *at);
    /* Is it to be recorded, who has greeted from there with this process id? If not, it is left, and the
     * search goes on. NULL: anybody. */
    bool (*wants)(void *ctx, const struct tk_os_address *at, uint64_t pid);
    void *ctx;
};

/* Why a connection is over. */
enum tk_tl_end {
    TK_TL_GOES_ON,
    TK_TL_END_EXIT,    /* the program has ended */
    TK_TL_END_CRASH,   /* it crashed, and reported that */
    TK_TL_END_STOPPED, /* tk_tl_link_stop */
    TK_TL_END_SECONDS,
    TK_TL_END_FRAMES,
    TK_TL_END_BYTES,
    TK_TL_END_IDLE,
    TK_TL_END_BROKEN,  /* the connection broke */
    TK_TL_END_DAMAGED, /* what came makes no sense */
    TK_TL_END_RULE,    /* the program broke a rule of its own instrumentation */
    TK_TL_END_LIMIT,   /* a limit was reached */
    TK_TL_END_FULL,    /* the disk of the log is full */
    TK_TL_END_FAILED,  /* out of memory or disk space */
    /* nothing was recorded; those behind say more */
    TK_TL_END_ABSENT,   /* nobody is there */
    TK_TL_END_OTHER,    /* the caller does not want it */
    TK_TL_END_GONE,     /* it closes the connection without an answer */
    TK_TL_END_FOREIGN,  /* it is no Tracy program */
    TK_TL_END_SILENT,   /* it does not answer */
    TK_TL_END_PROTOCOL, /* it speaks none that is read */
    TK_TL_END_BUSY      /* it takes no recording any more */
};

/* A few words for it. Static. */
const char *tk_tl_end_text(enum tk_tl_end end);

struct tk_tl_link;

/* Begins to connect. TK_OK or TK_ENOMEM. */
int tk_tl_link_open(struct tk_tl_link **out, const struct tk_tl_link_options *options);

/* Adds what it waits for. TK_OK or TK_ENOMEM. */
int tk_tl_link_ask(struct tk_tl_link *l, struct tk_live_waits *waits);

/* Does what can be done. */
void tk_tl_link_serve(struct tk_tl_link *l, const struct tk_live_waits *waits, double now);

/* Ends the recording in order: what was requested is still awaited, 2 seconds at most. A second time: at
 * once. */
void tk_tl_link_stop(struct tk_tl_link *l, double now);

bool tk_tl_link_is_over(const struct tk_tl_link *l);

/* Seconds until something is to be done that no socket says; at most `most`. */
double tk_tl_link_rest(const struct tk_tl_link *l, double now, double most);

/* Leaves a program that has greeted, at once and without a recording. */
void tk_tl_link_let_go(struct tk_tl_link *l);

/* Tries one more address, while nobody was found. */
void tk_tl_link_also(struct tk_tl_link *l, const struct tk_os_address *at);

/* Has it greeted, and does it keep what arrives, but has no log yet? Nothing more is read until it has. */
bool tk_tl_link_wants_log(const struct tk_tl_link *l);

/* Gives it its log, which is borrowed until the connection is closed. What arrived goes into it first. */
void tk_tl_link_keep(struct tk_tl_link *l, struct tk_tl_log *log);

/* ---- what is known of it ---- */

struct tk_tl_link_state {
    enum tk_tl_end end;
    const struct tk_err *err;          /* causes, for ends that have some; borrowed */
    const struct tk_tl_state *session; /* NULL: it has not greeted; borrowed */
    unsigned protocol;                 /* that it speaks; 0: not known */
    struct tk_os_address at;
    bool connected;
    uint64_t bytes, events, frames, questions; /* questions: that wait for their answers */
    uint64_t memory;                           /* bytes of what is kept in memory, about */
    double began, last; /* tk_os_seconds of the greeting and the last bytes; 0 before */
};
struct tk_tl_link_state tk_tl_link_state(const struct tk_tl_link *l);

/* Is there something to be saved? */
bool tk_tl_link_has_capture(const struct tk_tl_link *l);

/* Writes the capture when the connection is over: as tk_tl_log_save. */
int tk_tl_link_save(struct tk_tl_link *l, const char *path, bool force, int (*stop)(void *ctx),
                    struct tk_err *err);

/* From the end of a block at or behind so many bytes on, nothing is read until tk_tl_link_rotate. */
void tk_tl_link_cut(struct tk_tl_link *l, uint64_t bytes);

/*
 * Writes a capture of what has come since the one before, and goes on: names, frames, code and what is open
 * are in the next one, too, so that each can be read without the others, and a merge gives what one would
 * have been. The log begins anew. Between calls of tk_tl_link_serve. TK_ITEM; TK_OK: the end of a block is
 * awaited, or (but with `any`) no time has passed since the one before; or as tk_tl_log_save and
 * tk_tl_log_renew, and then the recording ends.
 */
int tk_tl_link_rotate(struct tk_tl_link *l, const char *path, bool force, bool any, struct tk_err *err);

/* NULL is allowed. */
void tk_tl_link_close(struct tk_tl_link *l);

/*
 * Programs that announce themselves: datagrams of Tracy programs that wait to be recorded, and the list of
 * those that were heard (tracy-live 2). The command shows it, and waits for a name in it.
 */

enum {
    TK_TL_ANNOUNCE_PORT = 8086,
    TK_TL_ANNOUNCE_NAME = 64,    /* bytes of a name with its NUL */
    TK_TL_ANNOUNCE_BYTES = 2048, /* space for a datagram */
    TK_TL_ANNOUNCED_MOST = 1024  /* programs that are listed */
};

struct tk_tl_announced {
    struct tk_os_address at; /* of the program, with the port that it listens on */
    uint32_t protocol;
    uint64_t pid;                   /* 0: not reported */
    int32_t active;                 /* seconds since it has waited, when it was heard */
    char name[TK_TL_ANNOUNCE_NAME]; /* as it was sent: show it with care */
    double heard;                   /* tk_os_seconds of the last datagram */
    bool taken;                     /* for the caller */
};

struct tk_tl_announcements {
    TK_VEC(struct tk_tl_announced) list;
};

/* Reads a datagram. false: it is none of a Tracy program. */
bool tk_tl_announce_read(struct tk_tl_announced *out, const uint8_t *p, size_t n,
                         const struct tk_os_address *from);

/* Enters what a datagram says: a program that is new, is still there, or waits no more. The entry, or NULL:
 * it is gone, it was no such datagram, memory or the list are full. *is_new: it was not listed before. */
struct tk_tl_announced *tk_tl_announce_take(struct tk_tl_announcements *a, const uint8_t *p, size_t n,
                                            const struct tk_os_address *from, double now, bool *is_new);

/* Forgets programs that were silent for 10 seconds. */
void tk_tl_announce_age(struct tk_tl_announcements *a, double now);

#endif
