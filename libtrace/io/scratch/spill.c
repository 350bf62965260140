/*
 * Writes and reads streams of a temporary file. The external sort, presets and speedscope keep their data
 * there.
 */
#include "os/posix.h"

#include "io/scratch/spill.h"

#include "os/fd_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tk_spill {
    int fd;
    uint64_t size;
};

static int fail_spill(struct tk_err *err, int errnum, const char *what)
{
    tk_err_errno(err, errnum, "cannot %s a temporary file", what);
    if (err)
        err->code = TK_EOUTPUT;
    return TK_EOUTPUT;
}

static int open_nameless(const char *dir)
{
    char path[4096];
    if (!dir)
        dir = getenv("TMPDIR");
    int n = snprintf(path, sizeof path, "%s/tracekit-XXXXXX", dir && *dir ? dir : "/tmp");
    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkstemp(path);
    if (fd >= 0 && (unlink(path) || fcntl(fd, F_SETFD, FD_CLOEXEC))) {
        close(fd);
        return -1;
    }
    return fd;
}

int tk_spill_open(struct tk_spill **out, const char *dir, struct tk_err *err)
{
    struct tk_spill *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return tk_err_nomem(err, "a temporary file");
    s->fd = open_nameless(dir);
    if (s->fd < 0) {
        free(s);
        return fail_spill(err, errno, "make");
    }
    *out = s;
    return TK_OK;
}

int tk_spill_write(struct tk_spill *s, struct tk_spilled *stream, const void *p, size_t n, struct tk_err *err)
{
    const struct tk_spill_piece piece = {.offset = s->size, .n = n};
    if (tk_vec_push(&stream->pieces, piece))
        return tk_err_nomem(err, "a temporary file");
    int errnum = tk_write_all(s->fd, p, n);
    s->size += n;
    return errnum ? fail_spill(err, errnum, "write to") : TK_OK;
}

int tk_spill_read(const struct tk_spill *s, const struct tk_spilled *stream, size_t i, void *p,
                  struct tk_err *err)
{
    const struct tk_spill_piece *piece = &stream->pieces.v[i];
    for (size_t done = 0; done < piece->n;) {
        ssize_t k = pread(s->fd, (char *)p + done, piece->n - done, (off_t)(piece->offset + done));
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return fail_spill(err, k < 0 ? errno : EIO, "read back");
        done += (size_t)k;
    }
    return TK_OK;
}

void tk_spill_close(struct tk_spill *s)
{
    if (!s)
        return;
    close(s->fd);
    free(s);
}
