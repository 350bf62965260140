/*
 * Opens, reads and closes files by their descriptors. Writing is in write.c.
 */
#include "os/posix/posix.h"

#include "os/file.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/statvfs.h>

/*
 * Writes to files, and sees to it that they last. Outputs, spools and spills end here.
 */

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

static struct tk_os_file standard_input = {.fd = STDIN_FILENO}, standard_output = {.fd = STDOUT_FILENO};

struct tk_os_file *tk_os_standard_input(void)
{
    return &standard_input;
}

struct tk_os_file *tk_os_standard_output(void)
{
    return &standard_output;
}

/* The handle is there before the file, which is not left behind if out of memory. */
struct tk_os_result tk_os_descriptor_create(struct tk_os_file **out, const char *path, int flags,
                                            unsigned mode)
{
    struct tk_os_file *f = malloc(sizeof *f);
    *out = NULL;
    if (!f)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    do
        *f = (struct tk_os_file){.fd = open(path, flags | O_CLOEXEC | O_NOCTTY, (mode_t)mode)};
    while (f->fd < 0 && errno == EINTR);
    if (f->fd < 0) {
        const int errnum = errno;
        free(f);
        return tk_os_failure(errnum);
    }
    *out = f;
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_descriptor_open(struct tk_os_file **out, const char *path, int flags)
{
    return tk_os_descriptor_create(out, path, flags, 0666);
}

struct tk_os_result tk_os_file_open_read(struct tk_os_file **out, const char *path)
{
    return tk_os_descriptor_open(out, path, O_RDONLY);
}

struct tk_os_result tk_os_file_of_descriptor(struct tk_os_file **out, int descriptor)
{
    *out = malloc(sizeof **out);
    if (!*out)
        return tk_os_result_of(TK_OS_NO_MEMORY);
    **out = (struct tk_os_file){.fd = descriptor, .borrowed = true};
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_create(struct tk_os_file **out, const char *path)
{
    return tk_os_descriptor_open(out, path, O_WRONLY | O_CREAT | O_EXCL);
}

struct tk_os_result tk_os_file_create_private(struct tk_os_file **out, const char *path)
{
    return tk_os_descriptor_create(out, path, O_WRONLY | O_CREAT | O_EXCL, 0600);
}

struct tk_os_result tk_os_file_open_write(struct tk_os_file **out, const char *path)
{
    return tk_os_descriptor_open(out, path, O_WRONLY);
}

struct tk_os_result tk_os_file_open_append(struct tk_os_file **out, const char *path)
{
    return tk_os_descriptor_open(out, path, O_WRONLY | O_APPEND);
}

/* Of both times of a change: programs may set the first one back, not the second. */
static uint64_t change_of(const struct stat *st)
{
#if defined(__APPLE__)
    const struct timespec *bytes = &st->st_mtimespec, *any = &st->st_ctimespec;
#else
    const struct timespec *bytes = &st->st_mtim, *any = &st->st_ctim;
#endif
    const uint64_t second = UINT64_C(1000000000);
    return ((uint64_t)bytes->tv_sec * second + (uint64_t)bytes->tv_nsec) * 3 +
           ((uint64_t)any->tv_sec * second + (uint64_t)any->tv_nsec);
}

void tk_os_info_of(const struct stat *st, struct tk_os_info *info)
{
    const mode_t mode = st->st_mode;
    info->kind = S_ISREG(mode)                      ? TK_OS_FILE
                 : S_ISDIR(mode)                    ? TK_OS_FOLDER
                 : S_ISFIFO(mode) || S_ISSOCK(mode) ? TK_OS_PIPE
                                                    : TK_OS_DEVICE;
    info->modified = (int64_t)st->st_mtime;
    info->own = st->st_uid == geteuid();
    info->changed = change_of(st);
    info->size = S_ISREG(mode) ? (uint64_t)st->st_size : 0;
    info->volume = (uint64_t)st->st_dev;
    info->identity[0] = (uint64_t)st->st_ino;
    info->identity[1] = 0;
    info->access = mode & 0777;
}

struct tk_os_result tk_os_file_info(const struct tk_os_file *f, struct tk_os_info *info)
{
    struct stat st;
    if (fstat(f->fd, &st))
        return tk_os_failure(errno);
    tk_os_info_of(&st, info);
    return tk_os_result_of(TK_OS_OK);
}

bool tk_os_file_at_start(const struct tk_os_file *f)
{
    return lseek(f->fd, 0, SEEK_CUR) == 0;
}

struct tk_os_result tk_os_file_read_at(const struct tk_os_file *f, uint64_t at, void *p, size_t n,
                                       size_t *got)
{
    *got = 0;
    while (*got < n) {
        ssize_t k = pread(f->fd, (uint8_t *)p + *got, n - *got, (off_t)(at + *got));
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return tk_os_failure(errno);
        if (k == 0)
            break;
        *got += (size_t)k;
    }
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_read(struct tk_os_file *f, void *p, size_t n, size_t *got)
{
    *got = 0;
    while (*got < n) {
        ssize_t k = read(f->fd, (uint8_t *)p + *got, n - *got);
        if (k < 0 && errno == EINTR)
            continue;
        if (k < 0)
            return tk_os_failure(errno);
        if (k == 0)
            break;
        *got += (size_t)k;
    }
    return tk_os_result_of(TK_OS_OK);
}

struct tk_os_result tk_os_file_close(struct tk_os_file *f)
{
    if (!f || f == &standard_input || f == &standard_output)
        return tk_os_result_of(TK_OS_OK);
    const int fd = f->fd;
    const bool borrowed = f->borrowed;
    free(f);
    if (borrowed)
        return tk_os_result_of(TK_OS_OK);
    /* It is closed, whatever close says. */
    return close(fd) && errno != EINTR ? tk_os_failure(errno) : tk_os_result_of(TK_OS_OK);
}

uint64_t tk_os_file_space(const struct tk_os_file *f)
{
    struct stat st;
    struct statvfs disk;
    /* file systems that do not count, as some in memory, have no blocks at all */
    if (fstat(f->fd, &st) || !S_ISREG(st.st_mode) || fstatvfs(f->fd, &disk) || disk.f_blocks == 0)
        return UINT64_MAX;
    uint64_t unit = disk.f_frsize ? disk.f_frsize : disk.f_bsize;
    return unit && disk.f_bavail > UINT64_MAX / unit ? UINT64_MAX : unit * disk.f_bavail;
}
