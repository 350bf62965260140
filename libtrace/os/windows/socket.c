/*
 * Sockets of Windows, none of which makes the caller wait.
 */
#include "os/windows/win32.h"

#include "os/socket.h"

#include "os/thread.h"

#include <mswsock.h>
#include <stdlib.h>
#include <string.h>
#include <winsock2.h>
#include <ws2tcpip.h>

struct tk_os_socket {
    SOCKET socket;
};

/* ---- the library of sockets ---- */

static bool has_begun;

static void begin_net(void)
{
    WSADATA about;
    has_begun = WSAStartup(MAKEWORD(2, 2), &about) == 0;
}

/* Begins with it, once in a process. false: the system has none. */
static bool begin_once(void)
{
    static struct tk_os_once once;
    tk_os_once(&once, begin_net);
    return has_begun;
}

/* What WSAGetLastError says. */
static struct tk_os_result net_failure(void)
{
    const int system = WSAGetLastError();
    return tk_os_failure(system ? (unsigned long)system : WSASYSNOTREADY);
}

/* ---- addresses between their own form and that of the system ---- */

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
    if (!begin_once())
        return tk_os_failure(WSASYSNOTREADY);
    const int error = getaddrinfo(name, NULL, &wish, &all);
    if (error)
        return result_of_search(error);
    for (const struct addrinfo *one = all; one && *n < max; one = one->ai_next)
        if (address_of_system(&out[*n], one->ai_addr))
            out[(*n)++].port = port;
    freeaddrinfo(all);
    return tk_os_result_of(*n > 0 ? TK_OS_OK : TK_OS_NOT_FOUND);
}

/*
 * Waits for sockets with select(), whose sets are as large as one makes them here, and wakes who waits by a
 * datagram to itself. WSAPoll does not report connections that failed on systems before 2020.
 */

enum { FEW = 64 }; /* sockets that are waited for without an allocation */

struct tk_os_waker {
    struct tk_os_socket *socket; /* connected with itself */
};

/* A struct fd_set of another size. */
struct socket_wait_set {
    u_int n;
    SOCKET v[FEW + 1];
};

enum { READ, WRITE, BROKEN, SETS };

struct tk_os_result tk_os_waker_open(struct tk_os_waker **out)
{
    const struct tk_os_address here = tk_os_address_loopback(0);
    struct sockaddr_storage system;
    int n = address_to_system(&here, &system);
    struct tk_os_waker *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    struct tk_os_result why = tk_os_datagram_open(&w->socket);
    if (!why.error && (bind(w->socket->socket, (struct sockaddr *)&system, n) ||
                       getsockname(w->socket->socket, (struct sockaddr *)&system, &n) ||
                       connect(w->socket->socket, (struct sockaddr *)&system, n)))
        why = net_failure();
    if (why.error)
        tk_os_waker_close(w);
    else
        *out = w;
    return why;
}

void tk_os_waker_wake(struct tk_os_waker *w)
{
    send(w->socket->socket, "", 1, 0); /* one that is full wakes as well */
}

void tk_os_waker_close(struct tk_os_waker *w)
{
    if (w)
        tk_os_socket_close(w->socket);
    free(w);
}

static void empty(const struct tk_os_waker *w)
{
    char bytes[16];
    while (recv(w->socket->socket, bytes, sizeof bytes, 0) > 0)
        continue;
}

static void add(struct socket_wait_set *socket_wait_set, SOCKET socket)
{
    socket_wait_set->v[socket_wait_set->n++] = socket;
}

static bool has(const struct socket_wait_set *socket_wait_set, SOCKET socket)
{
    u_int i = 0;
    while (i < socket_wait_set->n && socket_wait_set->v[i] != socket)
        i++;
    return i < socket_wait_set->n;
}

/* Sets for n sockets and a waker; NULL without memory. They lie at multiples of *stride. */
static char *make_sets(size_t n, size_t *stride)
{
    const size_t more = n > FEW ? n - FEW : 0;
    *stride = sizeof(struct socket_wait_set) + more * sizeof(SOCKET);
    return calloc(SETS, *stride);
}

/* For select(), which takes sets that are not empty, or none. */
static fd_set *of_system(struct socket_wait_set *socket_wait_set)
{
    return socket_wait_set->n ? (fd_set *)socket_wait_set : NULL;
}

static int select_for(struct socket_wait_set *const sets[SETS], double seconds)
{
    const double most = 1e6;
    struct timeval limit = {0};
    if (seconds >= 0) {
        const double s = seconds < most ? seconds : most;
        limit.tv_sec = (long)s;
        limit.tv_usec = (long)((s - (double)limit.tv_sec) * 1e6);
        if (s > 0 && limit.tv_sec == 0 && limit.tv_usec == 0)
            limit.tv_usec = 1;
    }
    if (sets[READ]->n + sets[WRITE]->n + sets[BROKEN]->n == 0) {
        Sleep(seconds < 0 ? INFINITE : (DWORD)(limit.tv_sec * 1000 + (limit.tv_usec + 999) / 1000));
        return 0;
    }
    return select(0, of_system(sets[READ]), of_system(sets[WRITE]), of_system(sets[BROKEN]),
                  seconds < 0 ? NULL : &limit);
}

