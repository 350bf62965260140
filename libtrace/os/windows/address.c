/*
 * Addresses between their own form and that of the system. Below sockets.
 */
#include "os/windows/failure.h"
#include "os/windows/net.h"

#include <string.h>

const char *tk_os_address_text(const struct tk_os_address *a, char out[TK_OS_ADDRESS_TEXT])
{
    const bool v4 = tk_os_address_is_v4(a);
    _Static_assert(TK_OS_ADDRESS_TEXT >= sizeof "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
                   "room for an address");
    if (!inet_ntop(v4 ? AF_INET : AF_INET6, a->bytes + (v4 ? 12 : 0), out, TK_OS_ADDRESS_TEXT))
        out[0] = '\0';
    return out;
}

#include "os/address.inc"

static struct tk_os_result result_of_search(int error)
{
    switch (error) {
    case EAI_MEMORY:
        return tk_os_result_of(TK_OS_NO_MEMORY);
    case EAI_AGAIN:
        return tk_os_result_of(TK_OS_TIMEOUT);
    default:
        return tk_os_result_of(TK_OS_NOT_FOUND);
    }
}

struct tk_os_result tk_os_address_find(struct tk_os_address *out, size_t max, size_t *n, const char *name,
                                       uint16_t port)
{
    const struct addrinfo wish = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_ADDRCONFIG};
    struct addrinfo *all = NULL;
    *n = 0;
    if (max > 0 && tk_os_address_parse(out, name, port)) {
        *n = 1;
        return tk_os_result_of(TK_OS_OK);
    }
    if (!tk_os_net_begin())
        return tk_os_failure(WSASYSNOTREADY);
    const int error = getaddrinfo(name, NULL, &wish, &all);
    if (error)
        return result_of_search(error);
    for (const struct addrinfo *one = all; one && *n < max; one = one->ai_next)
        if (tk_os_address_of_system(&out[*n], one->ai_addr))
            out[(*n)++].port = port;
    freeaddrinfo(all);
    return tk_os_result_of(*n > 0 ? TK_OS_OK : TK_OS_NOT_FOUND);
}
