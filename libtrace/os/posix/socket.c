/*
 * Sockets of POSIX, none of which makes the caller wait. Waiting for them is in socket_wait.c.
 */
#include "os/posix/posix.h"

#include "os/socket.h"

#include "os/posix/failure.h"
#include "os/posix/net.h"

#include <netinet/tcp.h>
#include <stdlib.h>

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
    const socklen_t n = tk_os_address_to_system(at, &system);
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
    if (owned.error == TK_OS_OK && !tk_os_address_of_system(from, &system))
        *from = (struct tk_os_address){0};
    return owned;
}

struct tk_os_result tk_os_socket_connect(struct tk_os_socket **out, const struct tk_os_address *to)
{
    struct sockaddr_storage system;
    const socklen_t n = tk_os_address_to_system(to, &system);
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
    return tk_os_result_of(tk_os_address_of_system(out, &system) ? TK_OS_OK : TK_OS_IO);
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
    const socklen_t n = tk_os_address_to_system(at, &system);
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
    const socklen_t size = tk_os_address_to_system(to, &system);
    ssize_t k;
    do
        k = sendto(s->fd, p, n, MSG_NOSIGNAL, (struct sockaddr *)&system, size);
    while (k < 0 && errno == EINTR);
    return k < 0 ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}
