/*
 * Waits for sockets with poll(), and wakes who waits by a pipe.
 */
#include "os/posix/posix.h"

#include "os/posix/failure.h"
#include "os/posix/net.h"
#include "os/socket.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>

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
