/*
 * Who may connect.
 */
#include "live/access.h"

#include "live/live_in.h"
#include "os/clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Connecting within a time.
 */

struct tk_os_result tk_connect_within(struct tk_os_socket **out, const struct tk_os_address *to,
                                      double seconds)
{
    const double end = tk_os_seconds() + seconds;
    struct tk_os_result result = tk_os_socket_connect(out, to);
    while (result.error == TK_OS_OK && (result = tk_os_socket_connected(*out)).error == TK_OS_AGAIN) {
        struct tk_os_wait wait = {.socket = *out, .write = true};
        const double left = end - tk_os_seconds();
        if (left <= 0)
            result = tk_os_result_of(TK_OS_TIMEOUT);
        else
            result = tk_os_socket_wait(&wait, 1, NULL, left);
        if (result.error == TK_OS_OK)
            continue;
        break;
    }
    if (result.error) {
        tk_os_socket_close(*out);
        *out = NULL;
    }
    return result;
}

/*
 * What a peer looks like.
 */

static const struct {
    const char *begin;
    size_t n;
    const char *name;
} known[] = {
    {"GET ", 4, "an HTTP request"},
    {"POST ", 5, "an HTTP request"},
    {"HEAD ", 5, "an HTTP request"},
    {"PUT ", 4, "an HTTP request"},
    {"OPTIONS ", 8, "an HTTP request"},
    {"CONNECT ", 8, "an HTTP request"},
    {"PRI * HTTP/2", 12, "an HTTP/2 request"},
    {"HTTP/", 5, "an HTTP answer"},
    {"\x16\x03", 2, "a TLS client"},
    {"SSH-", 4, "an SSH client"},
    {"TracyPrf", 8, "a viewer of Tracy"},
    {"TRC2", 4, "an Unreal program of the other byte order"},
    {"TRCE", 4, "an Unreal program of the other byte order"},
    {"SendTo ", 7, "commands for the control port of a program"},
    {"ToggleChannels ", 15, "commands for the control port of a program"},
};

/* A count and a map of CBOR. */
static int is_store_request(const uint8_t *p, size_t n)
{
    return n >= 5 && p[2] == 0 && p[3] == 0 && p[4] == 0xBF;
}

const char *tk_live_foreign(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (n >= known[i].n && memcmp(p, known[i].begin, known[i].n) == 0)
            return known[i].name;
    return is_store_request(p, n) ? "a viewer that asks a store" : "something unknown";
}

/* The digits behind the slash; more than any address has where they are none. */
static unsigned read_bits(const char *text)
{
    unsigned bits = 0;
    if (!*text || strlen(text) > 3)
        return UINT32_MAX;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return UINT32_MAX;
        bits = bits * 10 + (unsigned)(*text - '0');
    }
    return bits;
}

bool tk_live_access_add(struct tk_live_access *access, const char *text)
{
    const size_t n = strcspn(text, "/");
    char numbers[TK_OS_ADDRESS_TEXT];
    struct tk_os_address address;
    if (strcmp(text, "any") == 0)
        return access->any = true;
    if (n >= sizeof numbers || access->n == TK_LIVE_NETWORKS)
        return false;
    memcpy(numbers, text, n);
    numbers[n] = '\0';
    if (!tk_os_address_parse(&address, numbers, 0))
        return false;
    const unsigned whole = tk_os_address_is_v4(&address) ? 32 : 128;
    const unsigned bits = text[n] ? read_bits(text + n + 1) : whole;
    if (bits > whole)
        return false;
    access->networks[access->n].address = address;
    access->networks[access->n++].bits = bits;
    return true;
}

bool tk_live_access_allows(const struct tk_live_access *access, const struct tk_os_address *from)
{
    if (access->any || tk_os_address_is_loopback(from))
        return true;
    for (size_t i = 0; i < access->n; i++)
        if (tk_os_address_matches(&access->networks[i].address, from, access->networks[i].bits))
            return true;
    return false;
}
