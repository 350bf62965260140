/*
 * Sockets of Windows, none of which makes the caller wait. Waiting for them is in socket_wait.c.
 */
#include "os/socket.h"

#include "os/thread.h"
#include "os/windows/failure.h"
#include "os/windows/net.h"

#include <mswsock.h>
#include <stdlib.h>

enum { WAITING = 128 }; /* connections that the system holds until they are accepted */

#ifndef SIO_UDP_CONNRESET
#define SIO_UDP_CONNRESET 0x9800000CU
#endif

static bool has_begun;

static void begin_net(void)
{
    WSADATA about;
    has_begun = WSAStartup(MAKEWORD(2, 2), &about) == 0;
}

bool tk_os_net_begin(void)
{
    static struct tk_os_once once;
    tk_os_once(&once, begin_net);
    return has_begun;
}

struct tk_os_result tk_os_net_failure(void)
{
    const int system = WSAGetLastError();
    return tk_os_failure(system ? (unsigned long)system : WSASYSNOTREADY);
}

/* Takes a socket over: what is returned owns it, and so does nobody after a failure. */
static struct tk_os_result own(struct tk_os_socket **out, SOCKET socket)
{
    u_long yes = 1;
    if (socket == INVALID_SOCKET)
        return tk_os_net_failure();
    if (ioctlsocket(socket, (long)FIONBIO, &yes)) {
        const struct tk_os_result why = tk_os_net_failure();
        closesocket(socket);
        return why;
    }
    SetHandleInformation((HANDLE)socket, HANDLE_FLAG_INHERIT, 0);
    /* else urgent bytes would stand beside the others, and waiting would call them an error; datagrams have
     * none */
    const BOOL in_line = TRUE;
    setsockopt(socket, SOL_SOCKET, SO_OOBINLINE, (const char *)&in_line, sizeof in_line);
    *out = malloc(sizeof **out);
    if (!*out) {
        closesocket(socket);
        return tk_os_result_of(TK_OS_NO_MEMORY);
    }
    **out = (struct tk_os_socket){socket};
    return tk_os_result_of(TK_OS_OK);
}

static struct tk_os_result open_socket(struct tk_os_socket **out, const struct tk_os_address *for_address,
                                       int kind)
{
    const int family = tk_os_address_is_v4(for_address) ? AF_INET : AF_INET6;
    *out = NULL;
    if (!tk_os_net_begin())
        return tk_os_failure(WSASYSNOTREADY);
    return own(out, WSASocketW(family, kind, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT));
}

/* Closes a socket that came to nothing. */
static struct tk_os_result give_up(struct tk_os_socket **out)
{
    const struct tk_os_result why = tk_os_net_failure();
    tk_os_socket_close(*out);
    *out = NULL;
    return why;
}

static int set(const struct tk_os_socket *s, int level, int option, int value)
{
    return setsockopt(s->socket, level, option, (const char *)&value, sizeof value);
}

