/*
 * The server: connections of this machine, their requests, and the answers to them. view.c owns one, and
 * answers at once or later; all is done in the thread that calls tk_http_server_step.
 */
#ifndef TK_VIEW_HTTP_SERVER_H
#define TK_VIEW_HTTP_SERVER_H

#include "os/socket.h"
#include "view/gate.h"

enum { TK_HTTP_CONNECTIONS = 64 };

#define TK_HTTP_HEAD_SECONDS   10.0 /* for a request to be whole */
#define TK_HTTP_IDLE_SECONDS   30.0 /* without a request */
#define TK_HTTP_ANSWER_SECONDS 30.0 /* in which no byte of an answer was taken */

struct tk_http_server;

/* An answer. Its bytes are static, or `owned`: they are freed by free() once they are sent. */
struct tk_http_answer {
    int status;
    const char *type; /* of the content; NULL: text */
    const char *body;
    size_t n;
    char *owned;
};

struct tk_http_server_options {
    uint16_t port; /* 0: any that is free */
    const char *const *hosts;
    size_t n_hosts;
    /* May anybody get this path, who comes through the gate, or only who has the token? */
    bool (*is_open)(void *ctx, struct tk_http_text path);
    /* Takes a request, which lives until it returns, and calls tk_http_server_answer once, now or later, in
     * the same thread. */
    void (*take)(void *ctx, uint64_t connection, const struct tk_http_request *request);
    /* A connection is gone whose request was taken and not answered. */
    void (*gone)(void *ctx, uint64_t connection);
    void *ctx;
};

/* Listens at 127.0.0.1. TK_OS_OK, TK_OS_IN_USE, ... The caller closes it. */
struct tk_os_result tk_http_server_open(struct tk_http_server **out,
                                        const struct tk_http_server_options *options);

/* Its port and its token. */
const struct tk_http_gate *tk_http_server_gate(const struct tk_http_server *s);

/* When something was asked last by somebody with the token, by tk_os_seconds(). */
double tk_http_server_asked(const struct tk_http_server *s);

/* Waits for at most `seconds`, or until the waker wakes it, and does what can be done. */
struct tk_os_result tk_http_server_step(struct tk_http_server *s, struct tk_os_waker *waker, double seconds);

/* Answers a request that was taken. One whose connection is gone is forgotten. */
void tk_http_server_answer(struct tk_http_server *s, uint64_t connection,
                           const struct tk_http_answer *answer);

/* NULL is allowed. */
void tk_http_server_close(struct tk_http_server *s);

#endif
