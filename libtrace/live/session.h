/*
 * One connection of an Unreal program: its header, its file, what it holds so far. The recorder has many.
 */
#ifndef TK_LIVE_SESSION_H
#define TK_LIVE_SESSION_H

#include "live/access.h"
#include "os/socket.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Cuts a stream into its packets as it comes (wire 2), and remembers up to where it is whole. Between the
 * recorder and the summary.
 */

struct tk_live_packets {
    uint64_t whole; /* offset behind the last whole packet */
    uint64_t count; /* whole packets */
    bool damaged;   /* no packet can begin at `whole`: what comes is not looked at any more */
    uint8_t *carry; /* owned: a packet that is not all there */
    size_t n_carry, cap_carry;
};

/* A whole packet with its header, at an offset of the stream. Negative returns end the feeding and are passed
 * on. */
typedef int tk_live_packet_fn(void *ctx, const uint8_t *packet, size_t n, uint64_t offset);

/* Takes the next n bytes of the stream, which begins behind the header at tk_live_packets.whole. TK_OK,
 * TK_ENOMEM or what fn said. */
int tk_live_packets_feed(struct tk_live_packets *s, const uint8_t *p, size_t n, tk_live_packet_fn *fn,
                         void *ctx);

void tk_live_packets_release(struct tk_live_packets *s);

/*
 * The first bytes that an Unreal program sends (wire 1, live 2.2), judged as they come. The recorder makes a
 * file when they are whole.
 */

enum { TK_HELLO_MOST = 6 + 65535 + 2 }; /* bytes of the longest header */

enum tk_hello_state {
    TK_HELLO_MORE, /* so far it fits */
    TK_HELLO_WHOLE,
    TK_HELLO_FOREIGN, /* no Unreal program */
    TK_HELLO_DAMAGED  /* one, but what it says of itself does not fill its block */
};

struct tk_hello {
    size_t size; /* of the whole header */
    uint8_t transport, protocol;
    bool has_port, has_session, has_trace;
    uint16_t control_port;
    uint8_t session_guid[16], trace_guid[16];
};

/* Judges the first n bytes; *out is filled when they hold the whole header, which may be followed by more. */
enum tk_hello_state tk_hello_judge(const uint8_t *p, size_t n, struct tk_hello *out);

/* The text of a guid as the engine writes it: four words in upper-case hex. */
void tk_hello_guid_text(char out[33], const uint8_t guid[16]);

/* "UE 4", "UE 5", by what the header can tell. Static. */
const char *tk_hello_engine(const struct tk_hello *hello);

/*
 * What a stream holds so far, decoded as it comes: the program, threads, frames, events, lost events. The
 * recorder feeds it; it never stops a recording.
 */

struct tk_live_summary;

enum { TK_LIVE_TEXT = 64 }; /* bytes of a text of the program, cut and cleaned */

struct tk_live_figures {
    char program[TK_LIVE_TEXT], build[TK_LIVE_TEXT], platform[TK_LIVE_TEXT]; /* "" as long as not known */
    uint64_t threads, frames, events, types;
    uint64_t lost;        /* serial numbers that are missing between others */
    uint64_t bad_packets; /* that do not unpack */
    bool undeclared;      /* events came, but nothing declares them (a second connection of 4.27) */
    bool stopped;         /* memory or a limit was out: the figures end somewhere */
};

/* Begins one for a stream with this header. NULL: out of memory, or nothing is known of such streams. */
struct tk_live_summary *tk_live_summary_new(const struct tk_hello *hello);

/* A whole packet at an offset of the stream. Never fails. */
void tk_live_summary_feed(struct tk_live_summary *s, const uint8_t *packet, size_t n, uint64_t offset);

/* The stream has ended: events that wait for others are counted, and missing numbers up to the last rounds.
 * Once. */
void tk_live_summary_finish(struct tk_live_summary *s);

/* The figures so far. */
void tk_live_summary_tell(const struct tk_live_summary *s, struct tk_live_figures *out);

/* A switch of a channel that came, where somebody requested them. Those that come before any name wait for
 * theirs. */
typedef void tk_live_channel_fn(void *ctx, const char *name, uint32_t id, bool enabled);
void tk_live_summary_watch(struct tk_live_summary *s, tk_live_channel_fn *fn, void *ctx);

/* What is known of a channel, where switches are watched. */
struct tk_live_channel {
    uint32_t id;
    bool announced, enabled, read_only; /* announced: it has a name */
    bool waits, switched;               /* for its name, so that the switch is reported with it */
    char name[TK_LIVE_TEXT];
};

/* Channel i; NULL: there are no more. */
const struct tk_live_channel *tk_live_summary_channel(const struct tk_live_summary *s, size_t i);

/* NULL is allowed. */
void tk_live_summary_free(struct tk_live_summary *s);

/*
 * A recording that goes on in a new file now and then (rotation.h).
 */

struct tk_rotation_options {
    uint64_t bytes; /* of a file; 0: any number */
    double seconds; /* of a file; 0: any number */
    const char
        *file; /* names come of it; NULL: they are of the clock, in the folder. Borrowed, as all texts. */
    const char *folder, *prefix;
    bool replace;
};

