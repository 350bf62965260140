/*
 * The store: answers viewers about the captures of a folder, and gives them out, those that are being
 * recorded too. It stands alongside a recorder that writes into the folder, and is served in the same loop.
 */
#ifndef TK_LIVE_SERVER_H
#define TK_LIVE_SERVER_H

#include "base/err.h"
#include "base/vec.h"
#include "live/session.h"
#include "os/socket.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The maps of CBOR that a store and its viewers exchange (live 3.2): flat, keys are strings. Both sides of
 * the protocol read and write them.
 */

enum tk_cbor_kind {
    TK_CBOR_NUMBER,   /* value */
    TK_CBOR_NEGATIVE, /* -1 - value */
    TK_CBOR_STRING,   /* text or bytes */
    TK_CBOR_OTHER     /* truth, nothing, reals: passed over */
};

struct tk_cbor_item {
    enum tk_cbor_kind kind;
    uint64_t value;
    const char *text; /* borrowed; n bytes, without NUL */
    size_t n;
};

/*
 * The value of a key in a map of n bytes. Keys and values are taken in turn, up to the first that fits: what
 * stands behind it may be anything, and the break at the end may be missing. false: there is none, it is no
 * map, or something in front of it is not flat or runs over the end.
 */
bool tk_cbor_find(const uint8_t *p, size_t n, const char *key, struct tk_cbor_item *out);

/* The low 32 bits of the number of a key, as viewers send ids with and without sign. false: there is none. */
bool tk_cbor_find_low(const uint8_t *p, size_t n, const char *key, uint32_t *out);

/* Is it a map at all? */
bool tk_cbor_is_map(const uint8_t *p, size_t n);

/* Writes into a buffer of the caller; what does not fit is noted. */
struct tk_cbor_writer {
    uint8_t *p;
    size_t n, capacity;
    bool full;
};

void tk_cbor_begin(struct tk_cbor_writer *w); /* a map of unknown length */
void tk_cbor_end(struct tk_cbor_writer *w);
void tk_cbor_put_number(struct tk_cbor_writer *w, const char *key, uint64_t value);
void tk_cbor_put_text(struct tk_cbor_writer *w, const char *key, const char *text, size_t n);
void tk_cbor_put_empty_array(struct tk_cbor_writer *w, const char *key);

/* As viewers write: keys and texts are byte strings. */
void tk_cbor_put_request(struct tk_cbor_writer *w, const char *key, const char *text);
void tk_cbor_put_argument(struct tk_cbor_writer *w, const char *key, uint64_t value);

/*
 * The captures in the folder of a store, with ids that stay as long as it runs. The server answers from it.
 */

enum { TK_STORE_CAPTURES = 65536 /* at most; others are not listed */ };

struct tk_store_capture {
    char *name; /* of the file, without its ending; owned */
    uint32_t id;
    uint64_t size;
    int64_t modified; /* seconds since 1970 */
};

/* Zero-initialise. */
struct tk_store_listing {
    TK_VEC(struct tk_store_capture) captures; /* in the order of the bytes of their names */
    const char *ending;                       /* of the files; NULL: .utrace. Borrowed. */
    uint32_t change_serial;                   /* changes when a file comes, goes or gets another name */
};

/* Reads the folder again: regular files with that ending, no links. false when it cannot be read or out of
 * memory; then all is as before. */
bool tk_store_listing_read(struct tk_store_listing *l, const char *folder);

/* NULL: there is none. */
const struct tk_store_capture *tk_store_listing_find(const struct tk_store_listing *l, uint32_t id);

/* By the name without .utrace. */
const struct tk_store_capture *tk_store_listing_named(const struct tk_store_listing *l, const char *name,
                                                      size_t n);

/* The hash that ids are made of (live 3.5). */
uint32_t tk_store_hash(const char *text, size_t n);

void tk_store_listing_release(struct tk_store_listing *l);

/*
 * What a store answers to a request (live 3.4). Between the server, which has the connections, and the
 * listing.
 */

/* Statuses of answers. */
enum {
    TK_STORE_GOOD = 200,
    TK_STORE_BAD = 400,
    TK_STORE_FORBIDDEN = 403,
    TK_STORE_UNKNOWN = 404,
    TK_STORE_FAILED = 500
};

enum tk_store_form {
    TK_STORE_FORM_5_1, /* byte for byte as the servers of 5.0 and 5.1 */
    TK_STORE_FORM_5_4  /* and what those of 5.4 and later add */
};

/* What is answered from. All borrowed. */
struct tk_store_facts {
    enum tk_store_form form;
    const char *folder; /* absolute */
    const struct tk_store_listing *listing;
    const struct tk_recorder *recorder;
    uint16_t recorder_port, store_port;
    /* Opens a port for the caller (live 3.7); 0: it cannot. */
    uint16_t (*relay)(void *ctx, const struct tk_store_capture *capture);
    void *ctx;
};

/* The session that a capture is recorded in now, or NULL. */
const struct tk_session *tk_store_session_of(const struct tk_recorder *recorder, const char *name);

/* The answer to the n bytes of a request, without its count. */
void tk_store_answer(const struct tk_store_facts *facts, const uint8_t *p, size_t n,
                     struct tk_cbor_writer *out);

/* An answer that says a status alone. */
void tk_store_answer_status(struct tk_cbor_writer *out, unsigned status);

enum {
    TK_STORE_CLIENTS = 256,       /* connections at one time; more wait in the system */
    TK_STORE_REQUEST = 4096,      /* bytes of the longest request; real ones have up to 51 */
    TK_STORE_REQUEST_SECONDS = 10 /* for the rest of a request that has begun */
};

struct tk_store;

