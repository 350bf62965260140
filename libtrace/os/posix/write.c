/*
 * Writes to files, and sees to it that they last. Outputs, spools and spills end here.
 */
#include "os/posix/posix.h"

#include "os/posix/descriptor.h"
#include "os/posix/failure.h"

#include <pthread.h>
#include <signal.h>

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

struct tk_os_result tk_os_file_write(struct tk_os_file *f, const void *p, size_t n)
{
    /* The signal comes to this thread: held back, then taken away unless it was there before. */
    sigset_t pipe_only, old;
    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    int before = is_pending();
    pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
    int errnum = write_rest(f->fd, p, n);
    int sig;
    if (errnum == EPIPE && !before && is_pending())
        sigwait(&pipe_only, &sig);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return errnum ? tk_os_failure(errnum) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_cut(struct tk_os_file *f, uint64_t size)
{
    return ftruncate(f->fd, (off_t)size) ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_copy_access(struct tk_os_file *f, const struct tk_os_info *from)
{
    return fchmod(f->fd, (mode_t)from->access) ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_sync(struct tk_os_file *f)
{
    if (fsync(f->fd) && errno != EINVAL && errno != ENOTSUP)
        return tk_os_failure(errno);
    return tk_os_result_of(TK_OS_OK);
}