/* Bytes of a file. */
struct tk_rotation_span {
    uint64_t offset, n;
};

struct tk_rotation {
    struct tk_rotation_options options;
    uint32_t number;         /* of the file, from 1 on; 0: the recording has one alone */
    uint8_t *hello;          /* owned: the header of the stream */
    struct tk_os_file *from; /* owned: the file in hand, which may be removed by then */
    size_t n_hello;
    uint64_t own;     /* bytes of the file that are its header, and what it repeats */
    uint64_t stream;  /* offset of the stream behind these */
    uint64_t limit;   /* bytes of the file in hand; 0: any number */
    uint16_t highest; /* thread so far */
    double began;
    TK_VEC(struct tk_rotation_span) names; /* declarations and definitions that are in it */
};

/* Where an offset of the stream is in the file. */
static inline uint64_t tk_rotation_place(const struct tk_rotation *t, uint64_t offset)
{
    return offset - t->stream + t->own;
}

enum tk_session_end {
    TK_SESSION_GOES_ON,
    TK_SESSION_CLOSED,  /* the program closed it */
    TK_SESSION_RESET,   /* it broke */
    TK_SESSION_SILENT,  /* the program's machine does not answer any more */
    TK_SESSION_SIZE,    /* the file is as large as was requested */
    TK_SESSION_STOPPED, /* the recorder was requested to end */
    TK_SESSION_SECONDS, /* so much time was requested */
    TK_SESSION_IDLE,    /* nothing came for as long as was requested */
    TK_SESSION_FULL,    /* the disk is full, or would be fuller than was requested */
    TK_SESSION_FAILED,  /* the file cannot be written */
    TK_SESSION_FOREIGN, /* never began: it is not an Unreal program */
    TK_SESSION_DAMAGED_HELLO,
    TK_SESSION_LATE,  /* never began: its header did not come in time */
    TK_SESSION_EMPTY, /* never began: closed without a byte, as programs from 5.4 on do */
    TK_SESSION_CUT_HELLO
};

struct tk_recorder_events;

struct tk_session {
    uint64_t id;                             /* of this recorder, from 1 on */
    const struct tk_recorder_events *events; /* borrowed: who is reported */
    struct tk_os_socket *socket;             /* owned */
    struct tk_os_address from;
    double since, last; /* seconds of tk_os_seconds: when it was accepted, and heard last */
    uint8_t *head;      /* owned: the header, as long as it is not whole */
    size_t n_head, cap_head;
    bool recording; /* the header is whole, and there is a file */
    struct tk_hello hello;
    struct tk_live_file file;
    struct tk_live_packets packets;
    struct tk_rotation rotation;
    struct tk_live_summary *summary; /* owned; NULL: none is made */
    enum tk_session_end end;
    struct tk_os_result why; /* of TK_SESSION_FAILED and TK_SESSION_FULL */
    const char *looks;       /* of TK_SESSION_FOREIGN */
};

/* Does the stream end inside a packet? */
static inline bool tk_session_is_cut(const struct tk_session *s)
{
    return s->packets.n_carry > 0 && !s->packets.damaged;
}

/* A few words on why it ended: "the program closed it". Static. */
const char *tk_session_end_text(enum tk_session_end end);

void tk_session_free(struct tk_session *s);

/*
 * When and how a recording of an Unreal program goes on in a new file. The recorder has one for each
 * connection.
 */

/* Begins with the file of a path, whose first n bytes are the header of the stream. TK_OK, TK_EIO or
 * TK_ENOMEM. */
int tk_rotation_begin(struct tk_rotation *t, const struct tk_rotation_options *o, const char *path,
                      const uint8_t *hello, size_t n, double now);

void tk_rotation_release(struct tk_rotation *t);

/* Notes a whole packet at an offset of the stream, if later files have to begin with it. TK_OK or TK_ENOMEM.
 */
int tk_rotation_note(struct tk_rotation *t, const uint8_t *packet, size_t n, uint64_t offset);

/* Has the file so many bytes, or is it so old, that the next one is to begin? The stream is whole up to
 * `whole`. */
bool tk_rotation_is_due(const struct tk_rotation *t, uint64_t bytes, uint64_t whole, double now);

/* "run.utrace" -> "run-002.utrace"; to be freed. NULL without memory. */
char *tk_rotation_name(const char *path, uint32_t number);

/*
 * Begins the next file behind the last whole packet: *old is the one before, which the caller closes. TK_OK;
 * or negative, and the recording goes on where it is.
 */
int tk_rotation_next(struct tk_rotation *t, struct tk_live_file *file, struct tk_live_file *old,
                     const struct tk_live_packets *packets, double now, struct tk_err *err);

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
    void (*rotated)(void *ctx, const struct tk_session *s, const char *path, uint64_t bytes,
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
    uint64_t file_bytes;   /* a file ends there, or behind the last packet before; 0: never */
    uint64_t rotate_bytes; /* of a file, behind which the recording goes on in a new one; 0: any number */
    double rotate_seconds; /* the same */
    uint64_t free_bytes;   /* that the disk keeps */
    uint64_t programs;     /* no more are taken; 0: any number */
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
