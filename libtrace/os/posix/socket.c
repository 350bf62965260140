/*
 * Sockets of POSIX, none of which makes the caller wait.
 */
#include "os/posix/posix.h"

#include "os/socket.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct tk_os_socket {
    int fd;
};

/* ---- addresses between their own form and that of the system ---- */

const char *tk_os_address_text(const struct tk_os_address *a, char out[TK_OS_ADDRESS_TEXT])
{
    const bool v4 = tk_os_address_is_v4(a);
    _Static_assert((int)TK_OS_ADDRESS_TEXT >= (int)INET6_ADDRSTRLEN, "room for an address");
    if (!inet_ntop(v4 ? AF_INET : AF_INET6, a->bytes + (v4 ? 12 : 0), out, TK_OS_ADDRESS_TEXT))
        out[0] = '\0';
    return out;
}

#include "os/address.inc"

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
        if (address_of_system(&out[*n], one->ai_addr))
            out[(*n)++].port = port;
    freeaddrinfo(all);
    return tk_os_result_of(*n > 0 ? TK_OS_OK : TK_OS_NOT_FOUND);
}

/* ---- sockets ---- */

enum { WAITING = 1024 }; /* connections that the system holds until they are accepted */

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SO_NOSIGPIPE is set then */
#endif

/* Takes a descriptor over: what is returned owns it, and so does nobody after a failure. */
static struct tk_os_result own(struct tk_os_socket **out, int fd)
{
    const int was = fd < 0 ? 0 : fcntl(fd, F_GETFL);
    if (fd < 0)
        return tk_os_failure(errno);
    if (was < 0 || fcntl(fd, F_SETFL, was | O_NONBLOCK) || fcntl(fd, F_SETFD, FD_CLOEXEC)) {
        const int errnum = errno;
        close(fd);
        return tk_os_failure(errnum);
    }
#ifdef SO_NOSIGPIPE
    setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    *out = malloc(sizeof **out);
    if (!*out) {
        close(fd);
        return tk_os_result_of(TK_OS_NO_MEMORY);
    }
    **out = (struct tk_os_socket){fd};
    return tk_os_result_of(TK_OS_OK);
}

static struct tk_os_result open_socket(struct tk_os_socket **out, const struct tk_os_address *for_address,
                                       int kind)
{
#ifdef SOCK_CLOEXEC
    kind |= SOCK_CLOEXEC;
#endif
    *out = NULL;
    return own(out, socket(tk_os_address_is_v4(for_address) ? AF_INET : AF_INET6, kind, 0));
}

/* Closes a socket that came to nothing. */
static struct tk_os_result give_up(struct tk_os_socket **out, int errnum)
{
    tk_os_socket_close(*out);
    *out = NULL;
    return tk_os_failure(errnum);
}

static int set(const struct tk_os_socket *s, int level, int option, int value)
{
    return setsockopt(s->fd, level, option, &value, sizeof value);
}

struct tk_os_result tk_os_socket_listen(struct tk_os_socket **out, const struct tk_os_address *at)
{
    struct sockaddr_storage system;
    const socklen_t n = address_to_system(at, &system);
    const struct tk_os_result opened = open_socket(out, at, SOCK_STREAM);
    if (!*out)
        return opened;
    /* else a port would be taken for a minute after a program that had connections there */
    if (set(*out, SOL_SOCKET, SO_REUSEADDR, 1) || bind((*out)->fd, (struct sockaddr *)&system, n) ||
        listen((*out)->fd, WAITING))
        return give_up(out, errno);
    return tk_os_result_of(TK_OS_OK);
}

/* Errors of a connection that ended before it was accepted: the next one counts. */
static bool is_of_the_peer(int errnum)
{
    return errnum == EINTR || errnum == ECONNABORTED || errnum == EPROTO || errnum == ENETDOWN ||
           errnum == EHOSTUNREACH || errnum == ENETUNREACH || errnum == EOPNOTSUPP;
}

struct tk_os_result tk_os_socket_accept(struct tk_os_socket **out, const struct tk_os_socket *listening,
                                        struct tk_os_address *from)
{
    struct sockaddr_storage system;
    int fd;
    *out = NULL;
    do {
        socklen_t n = sizeof system;
        fd = accept(listening->fd, (struct sockaddr *)&system, &n);
    } while (fd < 0 && is_of_the_peer(errno));
    const struct tk_os_result owned = own(out, fd);
    if (owned.error == TK_OS_OK && !address_of_system(from, &system))
        *from = (struct tk_os_address){0};
    return owned;
}

