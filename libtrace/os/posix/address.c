/*
 * Addresses between their own form and that of the system. Below sockets.
 */
#include "os/posix/posix.h"

#include "os/posix/failure.h"
#include "os/posix/net.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>

socklen_t tk_os_address_to_system(const struct tk_os_address *a, struct sockaddr_storage *out)
{
    memset(out, 0, sizeof *out);
    if (tk_os_address_is_v4(a)) {
        struct sockaddr_in *in = (struct sockaddr_in *)(void *)out;
        in->sin_family = AF_INET;
        in->sin_port = htons(a->port);
        memcpy(&in->sin_addr, a->bytes + 12, 4);
        return sizeof *in;
    }
    struct sockaddr_in6 *in = (struct sockaddr_in6 *)(void *)out;
    in->sin6_family = AF_INET6;
    in->sin6_port = htons(a->port);
    in->sin6_scope_id = a->scope;
    memcpy(&in->sin6_addr, a->bytes, 16);
    return sizeof *in;
}

bool tk_os_address_of_system(struct tk_os_address *out, const void *system)
{
    struct sockaddr_storage from;
    memcpy(&from.ss_family, &((const struct sockaddr *)system)->sa_family, sizeof from.ss_family);
    if (from.ss_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, system, sizeof in);
        *out = tk_os_address_of_v4(ntohl(in.sin_addr.s_addr), ntohs(in.sin_port));
        return true;
    }
    if (from.ss_family != AF_INET6)
        return false;
    struct sockaddr_in6 in;
    memcpy(&in, system, sizeof in);
    *out = (struct tk_os_address){.scope = in.sin6_scope_id, .port = ntohs(in.sin6_port)};
    memcpy(out->bytes, &in.sin6_addr, 16);
    return true;
}

bool tk_os_address_parse(struct tk_os_address *out, const char *text, uint16_t port)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, text, &v4) == 1) {
        *out = tk_os_address_of_v4(ntohl(v4.s_addr), port);
        return true;
    }
    if (inet_pton(AF_INET6, text, &v6) != 1)
        return false;
    *out = (struct tk_os_address){.port = port};
    memcpy(out->bytes, &v6, 16);
    return true;
}

const char *tk_os_address_text(const struct tk_os_address *a, char out[TK_OS_ADDRESS_TEXT])
{
    const bool v4 = tk_os_address_is_v4(a);
    _Static_assert((int)TK_OS_ADDRESS_TEXT >= (int)INET6_ADDRSTRLEN, "room for an address");
    if (!inet_ntop(v4 ? AF_INET : AF_INET6, a->bytes + (v4 ? 12 : 0), out, TK_OS_ADDRESS_TEXT))
        out[0] = '\0';
    return out;
}

static struct tk_os_result result_of_search(int error)
{
    switch (error) {
    case EAI_SYSTEM:
        return tk_os_failure(errno);
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
    const int error = getaddrinfo(name, NULL, &wish, &all);
    if (error)
        return result_of_search(error);
    for (const struct addrinfo *one = all; one && *n < max; one = one->ai_next)
        if (tk_os_address_of_system(&out[*n], one->ai_addr))
            out[(*n)++].port = port;
    freeaddrinfo(all);
    return tk_os_result_of(*n > 0 ? TK_OS_OK : TK_OS_NOT_FOUND);
}
