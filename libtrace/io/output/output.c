/*
 * Outputs: a file beside its final name that is renamed when complete, standard output, or a device; see
 * tk_output_open in tracekit.h.
 */
#include "io/output/output.h"

#include "io/os_error.h"
#include "io/output/staging.h"
#include "io/output/terminal_filter.h"
#include "os/path.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 128 << 10, DISK_PARTS = 10 /* one of them is left free */ };

#define MOST_UNCHECKED (UINT64_C(64) << 20) /* bytes between two looks at the disk */

struct tk_output {
    struct tk_os_file *file;  /* owned; NULL: closed */
    bool force;               /* an existing file is replaced */
    bool closed;              /* a new one is for the user alone until it is known for whom it is */
    int failed;               /* the first failure; nothing is written any more */
    struct tk_os_result why;  /* of the system; none where that was another one */
    char *path;               /* final name; NULL for standard output */
    char *beside;             /* name of the unfinished file; NULL when written directly */
    struct tk_compress *pack; /* owned; NULL: bytes are written as they are */
    int (*stop)(void *ctx);   /* is there nothing more to be written? NULL: nobody asks to stop */
    void *stop_ctx;
    bool escapes; /* see tk_output_escape */
    struct tk_terminal_filter filter;
    uint64_t reserve;   /* bytes of the disk that are left free */
    uint64_t unchecked; /* bytes since somebody has looked how much is free */
    size_t n;
    uint8_t *buffer; /* owned: BUFFER_BYTES; NULL once the file is closed */
};

static int fail_output(struct tk_err *err, struct tk_os_result why, const char *what, const char *path)
{
    return path ? tk_os_error_set(err, TK_EOUTPUT, why, "cannot %s '%s'", what, path)
                : tk_os_error_set(err, TK_EOUTPUT, why, "cannot %s standard output", what);
}

static struct tk_os_result create(const char *name, void *output)
{
    struct tk_output *o = output;
    return (o->closed ? tk_os_file_create_private : tk_os_file_create)(&o->file, name);
}

static int open_beside(struct tk_output *o, struct tk_err *err)
{
    struct tk_os_result why = tk_staging_make(&o->beside, o->path, create, o);
    return why.error ? fail_output(err, why, "create", o->path) : TK_OK;
}

static int open_direct(struct tk_output *o, struct tk_err *err)
{
    struct tk_os_result why = tk_os_file_open_write(&o->file, o->path);
    return why.error ? fail_output(err, why, "open", o->path) : TK_OK;
}

/* A link is followed, so that the file is replaced and not the link. */
static int set_path(struct tk_output *o, const char *path, struct tk_err *err)
{
    o->path = tk_place_real(path);
    return o->path ? TK_OK : tk_err_nomem(err, "a file name");
}

static int refuse(struct tk_err *err, enum tk_os_error why, const char *path)
{
    if (why == TK_OS_EXISTS)
        return tk_err_set(err, TK_EOUTPUT, "cannot write '%s': file exists (--force replaces it)", path);
    return fail_output(err, tk_os_result_of(why), "write", path);
}

/* There is nothing, unless it is a link that leads nowhere. */
static int open_new(struct tk_output *o, const char *path, struct tk_err *err)
{
    struct tk_os_info info;
    const bool there = tk_os_path_link_info(o->path, &info).error == TK_OS_OK;
    return there && !o->force ? refuse(err, TK_OS_EXISTS, path) : open_beside(o, err);
}

static int open_path(struct tk_output *o, const char *path, struct tk_err *err)
{
    int rc = set_path(o, path, err);
    if (rc != TK_OK)
        return rc;
    struct tk_os_info info;
    struct tk_os_result why = tk_os_path_info(o->path, &info);
    if (why.error == TK_OS_NOT_FOUND)
        return open_new(o, path, err);
    if (why.error)
        return fail_output(err, why, "create", path);
    if (info.kind == TK_OS_FOLDER)
        return refuse(err, TK_OS_IS_FOLDER, path);
    if (info.kind != TK_OS_FILE)
        return open_direct(o, err);
    if (!o->force)
        return refuse(err, TK_OS_EXISTS, path);
    o->closed = true;
    rc = open_beside(o, err);
    /* The new file may be read by whom the old one was for. Not worth a failure. */
    if (rc == TK_OK)
        (void)tk_os_file_copy_access(o->file, &info);
    return rc;
}

int tk_output_open(struct tk_output **out, const char *path, bool force, struct tk_err *err)
{
    return tk_output_open_packed(out, path, force, tk_compressing_of(path), err);
}

/* Of the disk that a file lies on; 0 where that is not known. */
static uint64_t reserve_of(const struct tk_os_file *file)
{
    uint64_t room = tk_os_file_room(file);
    return room == UINT64_MAX ? 0 : room / DISK_PARTS;
}

