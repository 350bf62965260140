/*
 * Outputs: a file alongside its final name that is renamed when complete, standard output, or a device; see
 * tk_output_open in tracekit.h.
 */
#include "base/given.h"
#include "io/io_in.h"
#include "io/os_error.h"
#include "os/path.h"
#include "tracekit/sinks.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 128 << 10, DISK_PARTS = 10 /* one of them is left free */ };

#define MOST_UNCHECKED (UINT64_C(64) << 20) /* bytes between two looks at the disk */

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

static struct tk_os_result create_alone(struct tk_output *o)
{
    const struct tk_os_result why = tk_staging_make(&o->staged, o->path, create, o);
    if (!why.error) /* not worth a failure */
        (void)tk_os_path_lock(&o->lock, o->staged, TK_OS_EXCLUSIVE, 0);
    return why;
}

static struct tk_os_result create_in_set(struct tk_output *o)
{
    char *name;
    struct tk_os_result why = tk_output_set_name(o->set, &name, o->path);
    if (!why.error)
        why = create(name, o);
    if (why.error)
        free(name);
    else
        o->staged = name;
    return why;
}

static int open_parallel(struct tk_output *o, struct tk_err *err)
{
    const struct tk_os_result why = o->set ? create_in_set(o) : create_alone(o);
    return why.error ? fail_output(err, why, "create", o->path) : TK_OK;
}

static int open_direct(struct tk_output *o, struct tk_err *err)
{
    struct tk_os_result why = tk_os_file_open_write(&o->file, o->path);
    return why.error ? fail_output(err, why, "open", o->path) : TK_OK;
}

static int set_path(struct tk_output *o, const char *path, struct tk_err *err)
{
    o->path = tk_place_replaced(path);
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
    return there && !o->force ? refuse(err, TK_OS_EXISTS, path) : open_parallel(o, err);
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
    rc = open_parallel(o, err);
    /* The new file may be read by whom the old one was for. Not worth a failure. */
    if (rc == TK_OK)
        (void)tk_os_file_copy_access(o->file, &info);
    return rc;
}

int tk_output_open(struct tk_output **out, const char *path, bool force, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, path);
    return tk_output_open_packed(out, path, force, tk_compressing_of(path), err);
}

int tk_output_set_open(struct tk_output **out, struct tk_output_set *set, const char *path, bool force,
                       struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, set, path);
    return tk_output_open_in(out, set, path, force, tk_compressing_of(path), err);
}

/* Of the disk that a file lies on; 0 where that is not known. */
static uint64_t reserve_of(const struct tk_os_file *file)
{
    uint64_t capacity = tk_os_file_space(file);
    return capacity == UINT64_MAX ? 0 : capacity / DISK_PARTS;
}

int tk_output_open_packed(struct tk_output **out, const char *path, bool force, enum tk_compressing packing,
                          struct tk_err *err)
{
    return tk_output_open_in(out, NULL, path, force, packing, err);
}

static int open_output(struct tk_output *o, const char *path, enum tk_compressing packing, struct tk_err *err)
{
    int rc = o->buffer ? TK_OK : tk_err_nomem(err, "an output");
    if (rc == TK_OK && strcmp(path, "-") == 0)
        o->file = tk_os_standard_output();
    else if (rc == TK_OK)
        rc = open_path(o, path, err);
    if (rc == TK_OK)
        o->reserve = reserve_of(o->file);
    if (rc == TK_OK && packing != TK_PACKING_NONE)
        rc = tk_compress_open(&o->pack, packing, o->file, err);
    if (rc == TK_OK && tk_output_set_add(o))
        rc = tk_err_nomem(err, "an output");
    return rc;
}

static int open_as(struct tk_output **out, const struct tk_output *as, const char *path,
                   enum tk_compressing packing, struct tk_err *err)
{
    *out = NULL;
    struct tk_output *o = calloc(1, sizeof *o);
    if (!o)
        return tk_err_nomem(err, "an output");
    *o = *as;
    o->buffer = malloc(BUFFER_BYTES);
    const int rc = open_output(o, path, packing, err);
    if (rc == TK_OK)
        *out = o;
    else
        tk_output_discard(o);
    return rc;
}

int tk_output_open_in(struct tk_output **out, struct tk_output_set *set, const char *path, bool force,
                      enum tk_compressing packing, struct tk_err *err)
{
    const struct tk_output as = {.force = force, .set = set};
    return open_as(out, &as, path, packing, err);
}

int tk_output_open_private(struct tk_output **out, const char *path, bool force, struct tk_err *err)
{
    const struct tk_output as = {.force = force, .closed = true};
    return open_as(out, &as, path, TK_PACKING_NONE, err);
}

const char *tk_output_staged(const struct tk_output *o)
{
    return o->staged;
}

void tk_output_stop(struct tk_output *o, int (*stop)(void *ctx), void *ctx)
{
    if (!o)
        return;
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
    if (tk_os_file_space(o->file) >= o->reserve)
        return TK_OK;
    return fail_full(o, err);
}

static int write_open(struct tk_output *o, const void *p, size_t n, struct tk_os_result why,
                      struct tk_err *err)
{
    o->failed = why.error ? TK_OK : may_write(o, n, err);
    if (o->failed)
        return o->failed;
    if (!why.error)
        why = o->pack ? tk_compress_write(o->pack, p, n) : tk_os_file_write(o->file, p, n);
    if (why.error)
        o->failed = fail_output(err, why, "write", o->path);
    o->why = why;
    return o->failed;
}

static int write_through(struct tk_output *o, const void *p, size_t n, struct tk_err *err)
{
    const int rc = write_open(o, p, n, tk_output_set_take(o), err);
    tk_output_set_give(o);
    return rc;
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
    if (!o)
        return;
    o->escapes = true;
}

int tk_output_write(struct tk_output *o, const void *p, size_t n, struct tk_err *err)
{
    TK_GIVEN(err, o);
    if (n)
        TK_GIVEN(err, p);
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
    struct tk_os_result why = tk_output_set_take(o);
    if (!why.error && o->staged)
        why = tk_os_file_sync(o->file);
    if (!why.error) {
        why = tk_os_file_close(o->file);
        o->file = NULL;
    }
    tk_output_set_give(o);
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
    if (rc != TK_OK || !o->staged || o->set)
        return rc;
    const struct tk_os_result why = tk_output_place(o);
    return why.error ? fail_output(err, why, "write", o->path) : TK_OK;
}

int tk_output_commit(struct tk_output *o, struct tk_err *err)
{
    TK_GIVEN(err, o);
    int rc = finish_output(o, err);
    if (rc != TK_OK || !o->set || !o->staged)
        tk_output_discard(o);
    return rc;
}

void tk_output_discard(struct tk_output *o)
{
    if (!o)
        return;
    tk_output_set_leave(o);
    tk_output_free(o);
}