static void ask(struct socket_wait_set *const sets[SETS], const struct tk_os_wait *waits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!waits[i].socket || !(waits[i].read || waits[i].write))
            continue;
        if (waits[i].read)
            add(sets[READ], waits[i].socket->socket);
        if (waits[i].write)
            add(sets[WRITE], waits[i].socket->socket);
        add(sets[BROKEN], waits[i].socket->socket);
    }
}

static void tell(struct socket_wait_set *const sets[SETS], struct tk_os_wait *waits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const SOCKET socket = waits[i].socket ? waits[i].socket->socket : INVALID_SOCKET;
        const bool broken = has(sets[BROKEN], socket);
        waits[i].can_read = waits[i].read && (broken || has(sets[READ], socket));
        waits[i].can_write = waits[i].write && (broken || has(sets[WRITE], socket));
    }
}

struct tk_os_result tk_os_socket_wait(struct tk_os_wait *waits, size_t n, struct tk_os_waker *waker,
                                      double seconds)
{
    size_t stride;
    struct socket_wait_set few[SETS] = {{0}, {0}, {0}}, *sets[SETS] = {few, few + 1, few + 2};
    char *many = n > FEW ? make_sets(n, &stride) : NULL;
    struct tk_os_result result = tk_os_result_of(TK_OS_OK);
    if (n > FEW && !many)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    for (size_t i = 0; i < SETS && many; i++)
        sets[i] = (struct socket_wait_set *)(void *)(many + i * stride);
    ask(sets, waits, n);
    if (waker)
        add(sets[READ], waker->socket->socket);
    const int ready = select_for(sets, seconds);
    if (ready == SOCKET_ERROR)
        result = net_failure();
    if (ready <= 0)
        sets[READ]->n = sets[WRITE]->n = sets[BROKEN]->n = 0;
    tell(sets, waits, n);
    if (waker && has(sets[READ], waker->socket->socket))
        empty(waker);
    free(many);
    return result;
}

/* ---- sockets ---- */

enum { WAITING = 128 }; /* connections that the system holds until they are accepted */

#ifndef SIO_UDP_CONNRESET
#define SIO_UDP_CONNRESET 0x9800000CU
#endif

/* Takes a socket over: what is returned owns it, and so does nobody after a failure. */
static struct tk_os_result own(struct tk_os_socket **out, SOCKET socket)
{
    u_long yes = 1;
    if (socket == INVALID_SOCKET)
        return net_failure();
    if (ioctlsocket(socket, (long)FIONBIO, &yes)) {
        const struct tk_os_result why = net_failure();
        closesocket(socket);
        return why;
    }
    SetHandleInformation((HANDLE)socket, HANDLE_FLAG_INHERIT, 0);
    /* else urgent bytes would stand alongside the others, and waiting would call them an error; datagrams
     * have none */
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
    if (!begin_once())
        return tk_os_failure(WSASYSNOTREADY);
    return own(out, WSASocketW(family, kind, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT));
}

/* Closes a socket that came to nothing. */
static struct tk_os_result give_up(struct tk_os_socket **out)
{
    const struct tk_os_result why = net_failure();
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
    const int n = address_to_system(at, &system);
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
    if (owned.error == TK_OS_OK && !address_of_system(from, &system))
        *from = (struct tk_os_address){0};
    return owned;
}

struct tk_os_result tk_os_socket_connect(struct tk_os_socket **out, const struct tk_os_address *to)
{
    struct sockaddr_storage system;
    const int n = address_to_system(to, &system);
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
        return net_failure();
    if (error)
        return tk_os_failure((unsigned long)error);
    /* not connected is TK_OS_AGAIN */
    if (getpeername(s->socket, (struct sockaddr *)&peer, &peer_size))
        return net_failure();
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_here(const struct tk_os_socket *s, struct tk_os_address *out)
{
    struct sockaddr_storage system;
    int n = sizeof system;
    if (getsockname(s->socket, (struct sockaddr *)&system, &n))
        return net_failure();
    return tk_os_result_of(address_of_system(out, &system) ? TK_OS_OK : TK_OS_IO);
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
    const struct tk_os_result why = net_failure();
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
    return shutdown(s->socket, SD_SEND) ? net_failure() : tk_os_result_of(TK_OS_OK);
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
    return failed ? net_failure() : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_no_delay(struct tk_os_socket *s)
{
    return set(s, IPPROTO_TCP, TCP_NODELAY, 1) ? net_failure() : tk_os_result_of(TK_OS_OK);
}

void tk_os_socket_space(struct tk_os_socket *s, size_t reading, size_t writing)
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
    const int n = address_to_system(at, &system);
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
    if (k >= 0 && !address_of_system(from, &system))
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
    const int size = address_to_system(to, &system);
    const int k = sendto(s->socket, p, as_int(n), 0, (struct sockaddr *)&system, size);
    return k < 0 ? net_failure() : tk_os_result_of(TK_OS_OK);
}