int tk_output_open_packed(struct tk_output **out, const char *path, bool force, enum tk_compressing packing,
                          struct tk_err *err)
{
    *out = NULL;
    struct tk_output *o = calloc(1, sizeof *o);
    if (!o)
        return tk_err_nomem(err, "an output");
    o->force = force;
    o->buffer = malloc(BUFFER_BYTES);
    int rc = o->buffer ? TK_OK : tk_err_nomem(err, "an output");
    if (rc == TK_OK && strcmp(path, "-") == 0)
        o->file = tk_os_standard_output();
    else if (rc == TK_OK)
        rc = open_path(o, path, err);
    if (rc == TK_OK)
        o->reserve = reserve_of(o->file);
    if (rc == TK_OK && packing != TK_PACKING_NONE)
        rc = tk_compress_open(&o->pack, packing, o->file, err);
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

void tk_output_stop(struct tk_output *o, int (*stop)(void *ctx), void *ctx)
{
    o->stop = stop;
    o->stop_ctx = ctx;
}

void tk_output_threads(struct tk_output *o, unsigned n)
{
    if (o->pack)
        tk_compress_threads(o->pack, n);
}

static int fail_full(const struct tk_output *o, struct tk_err *err)
{
    return tk_err_set(err, TK_EOUTPUT, "cannot write %s%s%s: 90 %% of the free space on the disk is used up",
                      o->path ? "'" : "", o->path ? o->path : "standard output", o->path ? "'" : "");
}

static int fail_stopped(struct tk_err *err)
{
    return tk_err_set(err, TK_ECANCELED, "writing was stopped");
}

/* May n bytes be written? TK_OK, TK_ECANCELED or TK_EOUTPUT. */
static int may_write(struct tk_output *o, size_t n, struct tk_err *err)
{
    const uint64_t often = o->reserve / 2 < MOST_UNCHECKED ? o->reserve / 2 : MOST_UNCHECKED;
    if (o->stop && o->stop(o->stop_ctx))
        return fail_stopped(err);
    o->unchecked += n;
    if (!o->reserve || o->unchecked < often)
        return TK_OK;
    o->unchecked = 0;
    if (tk_os_file_room(o->file) >= o->reserve)
        return TK_OK;
    return fail_full(o, err);
}

static int write_through(struct tk_output *o, const void *p, size_t n, struct tk_err *err)
{
    o->failed = may_write(o, n, err);
    if (o->failed)
        return o->failed;
    struct tk_os_result why = o->pack ? tk_compress_write(o->pack, p, n) : tk_os_file_write(o->file, p, n);
    if (why.error)
        o->failed = fail_output(err, why, "write", o->path);
    o->why = why;
    return o->failed;
}

/* The first failure again, with its cause: the caller may not have kept it. */
static int fail_again(const struct tk_output *o, struct tk_err *err)
{
    if (o->why.error)
        return fail_output(err, o->why, "write", o->path);
    return o->failed == TK_ECANCELED ? fail_stopped(err) : fail_full(o, err);
}

static int flush(struct tk_output *o, struct tk_err *err)
{
    size_t n = o->n;
    o->n = 0;
    return n ? write_through(o, o->buffer, n, err) : TK_OK;
}

/* A write of filtered bytes, and what became of it. */
struct filtered {
    struct tk_output *output;
    struct tk_err *err;
    int status;
};

static int put_bytes(struct tk_output *o, const void *p, size_t n, struct tk_err *err);

static void put_filtered(void *to, const char *p, size_t n)
{
    struct filtered *f = to;
    if (f->status == TK_OK)
        f->status = put_bytes(f->output, p, n, f->err);
}

void tk_output_escape(struct tk_output *o)
{
    o->escapes = true;
}

int tk_output_write(struct tk_output *o, const void *p, size_t n, struct tk_err *err)
{
    struct filtered filtered = {o, err, TK_OK};
    if (!o->escapes)
        return put_bytes(o, p, n, err);
    tk_terminal_filter_put(&o->filter, p, n, put_filtered, &filtered);
    return filtered.status;
}

static int put_bytes(struct tk_output *o, const void *p, size_t n, struct tk_err *err)
{
    if (o->failed)
        return fail_again(o, err);
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

static struct tk_os_result close_file(struct tk_output *o)
{
    struct tk_os_result why = o->beside ? tk_os_file_sync(o->file) : tk_os_result_of(TK_OS_OK);
    if (why.error)
        return why;
    why = tk_os_file_close(o->file);
    o->file = NULL;
    return why;
}

/* Puts the file under its name. Without force a file that came meanwhile stays. */
static struct tk_os_result put_in_place(struct tk_output *o)
{
    struct tk_os_result why =
        o->force ? tk_os_path_rename_over(o->beside, o->path) : tk_os_path_rename_new(o->beside, o->path);
    if (why.error)
        return why;
    free(o->beside);
    o->beside = NULL;
    return why;
}

int tk_output_close(struct tk_output *o, struct tk_err *err)
{
    if (o->failed)
        return fail_again(o, err);
    if (!o->buffer)
        return TK_OK;
    int rc = flush(o, err);
    if (rc != TK_OK)
        return rc;
    struct tk_os_result why = {0};
    if (o->pack)
        why = tk_compress_finish(o->pack);
    free(o->buffer);
    o->buffer = NULL;
    if (!why.error)
        why = close_file(o);
    return why.error ? fail_output(err, why, "write", o->path) : TK_OK;
}

static int finish_output(struct tk_output *o, struct tk_err *err)
{
    int rc = tk_output_close(o, err);
    if (rc != TK_OK || !o->beside)
        return rc;
    struct tk_os_result why = put_in_place(o);
    return why.error ? fail_output(err, why, "write", o->path) : TK_OK;
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
    tk_os_file_close(o->file);
    if (o->beside)
        tk_os_path_remove(o->beside);
    free(o->buffer);
    free(o->beside);
    free(o->path);
    free(o);
}
