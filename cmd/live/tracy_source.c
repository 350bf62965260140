/*
 * Sources of Tracy: see tracy_source.h.
 */
#include "live/tracy_source.h"

#include "base/text/shown.h"
#include "live/tracy/announce.h"
#include "os/socket.h"

#include <stdlib.h>
#include <string.h>

enum { PORTS_HERE = 16 }; /* that a program tries where nobody chose one: some of its 20 */

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
    const unsigned ports = !s->port && tk_os_address_is_loopback(&found[0]) ? PORTS_HERE : 1;
    out->n_at = 0;
    for (unsigned i = 0; i < ports; i++)
        for (size_t k = 0; k < n && out->n_at < TK_TL_LINK_ADDRESSES; k++) {
            out->at[out->n_at] = found[k];
            out->at[out->n_at++].port = (uint16_t)(found[k].port + i);
        }
    return true;
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

struct shown {
    char *out;
    size_t n, room;
};

static void put_shown(void *to, const char *p, size_t n)
{
    struct shown *s = to;
    const size_t now = n < s->room - s->n - 1 ? n : 0;
    memcpy(s->out + s->n, p, now);
    s->n += now;
}

const char *tk_tracy_shown(const char *text, char *out, size_t room)
{
    struct shown s = {out, 0, room};
    tk_show_text(&s, put_shown, text, strlen(text), 0);
    out[s.n] = 0;
    return out;
}
