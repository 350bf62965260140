/*
 * What a peer looks like: see foreign.h.
 */
#include "live/foreign.h"

#include <string.h>

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
