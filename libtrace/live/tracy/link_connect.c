/*
 * From an address to a program that was greeted: tries addresses and protocols (tracy-live 3). See
 * link_parts.h.
 */
#include "live/tracy/link_parts.h"

static const double try_again = 0.1; /* seconds between two attempts to connect */
static const double connecting = 5;  /* and for one of them */
static const double greeting = 10;   /* for an answer and the greeting */

static void begin_trying(struct tk_tl_link *l, double now)
{
    l->step = TK_TL_WAITING;
    l->until = now;
}

void tk_tl_link_connect(struct tk_tl_link *l, double now)
{
    if (l->began_trying < 0)
        l->began_trying = now;
    const struct tk_os_result made = tk_os_socket_connect(&l->socket, &l->options.at[l->address]);
    l->step = TK_TL_CONNECTING;
    l->until = now + connecting;
    if (made.error) {
        l->socket = NULL;
        l->until = now;
    }
}

void tk_tl_link_try_next(struct tk_tl_link *l, struct tk_os_result why, double now)
{
    const double patience = l->options.patience;
    tk_tl_link_drop(l);
    l->version = 0;
    begin_trying(l, now);
    if (++l->address < l->options.n_at)
        return;
    l->address = 0;
    l->until = now + try_again;
    if (patience >= 0 && now - l->began_trying >= patience) {
        tk_err_set(&l->err, TK_EIO, "%s", tk_os_text(why));
        tk_tl_link_finish(l, TK_TL_END_ABSENT);
    }
}

static void begin_greeting(struct tk_tl_link *l, double now)
{
    uint8_t hello[TK_TL_HELLO_BYTES];
    tk_os_socket_no_delay(l->socket);
    tk_os_socket_room(l->socket, 4 << 20, 256 << 10);
    tk_tl_protocol_set(&l->protocol, tk_tl_protocols[l->version]);
    if (l->has_stream)
        tk_tl_stream_release(&l->stream);
    l->has_stream = true;
    tk_tl_session_end(&l->session);
    tk_tl_session_begin(&l->session, l->protocol.number, &l->options.session);
    tk_tl_hello_put(hello, l->protocol.number);
    l->step = TK_TL_GREETING;
    l->until = now + greeting;
    if (tk_tl_stream_begin(&l->stream, &l->protocol, &l->err) != TK_OK ||
        tk_tl_link_put(l, hello, sizeof hello) != TK_OK)
        tk_tl_link_finish(l, TK_TL_END_FAILED);
}

void tk_tl_link_try_protocol(struct tk_tl_link *l, double now)
{
    l->connected = true;
    tk_tl_link_drop(l);
    if (++l->version == TK_TL_PROTOCOLS)
        tk_tl_link_finish(l, TK_TL_END_PROTOCOL);
    else
        tk_tl_link_connect(l, now);
}

void tk_tl_link_serve_connecting(struct tk_tl_link *l, double now)
{
    struct tk_os_result made = tk_os_result_of(TK_OS_TIMEOUT);
    if (l->socket && now <= l->until)
        made = tk_os_socket_connected(l->socket);
    if (made.error == TK_OS_OK)
        begin_greeting(l, now);
    else if (made.error != TK_OS_AGAIN)
        tk_tl_link_try_next(l, made, now);
}
