/*
 * Locks by flock: those of fcntl end when any handle of the process is closed, and its newer ones want a file
 * that may be written to, which a file that is replaced need not be. Where NFS makes them of locks of fcntl
 * it wants that, too, so files are opened for writing where that is allowed.
 */
#include "os/posix/posix.h"

#include "os/lock.h"

#include "os/clock.h"
#include "os/path.h"
#include "os/posix/descriptor.h"
#include "os/posix/failure.h"

#include <sys/file.h>
#include <time.h>

enum { LONGEST_NAP = 64 }; /* ms */

static void nap(unsigned *ms)
{
    nanosleep(&(struct timespec){.tv_nsec = *ms * 1000000L}, NULL);
    *ms = *ms < LONGEST_NAP ? *ms * 2 : LONGEST_NAP;
}

static struct tk_os_result lock_until(const struct tk_os_file *f, enum tk_os_locking kind, double end)
{
    unsigned ms = 1;
    for (;;) {
        if (flock(f->fd, (kind == TK_OS_SHARED ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0)
            return tk_os_result_of(TK_OS_OK);
        if (errno == EINTR)
            continue;
        if (errno != EWOULDBLOCK)
            return tk_os_failure(errno);
        if (tk_os_seconds() >= end)
            return tk_os_result_of(TK_OS_BUSY);
        nap(&ms);
    }
}

static struct tk_os_result open_to_lock(struct tk_os_file **out, const char *path)
{
    struct tk_os_info info;
    struct tk_os_result why = tk_os_path_info(path, &info);
    *out = NULL;
    if (!why.error && info.kind != TK_OS_FILE) /* which opening might wait for */
        why = tk_os_failure(ENOLCK);
    if (why.error)
        return why;
    why = tk_os_descriptor_open(out, path, O_RDWR);
    return why.error == TK_OS_DENIED ? tk_os_file_open_read(out, path) : why;
}

/* Is the file still what the path leads to? While it is open no other one is the same. */
static bool has_name(const struct tk_os_file *f, const char *path)
{
    struct tk_os_info named, own;
    return !tk_os_path_info(path, &named).error && !tk_os_file_info(f, &own).error &&
           tk_os_is_same(&named, &own);
}

struct tk_os_result tk_os_path_lock(struct tk_os_file **out, const char *path, enum tk_os_locking kind,
                                    double seconds)
{
    const double end = tk_os_seconds() + seconds;
    for (;;) {
        struct tk_os_result why = open_to_lock(out, path);
        if (!why.error)
            why = lock_until(*out, kind, end);
        if (!why.error && has_name(*out, path))
            return why;
        tk_os_file_close(*out);
        *out = NULL;
        if (why.error)
            return why;
    }
}
