/*
 * Where Tracy programs are: what stands behind tracy://, the addresses of this machine, and those that
 * refused.
 */
#include "base/text/text.h"
#include "live/live_in.h"
#include "os/socket.h"

#include <stdlib.h>
#include <string.h>

#define REFUSED_AGAIN 60.0 /* seconds until a program that refused is tried again */

enum { REFUSED_MOST = 1024 };

enum { PORTS_HERE = 20 }; /* that a program tries where nobody chose one */

static bool read_port(const char *text, uint16_t *port)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);
    *port = (uint16_t)n;
    return *text >= '0' && *text <= '9' && *end == 0 && n > 0 && n <= UINT16_MAX;
}

/* Where the host ends and the port begins; an address of IPv6 is in brackets. */
static bool split(const char *rest, const char **host, size_t *n, const char **port)
{
    const char *end = *rest == '[' ? strchr(rest, ']') : NULL;
    *host = *rest == '[' ? rest + 1 : rest;
    if (*rest == '[' && !end)
        return false;
    const char *colon = strchr(end ? end : rest, ':');
    if (end && end[1] && end[1] != ':')
        return false;
    *n = end ? (size_t)(end - *host) : colon ? (size_t)(colon - *host) : strlen(rest);
    *port = colon ? colon + 1 : NULL;
    return true;
}

bool tk_tracy_source_read(struct tk_tracy_source *s, const char *text, char message[TK_OPT_MESSAGE])
{
    const char *host, *port;
    size_t n;
    *s = (struct tk_tracy_source){.port = 0};
    const bool ok = split(text + strlen(TK_TRACY_SCHEME), &host, &n, &port) && n < sizeof s->host &&
                    (!port || read_port(port, &s->port)) && !memchr(host, '/', n);
    if (ok)
        memcpy(s->host, host, n);
    else
        snprintf(message, TK_OPT_MESSAGE, "a Tracy program is tracy://HOST or tracy://HOST:PORT, not '%.60s'",
                 text);
    return ok;
}

bool tk_tracy_source_find(const struct tk_tracy_source *s, struct tk_tl_link_options *out,
                          char message[TK_OPT_MESSAGE])
{
    struct tk_os_address found[2];
    size_t n = 0;
    const struct tk_os_result rc =
        tk_os_address_find(found, 2, &n, s->host, s->port ? s->port : TK_TL_ANNOUNCE_PORT);
    if (rc.error || n == 0) {
        snprintf(message, TK_OPT_MESSAGE, "no machine is called '%.80s'%s%s", s->host,
                 rc.error == TK_OS_NOT_FOUND ? "" : ": ", rc.error == TK_OS_NOT_FOUND ? "" : tk_os_text(rc));
        return false;
    }
    const bool here = tk_os_address_is_loopback(&found[0]);
    const unsigned ports = !s->port && here ? PORTS_HERE : 1;
    out->n_at = 0;
    for (unsigned i = 0; i < ports; i++)
        for (size_t k = 0; k < n; k++) {
            found[k].port = (uint16_t)((s->port ? s->port : TK_TL_ANNOUNCE_PORT) + i);
            out->n_at += here && k == 0 ? tk_tracy_addresses_of(&found[0], out->at + out->n_at)
                         : here         ? 0
                                        : (out->at[out->n_at] = found[k], 1u);
        }
    return true;
}

/* A program that listens on this machine only does so at [::1] alone. */
size_t tk_tracy_addresses_of(const struct tk_os_address *from, struct tk_os_address *out)
{
    size_t n = 0;
    if (!tk_tracy_is_here(from)) {
        out[0] = *from;
        return 1;
    }
    if (!tk_os_address_is_loopback(from))
        out[n++] = *from;
    out[n++] = tk_os_address_loopback(from->port);
    if (tk_os_address_parse(&out[n], "::1", from->port))
        n++;
    return n;
}

bool tk_tracy_is_here(const struct tk_os_address *at)
{
    struct tk_os_address any = *at;
    struct tk_os_socket *s;
    if (tk_os_address_is_loopback(at))
        return true;
    any.port = 0;
    if (tk_os_socket_listen(&s, &any).error)
        return false;
    tk_os_socket_close(s);
    return true;
}

struct displayed {
    char *out;
    size_t n, capacity;
};

static void put_displayed(void *to, const char *p, size_t n)
{
    struct displayed *s = to;
    const size_t now = n < s->capacity - s->n - 1 ? n : 0;
    memcpy(s->out + s->n, p, now);
    s->n += now;
}

const char *tk_tracy_displayed(const char *text, char *out, size_t capacity)
{
    struct displayed s = {out, 0, capacity};
    tk_show_text(&s, put_displayed, text, strlen(text), 0);
    out[s.n] = 0;
    return out;
}

/* ---- programs that refused ---- */

static bool is_same(const struct tk_os_address *a, const struct tk_os_address *b)
{
    return a->port == b->port && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool tk_tracy_was_refused(const struct tk_tracy_run *run, const struct tk_tl_announced *a, double now)
{
    for (size_t i = 0; i < run->refused.n; i++)
        if (is_same(&run->refused.v[i].at, &a->at) && now - run->refused.v[i].when < REFUSED_AGAIN)
            return true;
    return false;
}

void tk_tracy_note_refused(struct tk_tracy_run *run, const struct tk_os_address *at, double now)
{
    const struct tk_tracy_refused refused = {.at = *at, .when = now};
    for (size_t i = 0; i < run->refused.n; i++)
        if (is_same(&run->refused.v[i].at, at)) {
            run->refused.v[i].when = now;
            return;
        }
    if (run->refused.n < REFUSED_MOST)
        (void)tk_vec_push(&run->refused, refused); /* without memory it is tried again */
}
