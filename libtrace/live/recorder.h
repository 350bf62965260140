/*
 * The recorder of Unreal programs: listens, writes one capture a connection, and reports what happens. The
 * command and the store stand on it.
 *
 *     tk_recorder_open(&recorder, &options, &err);
 *     while (wanted) {
 *         waits.list.n = 0;
 *         tk_recorder_ask(recorder, &waits);
 *         tk_os_socket_wait(waits.list.v, waits.list.n, NULL, 0.1);
 *         tk_recorder_serve(recorder, &waits);
 *     }
 *     tk_recorder_end(recorder, TK_SESSION_STOPPED);
 *     tk_recorder_close(recorder);
 */
#ifndef TK_LIVE_UNREAL_RECORDER_H
#define TK_LIVE_UNREAL_RECORDER_H

#include "live/access.h"
#include "live/session.h"

enum {
    TK_RECORDER_LISTEN = 4,        /* addresses at most */
    TK_RECORDER_SESSIONS = 1024,   /* connections at one time; more wait in the system */
    TK_RECORDER_HELLO_SECONDS = 5, /* for the whole header */
    TK_RECORDER_BUFFER = 1 << 20   /* of all connections: fewer calls of the system for each byte */
};

struct tk_recorder;

struct tk_recorder_events {
    /* A program is being recorded from now on. */
    void (*began)(void *ctx, const struct tk_session *s);
    /* It is over; the file is closed. Also of connections that never were recorded
     * (tk_session.recording). */
    void (*ended)(void *ctx, const struct tk_session *s, const struct tk_live_figures *figures);
    /* It goes on in another file; `path` of `bytes` is closed. With err: it could not, and goes on in the
     * same one. NULL: nobody wants to know. */
    void (*turned)(void *ctx, const struct tk_session *s, const char *path, uint64_t bytes,
                   const struct tk_err *err);
    /* Somebody who may not connect did. */
    void (*denied)(void *ctx, const struct tk_os_address *from);
    /* A channel of a program was switched; NULL: nobody wants to know. */
    void (*channel)(void *ctx, const struct tk_session *s, const char *name, uint32_t id, bool enabled);
    void *ctx;
};

struct tk_recorder_options {
    struct tk_os_address listen[TK_RECORDER_LISTEN];
    size_t n_listen;
    struct tk_live_access access;
    bool (*may)(void *ctx, const struct tk_os_address *from); /* is this one wanted, too? NULL: anybody; ctx
                                                                 is that of the events */
    const char *file; /* for the first program, with a number where it goes on in others; NULL: all go into
                         the folder. Texts are borrowed. */
    bool replace;     /* the file, where it is there */
    const char *folder, *prefix;
    uint64_t file_bytes; /* a file ends there, or behind the last packet before; 0: never */
    uint64_t turn_bytes; /* of a file, behind which the recording goes on in a new one; 0: any number */
    double turn_seconds; /* the same */
    uint64_t free_bytes; /* that the disk keeps */
    uint64_t programs;   /* no more are taken; 0: any number */
    bool summary;
    struct tk_recorder_events events;
};

/* Listens. TK_OK; TK_EIO: it cannot, as when another one does. The caller closes it. */
int tk_recorder_open(struct tk_recorder **out, const struct tk_recorder_options *options, struct tk_err *err);

/* Where it listens at address i; NULL: there are no more. */
const struct tk_os_address *tk_recorder_address(const struct tk_recorder *r, size_t i);

/* Adds what it waits for. */
int tk_recorder_ask(struct tk_recorder *r, struct tk_live_waits *waits);

/* Does what can be done. TK_OK; TK_EIO: the file of the options cannot be created. Another file that
 * cannot is the end of that session alone. */
int tk_recorder_serve(struct tk_recorder *r, const struct tk_live_waits *waits, struct tk_err *err);

/* Ends all recordings, in order, for this reason; nothing more is accepted. */
void tk_recorder_end(struct tk_recorder *r, enum tk_session_end why);

/* ---- what is going on ---- */

/* Connections, those without a whole header, too. Session i is there until the next tk_recorder_serve. */
size_t tk_recorder_count(const struct tk_recorder *r);
const struct tk_session *tk_recorder_session(const struct tk_recorder *r, size_t i);

struct tk_recorder_state {
    uint64_t began, ended; /* recordings */
    uint64_t bytes;        /* of all files */
    double last;           /* tk_os_seconds when the last bytes came; 0: none did */
};
struct tk_recorder_state tk_recorder_state(const struct tk_recorder *r);

/* NULL is allowed. */
void tk_recorder_close(struct tk_recorder *r);

#endif