struct tk_os_result tk_os_socket_connect(struct tk_os_socket **out, const struct tk_os_address *to)
{
    struct sockaddr_storage system;
    const socklen_t n = address_to_system(to, &system);
    const struct tk_os_result opened = open_socket(out, to, SOCK_STREAM);
    if (!*out)
        return opened;
    if (connect((*out)->fd, (struct sockaddr *)&system, n) && errno != EINPROGRESS && errno != EINTR)
        return give_up(out, errno);
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_connected(const struct tk_os_socket *s)
{
    struct sockaddr_storage peer;
    socklen_t n = sizeof(int), peer_size = sizeof peer;
    int errnum = 0;
    if (getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &errnum, &n))
        errnum = errno;
    if (errnum == 0 && getpeername(s->fd, (struct sockaddr *)&peer, &peer_size))
        errnum = errno == ENOTCONN ? EAGAIN : errno;
    return errnum ? tk_os_failure(errnum) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_here(const struct tk_os_socket *s, struct tk_os_address *out)
{
    struct sockaddr_storage system;
    socklen_t n = sizeof system;
    if (getsockname(s->fd, (struct sockaddr *)&system, &n))
        return tk_os_failure(errno);
    return tk_os_result_of(address_of_system(out, &system) ? TK_OS_OK : TK_OS_IO);
}

/* What a transfer returned: its bytes, or why there are none. */
static struct tk_os_result moved(ssize_t k, size_t *n)
{
    *n = k > 0 ? (size_t)k : 0;
    return k < 0 ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_read(struct tk_os_socket *s, void *p, size_t n, size_t *got)
{
    ssize_t k;
    do
        k = recv(s->fd, p, n, 0);
    while (k < 0 && errno == EINTR);
    return moved(k, got);
}

struct tk_os_result tk_os_socket_write(struct tk_os_socket *s, const void *p, size_t n, size_t *put)
{
    ssize_t k;
    do
        k = send(s->fd, p, n, MSG_NOSIGNAL);
    while (k < 0 && errno == EINTR);
    return moved(k, put);
}

struct tk_os_result tk_os_socket_end(struct tk_os_socket *s)
{
    return shutdown(s->fd, SHUT_WR) ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_keep_alive(struct tk_os_socket *s, int idle, int interval, int questions)
{
    int failed = set(s, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    failed = failed || set(s, IPPROTO_TCP, TCP_KEEPIDLE, idle);
#else
    failed = failed || set(s, IPPROTO_TCP, TCP_KEEPALIVE, idle);
#endif
    failed =
        failed || set(s, IPPROTO_TCP, TCP_KEEPINTVL, interval) || set(s, IPPROTO_TCP, TCP_KEEPCNT, questions);
    return failed ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_socket_no_delay(struct tk_os_socket *s)
{
    return set(s, IPPROTO_TCP, TCP_NODELAY, 1) ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

static int as_int(size_t n)
{
    return n > 1 << 30 ? 1 << 30 : (int)n;
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
        close(s->fd);
    free(s);
}

void tk_os_socket_break(struct tk_os_socket *s)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (s)
        setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    tk_os_socket_close(s);
}

static int join(const struct tk_os_socket *s, const struct tk_os_address *group,
                const struct tk_os_address *here)
{
    struct ip_mreq wish = {.imr_multiaddr.s_addr = htonl(tk_os_address_v4(group)),
                           .imr_interface.s_addr = htonl(tk_os_address_v4(here))};
    return setsockopt(s->fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &wish, sizeof wish);
}

struct tk_os_result tk_os_datagram_listen(struct tk_os_socket **out, const struct tk_os_address *at,
                                          const struct tk_os_address *group)
{
    struct sockaddr_storage system;
    const socklen_t n = address_to_system(at, &system);
    const struct tk_os_result opened = open_socket(out, at, SOCK_DGRAM);
    if (!*out)
        return opened;
    int failed = set(*out, SOL_SOCKET, SO_REUSEADDR, 1);
#ifdef SO_REUSEPORT
    failed = failed || set(*out, SOL_SOCKET, SO_REUSEPORT, 1);
#endif
    if (failed || bind((*out)->fd, (struct sockaddr *)&system, n) || (group && join(*out, group, at)))
        return give_up(out, errno);
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_datagram_read(struct tk_os_socket *s, void *p, size_t n, size_t *got,
                                        struct tk_os_address *from)
{
    struct sockaddr_storage system;
    ssize_t k;
    do {
        socklen_t size = sizeof system;
        k = recvfrom(s->fd, p, n, 0, (struct sockaddr *)&system, &size);
    } while (k < 0 && errno == EINTR);
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
    const socklen_t size = address_to_system(to, &system);
    ssize_t k;
    do
        k = sendto(s->fd, p, n, MSG_NOSIGNAL, (struct sockaddr *)&system, size);
    while (k < 0 && errno == EINTR);
    return k < 0 ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

/*
 * Waits for sockets with poll(), and wakes who waits by a pipe.
 */

enum { FEW = 64 }; /* sockets that are waited for without an allocation */

struct tk_os_waker {
    int read, write;
};

static bool make_quiet(int fd)
{
    return fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

struct tk_os_result tk_os_waker_open(struct tk_os_waker **out)
{
    int ends[2];
    *out = malloc(sizeof **out);
    if (!*out)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    if (pipe(ends)) {
        const int errnum = errno;
        free(*out);
        *out = NULL;
        return tk_os_failure(errnum);
    }
    **out = (struct tk_os_waker){ends[0], ends[1]};
    if (make_quiet(ends[0]) && make_quiet(ends[1]))
        return tk_os_result_of(TK_OS_OK);
    const int errnum = errno;
    tk_os_waker_close(*out);
    *out = NULL;
    return tk_os_failure(errnum);
}

void tk_os_waker_wake(struct tk_os_waker *w)
{
    const int was = errno; /* of what a signal interrupts */
    ssize_t k = write(w->write, "", 1);
    (void)k; /* a full pipe wakes as well */
    errno = was;
}

void tk_os_waker_close(struct tk_os_waker *w)
{
    if (w) {
        close(w->read);
        close(w->write);
    }
    free(w);
}

static void empty(const struct tk_os_waker *w)
{
    char bytes[256];
    while (read(w->read, bytes, sizeof bytes) > 0)
        continue;
}

static int milliseconds(double seconds)
{
    if (seconds < 0)
        return -1;
    const double ms = seconds * 1000;
    return ms >= INT_MAX ? INT_MAX : (int)ms + (ms > (int)ms);
}

static void ask(struct pollfd *polls, const struct tk_os_wait *waits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        polls[i].fd = waits[i].socket ? waits[i].socket->fd : -1;
        polls[i].events = (short)((waits[i].read ? POLLIN : 0) | (waits[i].write ? POLLOUT : 0));
        polls[i].revents = 0;
        /* an error would wake who waits for nothing of it */
        if (polls[i].events == 0)
            polls[i].fd = -1;
    }
}

static void tell(const struct pollfd *polls, struct tk_os_wait *waits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int broken = polls[i].revents & (POLLERR | POLLHUP | POLLNVAL);
        waits[i].can_read = waits[i].read && (polls[i].revents & POLLIN || broken);
        waits[i].can_write = waits[i].write && (polls[i].revents & POLLOUT || broken);
    }
}

struct tk_os_result tk_os_socket_wait(struct tk_os_wait *waits, size_t n, struct tk_os_waker *waker,
                                      double seconds)
{
    struct pollfd few[FEW + 1], *polls = few;
    struct tk_os_result result = tk_os_result_of(TK_OS_OK);
    if (n > FEW && !(polls = calloc(n + 1, sizeof *polls)))
        return tk_os_result_of(TK_OS_NO_MEMORY);
    ask(polls, waits, n);
    polls[n] = (struct pollfd){.fd = waker ? waker->read : -1, .events = POLLIN};
    if (poll(polls, (nfds_t)(n + 1), milliseconds(seconds)) < 0) {
        if (errno != EINTR)
            result = tk_os_failure(errno);
        for (size_t i = 0; i <= n; i++)
            polls[i].revents = 0;
    }
    tell(polls, waits, n);
    if (waker && polls[n].revents)
        empty(waker);
    if (polls != few)
        free(polls);
    return result;
}
