/*
 * The gate: see gate.h.
 */
#include "view/gate.h"

#include "os/random.h"

#include <stdio.h>
#include <string.h>

bool tk_http_gate_init(struct tk_http_gate *gate)
{
    uint64_t bits[2];
    if (!tk_random(&bits[0]) || !tk_random(&bits[1]))
        return false;
    snprintf(gate->token, sizeof gate->token, "%016llx%016llx", (unsigned long long)bits[0],
             (unsigned long long)bits[1]);
    return true;
}

static bool is_own_host(const struct tk_http_gate *gate, struct tk_http_text host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char own[32];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(own, sizeof own, "%s:%u", names[i], gate->port);
        if (tk_http_is(host, own))
            return true;
    }
    for (size_t i = 0; i < gate->n_hosts; i++)
        if (tk_http_is(host, gate->hosts[i]))
            return true;
    return false;
}

static bool is_own_origin(const struct tk_http_gate *gate, struct tk_http_text origin)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        const size_t n = strlen(schemes[i]);
        if (origin.n > n && memcmp(origin.p, schemes[i], n) == 0)
            return is_own_host(gate, (struct tk_http_text){origin.p + n, origin.n - n});
    }
    return false;
}

static bool is_token(const struct tk_http_gate *gate, struct tk_http_text token)
{
    unsigned different = 0;
    if (!token.p || token.n != TK_HTTP_TOKEN)
        return false;
    for (size_t i = 0; i < TK_HTTP_TOKEN; i++)
        different |= (unsigned)(unsigned char)token.p[i] ^ (unsigned char)gate->token[i];
    return different == 0;
}

/* From our page, or typed; or a link to the page that is followed, which is neither a frame nor a request of
 * a script. */
static bool is_site_allowed(const struct tk_http_request *request)
{
    if (!request->site.p || tk_http_is(request->site, "same-origin") || tk_http_is(request->site, "none"))
        return true;
    return tk_http_is(request->path, "/") && tk_http_is(request->mode, "navigate") &&
           tk_http_is(request->destination, "document");
}

int tk_http_gate_check(const struct tk_http_gate *gate, const struct tk_http_request *request, bool secret)
{
    if (!is_own_host(gate, request->host))
        return TK_HTTP_MISDIRECTED;
    if (request->origin.p && !is_own_origin(gate, request->origin))
        return TK_HTTP_FORBIDDEN;
    if (!is_site_allowed(request))
        return TK_HTTP_FORBIDDEN;
    return secret && !is_token(gate, request->token) ? TK_HTTP_FORBIDDEN : TK_HTTP_OK;
}
