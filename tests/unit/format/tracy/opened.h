/*
 * An opened capture for tests: from a file or from bytes, with a source of facts. First include of a test.
 */
#ifndef TK_TESTS_UNIT_TRACY_OPENED_H
#define TK_TESTS_UNIT_TRACY_OPENED_H

#include "os/posix/posix.h"

#include "fact/format.h"
#include "format/tracy/reading/tracy.h"
#include "io/file.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

struct opened {
    struct tk_context ctx;
    struct tk_file *file;
    struct tk_capture *capture;
    struct tk_source *source;
    struct tk_request request;
    struct tk_err err;
};

/* Opens a path with so many jobs; the status of opening. */
static inline int opened_path(struct opened *o, const char *path, unsigned jobs)
{
    *o = (struct opened){.ctx.limits = tk_limits_default()};
    o->ctx.health.max_items = o->ctx.limits.health_items;
    o->ctx.pool = tk_pool_open(jobs);
    ck_assert_ptr_nonnull(o->ctx.pool);
    ck_assert_int_eq(tk_file_open(&o->file, path, NULL, &o->ctx.limits, NULL, &o->err), TK_OK);
    o->ctx.file = o->file;
    o->ctx.size = tk_file_size(o->file);
    o->ctx.format = &tk_format_tracy;
    return tk_format_tracy.open(&o->ctx, &o->capture, &o->err);
}

/* Opens bytes, by way of a file that is gone when this returns. */
static inline int opened_bytes(struct opened *o, const void *p, size_t n, unsigned jobs)
{
    char path[256];
    const char *tmp = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tk-unit-tracy-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, p, n), (ssize_t)n);
    close(fd);
    int rc = opened_path(o, path, jobs);
    unlink(path);
    return rc;
}

/* Begins a reading of what is requested. */
static inline void opened_read(struct opened *o, uint64_t facts)
{
    tk_source_close(o->source);
    o->request.facts = facts;
    ck_assert_int_eq(o->capture->ops->read(o->capture, &o->request, &o->source, &o->err), TK_OK);
}

static inline bool opened_next(struct opened *o, struct tk_batch *batch)
{
    int rc = tk_source_next(o->source, batch, &o->err);
    if (rc < 0)
        ck_abort_msg("%s", o->err.n ? o->err.text[0] : "?");
    return rc == TK_ITEM;
}

static inline uint64_t opened_ledger(const struct opened *o)
{
    uint64_t sum = 0;
    for (int i = 0; i < TK_LEDGER_COUNT; i++)
        sum += o->ctx.health.ledger[i];
    return sum;
}

static inline void opened_close(struct opened *o)
{
    tk_source_close(o->source);
    if (o->capture)
        o->capture->ops->close(o->capture);
    tk_file_close(o->file);
    tk_pool_close(o->ctx.pool);
    tk_health_release(&o->ctx.health);
}

/* Reads all that there is. How many zone begins and ends came, or SIZE_MAX when it cannot be opened. */
static inline size_t opened_read_all(struct opened *o, const void *p, size_t n, unsigned jobs, uint64_t facts)
{
    struct tk_batch batch;
    size_t ops = 0;
    if (opened_bytes(o, p, n, jobs) != TK_OK) {
        must(o->err.n > 0);
        return SIZE_MAX;
    }
    opened_read(o, facts);
    while (opened_next(o, &batch))
        for (size_t i = 0; i < batch.n_runs; i++)
            ops += batch.runs[i].n;
    must(opened_ledger(o) == n);
    return ops;
}

/* Is this the text? */
static inline bool is_text(const struct tk_str *s, const char *text)
{
    return s && s->n == strlen(text) && memcmp(s->p, text, s->n) == 0;
}

#endif
