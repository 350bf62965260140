/*
 * Outputs: a file beside its final name that is renamed when complete, standard output, or a device; see
 * tk_output_open in tracekit.h.
 */
#include "os/posix.h"

#include "io/output/output.h"

#include "base/err.h"
#include "io/output/staging.h"
#include "os/fd_write.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 128 << 10 };

struct tk_output {
    int fd;
    bool owned;               /* closed at the end */
    bool force;               /* an existing file is replaced */
    int failed;               /* the first failure; nothing is written any more */
    char *path;               /* final name; NULL for standard output */
    char *beside;             /* name of the unfinished file; NULL when written directly */
    struct tk_compress *pack; /* owned; NULL: bytes are written as they are */
    size_t n;
    uint8_t buffer[BUFFER_BYTES];
};

static int fail_output(struct tk_err *err, int errnum, const char *what, const char *path)
{
    int code = path ? tk_err_errno(err, errnum, "cannot %s '%s'", what, path)
                    : tk_err_errno(err, errnum, "cannot %s standard output", what);
    if (code != TK_EIO)
        return code;
    if (err)
        err->code = TK_EOUTPUT;
    return TK_EOUTPUT;
}

static int create(const char *name, void *output)
{
    struct tk_output *o = output;
    o->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return o->fd;
}

static int open_beside(struct tk_output *o, struct tk_err *err)
{
    o->beside = tk_staging_make(o->path, create, o);
    return o->beside ? TK_OK : fail_output(err, errno, "create", o->path);
}

static int open_direct(struct tk_output *o, struct tk_err *err)
{
    do
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    while (o->fd < 0 && errno == EINTR);
    return o->fd < 0 ? fail_output(err, errno, "open", o->path) : TK_OK;
}

/* A link is followed, so that the file is replaced and not the link. */
static int set_path(struct tk_output *o, const char *path, struct tk_err *err)
{
    o->path = tk_place_real(path);
    return o->path ? TK_OK : tk_err_nomem(err, "a file name");
}

static int open_path(struct tk_output *o, const char *path, struct tk_err *err)
{
    int rc = set_path(o, path, err);
    if (rc != TK_OK)
        return rc;
    struct stat st;
    o->owned = true;
    o->fd = -1;
    if (stat(o->path, &st)) {
        if (errno != ENOENT)
            return fail_output(err, errno, "create", path);
        /* A link that leads nowhere is there all the same. */
        bool there = lstat(o->path, &st) == 0;
        return there && !o->force ? fail_output(err, EEXIST, "write", path) : open_beside(o, err);
    }
    if (S_ISDIR(st.st_mode))
        return fail_output(err, EISDIR, "write", path);
    if (!S_ISREG(st.st_mode))
        return open_direct(o, err);
    if (!o->force)
        return fail_output(err, EEXIST, "write", path);
    rc = open_beside(o, err);
    /* The new file may be read by whom the old one was for. Not worth a failure. */
    if (rc == TK_OK && fchmod(o->fd, st.st_mode & 0777))
        errno = 0;
    return rc;
}

int tk_output_open(struct tk_output **out, const char *path, bool force, struct tk_err *err)
{
    return tk_output_open_packed(out, path, force, tk_compressing_of(path), err);
}

int tk_output_open_packed(struct tk_output **out, const char *path, bool force, enum tk_compressing packing,
                          struct tk_err *err)
{
    *out = NULL;
    struct tk_output *o = malloc(sizeof *o);
    if (!o)
        return tk_err_nomem(err, "an output");
    memset(o, 0, offsetof(struct tk_output, buffer));
    o->fd = STDOUT_FILENO;
    o->force = force;
    int rc = strcmp(path, "-") == 0 ? TK_OK : open_path(o, path, err);
    if (rc == TK_OK && packing != TK_PACKING_NONE)
        rc = tk_compress_open(&o->pack, packing, o->fd, err);
    if (rc == TK_OK)
        *out = o;
    else
        tk_output_discard(o);
    return rc;
}

const char *tk_output_beside(const struct tk_output *o)
{
    return o->beside;
}

static int write_through(struct tk_output *o, const void *p, size_t n, struct tk_err *err)
{
    int errnum = o->pack ? tk_compress_write(o->pack, p, n) : tk_write_all(o->fd, p, n);
    if (errnum)
        o->failed = fail_output(err, errnum, "write", o->path);
    return o->failed;
}

static int flush(struct tk_output *o, struct tk_err *err)
{
    size_t n = o->n;
    o->n = 0;
    return n ? write_through(o, o->buffer, n, err) : TK_OK;
}

int tk_output_write(struct tk_output *o, const void *p, size_t n, struct tk_err *err)
{
    if (o->failed)
        return tk_err_set(err, o->failed, "an earlier write has failed");
    if (n > BUFFER_BYTES - o->n) {
        int rc = flush(o, err);
        if (rc != TK_OK)
            return rc;
    }
    if (n >= BUFFER_BYTES)
        return write_through(o, p, n, err);
    if (n)
        memcpy(o->buffer + o->n, p, n);
    o->n += n;
    return TK_OK;
}

/* Puts the file under its name; 0 or -1 with errno. Without force a file that came meanwhile stays (EEXIST).
 */
static int put_in_place(const struct tk_output *o)
{
    if (o->force)
        return rename(o->beside, o->path);
    if (link(o->beside, o->path) == 0) {
        (void)unlink(o->beside); /* the output is complete whatever becomes of the other name */
        return 0;
    }
    if (errno == EEXIST)
        return -1;
    /* File systems without hard links: what comes in this moment is replaced. */
    if (access(o->path, F_OK) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(o->beside, o->path);
}

static int finish_output(struct tk_output *o, struct tk_err *err)
{
    if (o->failed)
        return tk_err_set(err, o->failed, "an earlier write has failed");
    int rc = flush(o, err);
    if (rc == TK_OK && o->pack) {
        int errnum = tk_compress_finish(o->pack);
        rc = errnum ? fail_output(err, errnum, "write", o->path) : TK_OK;
    }
    if (rc != TK_OK || !o->owned)
        return rc;
    if (o->beside && fsync(o->fd) && errno != EINVAL && errno != ENOTSUP)
        return fail_output(err, errno, "write", o->path);
    int fd = o->fd;
    o->fd = -1;
    if (close(fd) && errno != EINTR)
        return fail_output(err, errno, "write", o->path);
    if (!o->beside)
        return TK_OK;
    if (put_in_place(o))
        return fail_output(err, errno, "write", o->path);
    free(o->beside);
    o->beside = NULL;
    return TK_OK;
}

int tk_output_commit(struct tk_output *o, struct tk_err *err)
{
    int rc = finish_output(o, err);
    tk_output_discard(o);
    return rc;
}

void tk_output_discard(struct tk_output *o)
{
    if (!o)
        return;
    tk_compress_close(o->pack);
    if (o->owned && o->fd >= 0)
        close(o->fd);
    if (o->beside)
        unlink(o->beside);
    free(o->beside);
    free(o->path);
    free(o);
}
