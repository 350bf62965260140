/*
 * The server.
 */
#include "base/vec.h"
#include "os/clock.h"
#include "view/view_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACCEPTS = 64, HEAD = 1024 };

#define DRAIN_SECONDS 2.0

struct connection {
    struct tk_os_socket *socket; /* owned */
    uint64_t id;
    double since;      /* when the request that is awaited could begin, or a byte of an answer was taken */
    double requested;  /* when somebody with the token queried last; 0: never */
    bool begun;        /* a part of a request is there */
    bool taken;        /* a request was handed on */
    bool over, ending; /* at once; when the answer is sent */
    bool drains;       /* nothing more is sent, and what still comes is thrown away until the peer ends */
    size_t n_in;
    char in[TK_HTTP_HEAD];
    size_t n_head, n_sent; /* sent: of head and body together */
    char head[HEAD];
    struct tk_http_answer answer;
};

struct tk_http_server {
    struct tk_http_server_options options;
    struct tk_http_gate gate;
    struct tk_os_socket *listening;          /* owned */
    TK_VEC(struct connection *) connections; /* owned */
    TK_VEC(struct tk_os_wait) waits;
    uint64_t last;    /* id */
    double requested; /* by somebody with the token */
    double rest;      /* until then nothing is accepted */
};

struct tk_os_result tk_http_server_open(struct tk_http_server **out,
                                        const struct tk_http_server_options *options)
{
    struct tk_os_address at = tk_os_address_loopback(options->port);
    struct tk_http_server *s = calloc(1, sizeof *s);
    struct tk_os_result result = tk_os_result_of(TK_OS_NO_MEMORY);
    *out = NULL;
    if (!s)
        return result;
    s->options = *options;
    s->requested = tk_os_seconds();
    s->gate.hosts = options->hosts;
    s->gate.n_hosts = options->n_hosts;
    result =
        tk_http_gate_init(&s->gate) ? tk_os_socket_listen(&s->listening, &at) : tk_os_result_of(TK_OS_IO);
    if (result.error == TK_OS_OK)
        result = tk_os_socket_here(s->listening, &at);
    if (result.error) {
        tk_http_server_close(s);
        return result;
    }
    s->gate.port = at.port;
    *out = s;
    return result;
}

const struct tk_http_gate *tk_http_server_gate(const struct tk_http_server *s)
{
    return &s->gate;
}

double tk_http_server_requested(const struct tk_http_server *s)
{
    return s->requested;
}

/* ---- answers ---- */

/* What every answer says. Nothing is kept by a browser, framed by a page, or read by another site. */
static const char fields[] =
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n";

/* Behind a refusal nothing more is read: neither further tries, nor what may be the rest of what was refused.
 */
static void put_answer(struct connection *c, const struct tk_http_answer *answer)
{
    c->ending |= answer->status >= TK_HTTP_BAD_REQUEST;
    c->answer = *answer;
    c->n_sent = 0;
    c->since = tk_os_seconds();
    c->n_head = (size_t)snprintf(c->head, sizeof c->head,
                                 "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%s%s%s\r\n",
                                 answer->status, tk_http_reason(answer->status),
                                 answer->type ? answer->type : "text/plain; charset=utf-8", answer->n, fields,
                                 answer->status == TK_HTTP_METHOD_NOT_ALLOWED ? "Allow: GET\r\n" : "",
                                 c->ending ? "Connection: close\r\n" : "");
}

static void refuse(struct connection *c, int status)
{
    const char *reason = tk_http_reason(status);
    put_answer(c, &(struct tk_http_answer){.status = status, .body = reason, .n = strlen(reason)});
}

void tk_http_server_answer(struct tk_http_server *s, uint64_t connection, const struct tk_http_answer *answer)
{
    for (size_t i = 0; i < s->connections.n; i++) {
        struct connection *c = s->connections.v[i];
        if (c->id == connection && c->taken && !c->over) {
            c->taken = false;
            put_answer(c, answer);
            return;
        }
    }
    free(answer->owned);
}

static void forget_answer(struct connection *c)
{
    free(c->answer.owned);
    c->answer = (struct tk_http_answer){0};
    c->n_head = c->n_sent = 0;
}

/* Closing while the peer still sends would break the connection before it has read why. */
static void end_answer(struct connection *c)
{
    c->since = tk_os_seconds();
    c->drains = c->ending;
    if (c->drains && tk_os_socket_end(c->socket).error)
        c->over = true;
}

/* Sends what the peer takes now. */
static void send_answer(struct connection *c)
{
    while (c->n_head && !c->over) {
        const bool head = c->n_sent < c->n_head;
        const size_t all = head ? c->n_head : c->n_head + c->answer.n;
        const char *p = head ? c->head + c->n_sent : c->answer.body + (c->n_sent - c->n_head);
        size_t put = 0;
        if (c->n_sent == all) {
            forget_answer(c);
            end_answer(c);
            return;
        }
        const struct tk_os_result sent = tk_os_socket_write(c->socket, p, all - c->n_sent, &put);
        if (sent.error == TK_OS_AGAIN)
            return;
        c->over = sent.error != TK_OS_OK;
        c->n_sent += put;
        c->since = tk_os_seconds();
    }
}

/* ---- requests ---- */

