/*
 * Queries a store as a viewer does: what it has, what is being recorded, and the bytes of a capture. A store
 * that lies is no danger: every answer is bounded in size and time, and what it says is checked.
 */
#ifndef TK_LIVE_STORE_CLIENT_H
#define TK_LIVE_STORE_CLIENT_H

#include "base/err.h"
#include "os/socket.h"

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
