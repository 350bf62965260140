/*
 * The gate: who may ask. A page of another site must not read a capture, and no other user of the machine.
 * server.c asks it before a request is answered.
 */
#ifndef TK_VIEW_HTTP_GATE_H
#define TK_VIEW_HTTP_GATE_H

#include "view/request.h"

enum { TK_HTTP_TOKEN = 32 }; /* hexadecimal digits: 128 bits */

struct tk_http_gate {
    uint16_t port;
    char token[TK_HTTP_TOKEN + 1];
    const char *const *hosts; /* n_hosts more names with ports, "name:80", borrowed */
    size_t n_hosts;
};

/* Gives it a token that nobody can foresee. false where the system has none. */
bool tk_http_gate_init(struct tk_http_gate *gate);

/*
 * TK_HTTP_OK; TK_HTTP_MISDIRECTED: the host is not ours, as of a name that was bound anew to this machine;
 * TK_HTTP_FORBIDDEN: a page of another site, or, where `secret`, without the token. A link in another site
 * may open the page "/" as a document of its own, as that says nothing of a capture. How long it takes is the
 * same however much of a token is right.
 */
int tk_http_gate_check(const struct tk_http_gate *gate, const struct tk_http_request *request, bool secret);

#endif
