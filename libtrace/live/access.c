/*
 * Who may connect: see access.h.
 */
#include "live/access.h"

#include <stdlib.h>
#include <string.h>

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
