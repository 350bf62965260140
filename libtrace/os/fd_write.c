/*
 * Writes all bytes to a descriptor, over interruptions and short writes. The outputs of io/output end here.
 */
#include "os/posix.h"

#include "os/fd_write.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>

static int write_rest(int fd, const uint8_t *p, size_t n)
{
    while (n > 0) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return errno;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

static int is_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
}

int tk_write_all(int fd, const void *p, size_t n)
{
    /* The signal comes to this thread: held back, then taken away unless it was there before. */
    sigset_t pipe_only, old;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    int before = is_pending();
    pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
    int rc = write_rest(fd, p, n);
    int sig;
    if (rc == EPIPE && !before && is_pending())
        sigwait(&pipe_only, &sig);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}