/* Hands on the request in front, if it is whole. false: nothing more can be done now. */
static bool take_request(struct tk_http_server *s, struct connection *c)
{
    struct tk_http_request request;
    size_t used;
    if (c->taken || c->n_head || c->ending || c->drains || c->n_in == 0)
        return false;
    int status = tk_http_parse(&request, c->in, c->n_in, &used);
    if (status == 0)
        return false;
    const bool secret = status == TK_HTTP_OK && !s->options.is_open(s->options.ctx, request.path);
    if (status == TK_HTTP_OK)
        status = tk_http_gate_check(&s->gate, &request, secret);
    if (status == TK_HTTP_OK) {
        c->ending |= request.close;
        c->taken = true;
        if (secret)
            c->requested = s->requested = tk_os_seconds();
        s->options.take(s->options.ctx, c->id, &request);
    } else
        refuse(c, status);
    c->n_in -= used;
    memmove(c->in, c->in + used, c->n_in);
    c->begun = c->n_in > 0;
    return true;
}

static void read_connection(struct connection *c)
{
    size_t n = 0;
    if (c->drains)
        c->n_in = 0;
    const struct tk_os_result read =
        tk_os_socket_read(c->socket, c->in + c->n_in, sizeof c->in - c->n_in, &n);
    if (read.error == TK_OS_AGAIN)
        return;
    if (n == 0)
        c->over = true;
    else if (!c->begun)
        c->since = tk_os_seconds();
    c->begun |= n > 0;
    c->n_in += n;
}

/* Has it had its time? */
static bool is_late(const struct connection *c, double now)
{
    const double limit = c->drains   ? DRAIN_SECONDS
                         : c->n_head ? TK_HTTP_ANSWER_SECONDS
                         : c->begun  ? TK_HTTP_HEAD_SECONDS
                                     : TK_HTTP_IDLE_SECONDS;
    return !c->taken && now - c->since > limit;
}

static void serve(struct tk_http_server *s, struct connection *c, const struct tk_os_wait *mine, double now)
{
    if (mine->can_read && !c->over)
        read_connection(c);
    do
        send_answer(c);
    while (!c->over && take_request(s, c));
    c->over |= is_late(c, now);
}

/* ---- connections ---- */

/* Who never had the token goes first, then who was silent longest; what works stays. */
static struct connection *least_wanted(struct tk_http_server *s)
{
    struct connection *least = NULL;
    for (size_t i = 0; i < s->connections.n; i++) {
        struct connection *c = s->connections.v[i];
        if (c->taken || (c->n_head && c->requested > 0))
            continue;
        if (!least || c->requested < least->requested ||
            (c->requested <= least->requested && c->since < least->since))
            least = c;
    }
    return least;
}

static void close_connection(struct tk_http_server *s, struct connection *c)
{
    if (c->taken && s->options.gone)
        s->options.gone(s->options.ctx, c->id);
    forget_answer(c);
    tk_os_socket_close(c->socket);
    free(c);
}

static void close_over(struct tk_http_server *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->connections.n; i++)
        if (s->connections.v[i]->over)
            close_connection(s, s->connections.v[i]);
        else
            s->connections.v[kept++] = s->connections.v[i];
    s->connections.n = kept;
}

static bool make_place(struct tk_http_server *s)
{
    if (s->connections.n < TK_HTTP_CONNECTIONS)
        return true;
    struct connection *c = least_wanted(s);
    if (!c)
        return false;
    c->over = true;
    close_over(s);
    return true;
}

static void add_connection(struct tk_http_server *s, struct tk_os_socket *socket, double now)
{
    struct connection *c = make_place(s) ? calloc(1, sizeof *c) : NULL;
    if (!c || tk_vec_push(&s->connections, c)) {
        free(c);
        tk_os_socket_break(socket);
        return;
    }
    c->socket = socket;
    c->id = ++s->last;
    c->since = now;
    tk_os_socket_no_delay(socket);
}

static void accept_connections(struct tk_http_server *s, double now)
{
    for (int i = 0; i < ACCEPTS; i++) {
        struct tk_os_socket *socket;
        struct tk_os_address from;
        const struct tk_os_result result = tk_os_socket_accept(&socket, s->listening, &from);
        if (result.error && result.error != TK_OS_AGAIN)
            s->rest = now + 0.2;
        if (result.error)
            return;
        if (tk_os_address_is_loopback(&from))
            add_connection(s, socket, now);
        else
            tk_os_socket_break(socket);
    }
}

/* ---- the loop ---- */

static struct tk_os_wait wait_of(const struct connection *c)
{
    return (struct tk_os_wait){.socket = c->socket,
                               .read = c->drains || (c->n_in < sizeof c->in && !c->ending),
                               .write = c->n_head > 0};
}

struct tk_os_result tk_http_server_step(struct tk_http_server *s, struct tk_os_waker *waker, double seconds)
{
    const size_t n = s->connections.n;
    if (tk_vec_reserve(&s->waits, n + 1))
        return tk_os_result_of(TK_OS_NO_MEMORY);
    const bool accepts = tk_os_seconds() >= s->rest;
    s->waits.v[0] = (struct tk_os_wait){.socket = accepts ? s->listening : NULL, .read = true};
    for (size_t i = 0; i < n; i++)
        s->waits.v[1 + i] = wait_of(s->connections.v[i]);
    const struct tk_os_result result = tk_os_socket_wait(s->waits.v, n + 1, waker, seconds);
    if (result.error)
        return result;
    const double now = tk_os_seconds();
    for (size_t i = 0; i < n; i++)
        serve(s, s->connections.v[i], &s->waits.v[1 + i], now);
    close_over(s);
    if (s->waits.v[0].can_read)
        accept_connections(s, now);
    return result;
}

void tk_http_server_close(struct tk_http_server *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->connections.n; i++)
        close_connection(s, s->connections.v[i]);
    tk_vec_release(&s->connections);
    tk_vec_release(&s->waits);
    tk_os_socket_close(s->listening);
    free(s);
}
