/*
 * Relays: see relay.h.
 */
#include "live/relay.h"

#define LOOK_EVERY 0.1 /* seconds between looks at a file that grows */

uint16_t tk_relay_open(struct tk_relay *r, const char *path, const struct tk_os_address *at,
                       const struct tk_os_address *who, uint64_t session)
{
    struct tk_os_address here = {0};
    *r = (struct tk_relay){.who = *who, .session = session};
    if (tk_os_file_open_read(&r->file, path).error || tk_os_socket_listen(&r->listening, at).error ||
        tk_os_socket_here(r->listening, &here).error) {
        tk_relay_close(r);
        return 0;
    }
    return here.port;
}

bool tk_relay_ask(const struct tk_relay *r, struct tk_live_waits *waits, double now)
{
    const bool waiting = r->reader && now < r->look;
    return tk_live_wait_for(waits,
                            r->listening ? r->listening
                            : waiting    ? NULL
                                         : r->reader,
                            r->listening != NULL, r->listening == NULL);
}

/* The first that is the right one gets it; the port is closed then. */
static void accept_reader(struct tk_relay *r)
{
    struct tk_os_address from;
    struct tk_os_socket *socket;
    if (tk_os_socket_accept(&socket, r->listening, &from).error)
        return;
    if (!tk_os_address_matches(&from, &r->who, UINT32_MAX)) {
        tk_os_socket_break(socket);
        return;
    }
    r->reader = socket;
    tk_os_socket_close(r->listening);
    r->listening = NULL;
}

static void send(struct tk_relay *r, bool grows, double now, uint8_t *buffer, size_t n)
{
    size_t got, put;
    if (tk_os_file_read_at(r->file, r->offset, buffer, n, &got).error) {
        r->over = true;
        return;
    }
    if (got == 0) { /* grows: said after the last bytes were looked for, so there may be more */
        r->over = !grows;
        r->look = now + LOOK_EVERY;
        return;
    }
    const struct tk_os_result sent = tk_os_socket_write(r->reader, buffer, got, &put);
    if (sent.error == TK_OS_OK)
        r->offset += put;
    else if (sent.error != TK_OS_AGAIN)
        r->over = true;
}

void tk_relay_serve(struct tk_relay *r, const struct tk_os_wait *mine, bool grows, double now,
                    uint8_t *buffer, size_t n)
{
    if (r->listening) {
        if (mine->can_read)
            accept_reader(r);
        else
            r->over = now - r->since > (double)TK_RELAY_SECONDS;
    } else if (mine->can_write) {
        send(r, grows, now, buffer, n);
    }
}

void tk_relay_close(struct tk_relay *r)
{
    tk_os_socket_close(r->listening);
    tk_os_socket_close(r->reader);
    tk_os_file_close(r->file);
    *r = (struct tk_relay){0};
}