struct tk_os_result tk_os_socket_listen(struct tk_os_socket **out, const struct tk_os_address *at)
{
    struct sockaddr_storage system;
    const int n = tk_os_address_to_system(at, &system);
    const struct tk_os_result opened = open_socket(out, at, SOCK_STREAM);
    if (opened.error)
        return opened;
    /* else another program could take the port from us; none is taken for long after its program here */
    if (set(*out, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1) ||
        bind((*out)->socket, (struct sockaddr *)&system, n) || listen((*out)->socket, WAITING))
        return give_up(out);
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_accept(struct tk_os_socket **out, const struct tk_os_socket *listening,
                                        struct tk_os_address *from)
{
    struct sockaddr_storage system;
    SOCKET socket;
    *out = NULL;
    do { /* a connection may have ended before it was accepted: the next one counts */
        int n = sizeof system;
        socket = accept(listening->socket, (struct sockaddr *)&system, &n);
    } while (socket == INVALID_SOCKET && WSAGetLastError() == WSAECONNRESET);
    const struct tk_os_result owned = own(out, socket);
    if (owned.error == TK_OS_OK && !tk_os_address_of_system(from, &system))
        *from = (struct tk_os_address){0};
    return owned;
}

struct tk_os_result tk_os_socket_connect(struct tk_os_socket **out, const struct tk_os_address *to)
{
    struct sockaddr_storage system;
    const int n = tk_os_address_to_system(to, &system);
    const struct tk_os_result opened = open_socket(out, to, SOCK_STREAM);
    if (opened.error)
        return opened;
    if (connect((*out)->socket, (struct sockaddr *)&system, n) && WSAGetLastError() != WSAEWOULDBLOCK)
        return give_up(out);
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_connected(const struct tk_os_socket *s)
{
    struct sockaddr_storage peer;
    int n = sizeof(int), peer_size = sizeof peer, error = 0;
    if (getsockopt(s->socket, SOL_SOCKET, SO_ERROR, (char *)&error, &n))
        return tk_os_net_failure();
    if (error)
        return tk_os_failure((unsigned long)error);
    /* not connected is TK_OS_AGAIN */
    if (getpeername(s->socket, (struct sockaddr *)&peer, &peer_size))
        return tk_os_net_failure();
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_here(const struct tk_os_socket *s, struct tk_os_address *out)
{
    struct sockaddr_storage system;
    int n = sizeof system;
    if (getsockname(s->socket, (struct sockaddr *)&system, &n))
        return tk_os_net_failure();
    return tk_os_result_of(tk_os_address_of_system(out, &system) ? TK_OS_OK : TK_OS_IO);
}

enum { LONGEST_TRANSFER = 1 << 30 };

static int as_int(size_t n)
{
    return n > LONGEST_TRANSFER ? LONGEST_TRANSFER : (int)n;
}

/* What a transfer returned: its bytes, or why there are none. */
static struct tk_os_result moved(int k, size_t *n)
{
    *n = k > 0 ? (size_t)k : 0;
    if (k >= 0)
        return tk_os_result_of(TK_OS_OK);
    const struct tk_os_result why = tk_os_net_failure();
    /* a socket that is not connected is one to wait for while it connects, and no other */
    return why.system == WSAENOTCONN ? tk_os_result_of(TK_OS_RESET) : why;
}

struct tk_os_result tk_os_socket_read(struct tk_os_socket *s, void *p, size_t n, size_t *got)
{
    return moved(recv(s->socket, p, as_int(n), 0), got);
}

struct tk_os_result tk_os_socket_write(struct tk_os_socket *s, const void *p, size_t n, size_t *put)
{
    return moved(send(s->socket, p, as_int(n), 0), put);
}

struct tk_os_result tk_os_socket_end(struct tk_os_socket *s)
{
    return shutdown(s->socket, SD_SEND) ? tk_os_net_failure() : tk_os_result_of(TK_OS_OK);
}

#ifndef TCP_KEEPIDLE
#define TCP_KEEPIDLE 3
#endif
#ifndef TCP_KEEPCNT
#define TCP_KEEPCNT 16
#endif
#ifndef TCP_KEEPINTVL
#define TCP_KEEPINTVL 17
#endif

struct tk_os_result tk_os_socket_keep_alive(struct tk_os_socket *s, int idle, int interval, int questions)
{
    const int failed = set(s, SOL_SOCKET, SO_KEEPALIVE, 1) || set(s, IPPROTO_TCP, TCP_KEEPIDLE, idle) ||
                       set(s, IPPROTO_TCP, TCP_KEEPINTVL, interval) ||
                       set(s, IPPROTO_TCP, TCP_KEEPCNT, questions);
    return failed ? tk_os_net_failure() : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_no_delay(struct tk_os_socket *s)
{
    return set(s, IPPROTO_TCP, TCP_NODELAY, 1) ? tk_os_net_failure() : tk_os_result_of(TK_OS_OK);
}

void tk_os_socket_room(struct tk_os_socket *s, size_t reading, size_t writing)
{
    if (reading)
        set(s, SOL_SOCKET, SO_RCVBUF, as_int(reading));
    if (writing)
        set(s, SOL_SOCKET, SO_SNDBUF, as_int(writing));
}

void tk_os_socket_close(struct tk_os_socket *s)
{
    if (s)
        closesocket(s->socket);
    free(s);
}

void tk_os_socket_break(struct tk_os_socket *s)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (s)
        setsockopt(s->socket, SOL_SOCKET, SO_LINGER, (const char *)&at_once, sizeof at_once);
    tk_os_socket_close(s);
}

static int join(const struct tk_os_socket *s, const struct tk_os_address *group,
                const struct tk_os_address *here)
{
    struct ip_mreq wish = {.imr_multiaddr.s_addr = htonl(tk_os_address_v4(group)),
                           .imr_interface.s_addr = htonl(tk_os_address_v4(here))};
    return setsockopt(s->socket, IPPROTO_IP, IP_ADD_MEMBERSHIP, (const char *)&wish, sizeof wish);
}

struct tk_os_result tk_os_datagram_listen(struct tk_os_socket **out, const struct tk_os_address *at,
                                          const struct tk_os_address *group)
{
    struct sockaddr_storage system;
    const int n = tk_os_address_to_system(at, &system);
    const struct tk_os_result opened = open_socket(out, at, SOCK_DGRAM);
    if (opened.error)
        return opened;
    /* an answer that nobody takes a datagram would come as an error of reading */
    BOOL no = FALSE;
    DWORD none;
    WSAIoctl((*out)->socket, SIO_UDP_CONNRESET, &no, sizeof no, NULL, 0, &none, NULL, NULL);
    if (set(*out, SOL_SOCKET, SO_REUSEADDR, 1) || bind((*out)->socket, (struct sockaddr *)&system, n) ||
        (group && join(*out, group, at)))
        return give_up(out);
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_datagram_read(struct tk_os_socket *s, void *p, size_t n, size_t *got,
                                        struct tk_os_address *from)
{
    struct sockaddr_storage system;
    int size = sizeof system, k = recvfrom(s->socket, p, as_int(n), 0, (struct sockaddr *)&system, &size);
    if (k < 0 && WSAGetLastError() == WSAEMSGSIZE)
        k = as_int(n); /* the rest is lost */
    if (k >= 0 && !tk_os_address_of_system(from, &system))
        *from = (struct tk_os_address){0};
    return moved(k, got);
}

struct tk_os_result tk_os_datagram_open(struct tk_os_socket **out)
{
    const struct tk_os_address v4 = tk_os_address_every(0);
    return open_socket(out, &v4, SOCK_DGRAM);
}

struct tk_os_result tk_os_datagram_write(struct tk_os_socket *s, const void *p, size_t n,
                                         const struct tk_os_address *to)
{
    struct sockaddr_storage system;
    const int size = tk_os_address_to_system(to, &system);
    const int k = sendto(s->socket, p, as_int(n), 0, (struct sockaddr *)&system, size);
    return k < 0 ? tk_os_net_failure() : tk_os_result_of(TK_OS_OK);
}
