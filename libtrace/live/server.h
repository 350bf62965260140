/*
 * The store: answers viewers about the captures of a folder, and gives them out, those that are being
 * recorded too. It stands beside a recorder that writes into the folder, and is served in the same loop.
 */
#ifndef TK_LIVE_STORE_SERVER_H
#define TK_LIVE_STORE_SERVER_H

#include "live/answers.h"

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

#endif
