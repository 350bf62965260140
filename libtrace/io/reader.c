/*
 * Reads memory, what callbacks of a program give, and input files of all kinds.
 */
#include "io/reader.h"

#include "io/io_in.h"
#include "io/os_error.h"
#include "os/thread.h"

#include <stdlib.h>
#include <string.h>

int tk_reader_begin(struct tk_reader *r, struct tk_err *err)
{
    if (!r->read)
        return TK_OK;
    r->turn = malloc(sizeof *r->turn);
    if (r->turn && tk_os_monitor_init(r->turn))
        return TK_OK;
    free(r->turn);
    r->turn = NULL;
    return tk_err_nomem(err, "the lock of a reader");
}

static int reading_failed(int rc, uint64_t at, struct tk_err *err)
{
    const bool known = rc == TK_ECANCELED || rc == TK_ENOMEM;
    return tk_err_set(err, known ? rc : TK_EIO, "the read callback failed at byte %llu",
                      (unsigned long long)at);
}

/* A reader may give less than is requested, as those of networks do. */
static int ask_reader(const struct tk_reader *r, uint64_t offset, uint8_t *p, size_t n, size_t *got,
                      struct tk_err *err)
{
    while (*got < n) {
        size_t some = 0;
        int rc = r->read(r->ctx, offset + *got, p + *got, n - *got, &some);
        if (rc < 0)
            return reading_failed(rc, offset + *got, err);
        if (some > n - *got)
            return tk_err_set(err, TK_EIO, "the read callback returned more bytes than requested");
        if (some == 0)
            break;
        *got += some;
    }
    return TK_OK;
}

int tk_reader_read(const struct tk_reader *r, uint64_t offset, void *p, size_t n, size_t *got,
                   struct tk_err *err)
{
    *got = 0;
    if (r->memory) {
        memcpy(p, r->memory + offset, n);
        *got = n;
        return TK_OK;
    }
    tk_os_monitor_lock(r->turn);
    int rc = ask_reader(r, offset, p, n, got, err);
    tk_os_monitor_unlock(r->turn);
    return rc;
}

void tk_reader_end(struct tk_reader *r)
{
    if (r->turn)
        tk_os_monitor_destroy(r->turn);
    free(r->turn);
    *r = (struct tk_reader){0};
}

int tk_file_read(const struct tk_file *f, uint64_t offset, void *buf, size_t n, size_t *got,
                 struct tk_err *err)
{
    *got = 0;
    if (offset >= f->size)
        return TK_OK;
    /* A file that grows meanwhile is read as it was. */
    if (n > f->size - offset)
        n = (size_t)(f->size - offset);
    if (f->outer)
        return tk_file_read(f->outer, f->from + offset, buf, n, got, err);
    if (!f->os)
        return tk_reader_read(&f->reader, offset, buf, n, got, err);
    struct tk_os_result why = tk_os_file_read_at(f->os, offset, buf, n, got);
    return why.error ? tk_os_error_set(err, TK_EIO, why, "cannot read at byte %llu",
                                       (unsigned long long)offset + *got)
                     : TK_OK;
}