struct tk_store_options {
    struct tk_os_address listen;
    struct tk_live_access access;
    const char *folder; /* borrowed */
    enum tk_store_form form;
    const struct tk_recorder *recorder; /* borrowed; it is closed after the store */
};

/* Listens. TK_OK; TK_EIO: it cannot, or there is no such folder. The caller closes it. */
int tk_store_open(struct tk_store **out, const struct tk_store_options *options, struct tk_err *err);

/* Where it listens. */
const struct tk_os_address *tk_store_address(const struct tk_store *s);

/* Adds what it waits for. TK_OK or TK_ENOMEM. */
int tk_store_ask(struct tk_store *s, struct tk_live_waits *waits);

/* Does what can be done, before its recorder does: what has been recorded when a session ends is sent. */
void tk_store_serve(struct tk_store *s, const struct tk_live_waits *waits);

/* NULL is allowed. */
void tk_store_close(struct tk_store *s);

/*
 * Which captures of a store stay: rules for its disk. Only files that a recorder named by the clock are
 * removed, never one that is being written, or that somebody has given another name.
 */

struct tk_keep_rules {
    double days;         /* older ones go; 0: none for their age */
    uint64_t most_bytes; /* of all; 0: any number */
    uint64_t free_bytes; /* of the disk; 0: any number */
    const char *prefix;  /* that names begin with; NULL: none. Borrowed. */
    const char *ending;  /* of the files; NULL: .utrace. Borrowed. */
};

enum tk_keep_reason { TK_KEEP_DAYS, TK_KEEP_BYTES, TK_KEEP_FREE };

/* A file was removed. */
typedef void tk_keep_fn(void *ctx, const char *name, uint64_t bytes, enum tk_keep_reason reason);

/* Is it a name that a recorder gives: PREFIX + YYYYMMDD_HHMMSS[_NN][.PROGRAM]? */
bool tk_keep_is_ours(const char *name, const char *prefix);

/* Applies the rules to a folder, the oldest files first. What cannot be removed stays. */
void tk_keep_apply(const struct tk_keep_rules *rules, const char *folder, int64_t now, tk_keep_fn *reported,
                   void *ctx);

/*
 * A capture that a store gives out, looked at as it comes, also while it grows. The control client sees there
 * what a program did.
 */

struct tk_store_client;
struct tk_tap;

/* Opens the capture of an id. TK_ITEM; TK_OK: the store has none; negative. The caller closes it. */
int tk_tap_open(struct tk_tap **out, struct tk_store_client *client, uint32_t id, struct tk_err *err);

/* Who is notified of switched channels from now on; NULL: nobody. */
void tk_tap_watch(struct tk_tap *t, tk_live_channel_fn *fn, void *ctx);

/* Waits up to some seconds for bytes, and looks at them. TK_ITEM: some came; TK_OK: none did; TK_EPIPE: it
 * has ended; TK_EFORMAT: it is no capture of Unreal. */
int tk_tap_take(struct tk_tap *t, double seconds, struct tk_err *err);

/* Takes what was there when the capture was opened. TK_OK; TK_EPIPE: and that was all of it; TK_EIO: the
 * store gives no more; TK_EFORMAT. */
int tk_tap_catch_up(struct tk_tap *t, struct tk_err *err);

/* NULL as long as the header is not whole. */
const struct tk_hello *tk_tap_hello(const struct tk_tap *t);
const struct tk_live_summary *tk_tap_summary(const struct tk_tap *t);

/* NULL is allowed. */
void tk_tap_close(struct tk_tap *t);

/*
 * Queries a store as a viewer does: what it has, what is being recorded, and the bytes of a capture. A store
 * that lies is no danger: every answer is bounded in size and time, and what it says is checked.
 */

enum {
    TK_CLIENT_ANSWER = 1 << 20, /* bytes of the longest answer */
    TK_CLIENT_SECONDS = 5,      /* for a connection, and for each answer */
    TK_CLIENT_ENTRIES = 100000, /* of a list */
    TK_CLIENT_NAME = 128        /* bytes of a name, cut and cleaned */
};

struct tk_store_client;

struct tk_client_capture {
    uint32_t id;
    uint64_t size;
    int64_t modified; /* seconds since 1970 */
    char name[TK_CLIENT_NAME];
};

struct tk_client_session {
    uint32_t id, trace_id;
    uint32_t ip;           /* the first number highest */
    uint16_t control_port; /* 0: not known */
};

/* Connects. TK_OK; TK_EIO. The caller closes it. */
int tk_store_client_open(struct tk_store_client **out, const struct tk_os_address *at, struct tk_err *err);

/* How many there are. TK_OK or negative. */
int tk_store_client_count(struct tk_store_client *c, bool sessions, uint64_t *out, struct tk_err *err);

/* Entry i. TK_ITEM; TK_OK: there is none any more; negative. */
int tk_store_client_capture(struct tk_store_client *c, uint64_t i, struct tk_client_capture *out,
                            struct tk_err *err);
int tk_store_client_session(struct tk_store_client *c, uint64_t i, struct tk_client_session *out,
                            struct tk_err *err);

/* The capture of an id. TK_ITEM; TK_OK: there is none; negative. */
int tk_store_client_find(struct tk_store_client *c, uint32_t id, struct tk_client_capture *out,
                         struct tk_err *err);

/* A connection that gives the bytes of a capture to its end, which the caller closes. TK_ITEM; TK_OK: there
 * is no such capture; negative. */
int tk_store_client_read(struct tk_store_client *c, uint32_t id, struct tk_os_socket **out,
                         struct tk_err *err);

/* NULL is allowed. */
void tk_store_client_close(struct tk_store_client *c);

#endif
