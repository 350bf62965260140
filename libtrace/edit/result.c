/*
 * Writing of results.
 */
#include "edit/edit_in.h"
#include "engine/run.h"
#include "io/file.h"
#include "io/output.h"
#include "os/path.h"
#include "os/temporary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool write_output(void *ctx, const void *p, size_t n)
{
    return tk_output_write(ctx, p, n, NULL) == TK_OK;
}

/* One of the first four. */
struct writing {
    struct tk_edit_utrace *utrace;
    struct tk_edit_utrace_merge *utrace_merge;
    struct tk_edit_tracy *tracy;
    struct tk_edit_tracy_merge *merge;
    struct tk_anon *anon; /* NULL: nothing is replaced */
};

static int write_utrace(const struct writing *w, struct tk_output *out, struct tk_err *err)
{
    const int rc = w->utrace ? tk_edit_utrace_write(w->utrace, write_output, out, err)
                             : tk_edit_utrace_merge_write(w->utrace_merge, write_output, out, err);
    if (rc != TK_EOUTPUT)
        return rc;
    /* the output says why */
    return tk_output_write(out, "", 0, err) < 0 ? err ? err->code : TK_EOUTPUT : TK_EOUTPUT;
}

static int write_part(void *ctx, const void *p, size_t n, struct tk_err *err)
{
    return tk_output_write(ctx, p, n, err);
}

static int write_either(struct tk_trace *trace, const struct writing *w, struct tk_output *out,
                        struct tk_err *err)
{
    tk_output_stop(out, tk_run_stopped, &trace->ctx);
    if (w->utrace || w->utrace_merge)
        return write_utrace(w, out, err);
    return w->merge ? tk_edit_tracy_merge_write(w->merge, write_part, out, err)
                    : tk_edit_tracy_write(w->tracy, write_part, out, err);
}

/* Opens what was written of a capture within the limits of that. */
static int open_alike(struct tk_trace **out, const char *path, const struct tk_trace *original,
                      struct tk_err *err)
{
    enum { LIMIT_TEXT = 64 }; /* the longest name, '=', and 20 digits */
    char texts[TK_LIMIT_COUNT][LIMIT_TEXT];
    const char *limits[TK_LIMIT_COUNT];
    struct tk_options options = TK_INIT(struct tk_options);
#define PUT_LIMIT(name, value, help)                                                                         \
    snprintf(texts[TK_LIMIT_##name], LIMIT_TEXT, #name "=%" PRIu64, original->ctx.limits.name);
    TK_LIMITS(PUT_LIMIT)
#undef PUT_LIMIT
    for (size_t i = 0; i < TK_LIMIT_COUNT; i++)
        limits[i] = texts[i];
    options.limits = limits;
    options.n_limits = TK_LIMIT_COUNT;
    options.jobs = original->options.jobs;
    return tk_open(out, path, &options, err);
}

/* Opens what was written and searches it; `result` is to be closed in any case. */
static int inspect(struct tk_trace **result, struct tk_trace *trace, struct tk_output *out,
                   const struct writing *w, struct tk_err *err)
{
    *result = NULL;
    int rc = tk_output_close(out, err);
    if (rc == TK_OK)
        rc = open_alike(result, tk_output_staged(out), trace, err);
    if (rc != TK_OK)
        return rc;
    struct tk_capture *capture = (*result)->capture;
    return w->utrace ? tk_edit_utrace_inspect(w->anon, (struct tk_ut_capture *)capture, err)
                     : tk_tracy_texts_inspect(&w->tracy->texts, (struct tk_tracy_capture *)capture, err);
}

static int write_and_keep(struct tk_trace *trace, const struct writing *w, struct tk_output *out,
                          struct tk_err *err)
{
    int rc = write_either(trace, w, out, err);
    if (rc == TK_OK && w->anon) {
        struct tk_trace *result;
        rc = inspect(&result, trace, out, w, err);
        tk_close(result);
    }
    if (rc == TK_OK)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

/* ---- what cannot be taken back is written to another file first ---- */

/* The file is there, so that it is of nobody but the user. */
static int open_temporary(struct tk_output **out, char **name, struct tk_err *err)
{
    const struct tk_os_result r = tk_os_temporary_file(name, "edit.trace");
    if (r.error == TK_OS_OK)
        return tk_output_open(out, *name, true, err);
    return tk_err_set(err, TK_EOUTPUT, "cannot make a temporary file: %s", tk_os_text(r));
}

static int copy_to(struct tk_output *out, const struct tk_trace *from, struct tk_err *err)
{
    enum { PART = 1 << 18 };
    uint8_t *part = malloc(PART);
    int rc = part ? TK_OK : tk_err_nomem(err, "an edit");
    uint64_t at = 0;
    for (size_t got = 1; rc == TK_OK && got; at += got) {
        rc = tk_file_read(from->ctx.file, at, part, PART, &got, err);
        if (rc == TK_OK && got)
            rc = tk_output_write(out, part, got, err);
    }
    free(part);
    return rc;
}

static int write_by_detour(struct tk_trace *trace, const struct writing *w, struct tk_output *out,
                           struct tk_err *err)
{
    struct tk_output *staged = NULL;
    struct tk_trace *result = NULL;
    char *name = NULL;
    int rc = open_temporary(&staged, &name, err);
    if (rc == TK_OK)
        rc = write_either(trace, w, staged, err);
    if (rc == TK_OK)
        rc = inspect(&result, trace, staged, w, err);
    if (rc == TK_OK)
        rc = copy_to(out, result, err);
    tk_close(result);
    if (staged)
        tk_output_discard(staged);
    if (name)
        (void)tk_os_path_remove(name);
    free(name);
    if (rc == TK_OK)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

static int write_result(struct tk_trace *trace, const struct writing *w,
                        const struct tk_edit_options *options, struct tk_err *err)
{
    struct tk_output *out;
    const int rc = options->set ? tk_output_set_open(&out, options->set, options->path, options->force, err)
                                : tk_output_open(&out, options->path, options->force, err);
    if (rc != TK_OK)
        return rc;
    if (w->anon && !tk_output_staged(out))
        return write_by_detour(trace, w, out, err);
    return write_and_keep(trace, w, out, err);
}

int tk_edit_result_write(struct tk_trace *trace, struct tk_edit_utrace *e,
                         const struct tk_edit_options *options, struct tk_err *err)
{
    return write_result(trace, &(struct writing){.utrace = e, .anon = e->request->anon}, options, err);
}

int tk_edit_result_write_tracy(struct tk_trace *trace, struct tk_edit_tracy *e,
                               const struct tk_edit_options *options, struct tk_err *err)
{
    return write_result(trace, &(struct writing){.tracy = e, .anon = e->texts.anon}, options, err);
}

int tk_edit_result_write_merge(struct tk_trace *trace, struct tk_edit_tracy_merge *e,
                               const struct tk_edit_options *options, struct tk_err *err)
{
    return write_result(trace, &(struct writing){.merge = e}, options, err);
}

int tk_edit_result_write_utrace_merge(struct tk_trace *trace, struct tk_edit_utrace_merge *e,
                                      const struct tk_edit_options *options, struct tk_err *err)
{
    return write_result(trace, &(struct writing){.utrace_merge = e}, options, err);
}

int tk_edit_result_mend(struct tk_edit_mended *mended, struct tk_trace *trace, struct tk_edit_tracy *e,
                        struct tk_err *err)
{
    const struct writing w = {.tracy = e};
    int rc = open_temporary(&mended->out, &mended->path, err);
    if (rc == TK_OK)
        rc = write_either(trace, &w, mended->out, err);
    if (rc == TK_OK)
        rc = tk_output_close(mended->out, err);
    return rc == TK_OK ? open_alike(&mended->trace, tk_output_staged(mended->out), trace, err) : rc;
}

void tk_edit_mended_release(struct tk_edit_mended *mended)
{
    tk_close(mended->trace);
    if (mended->out)
        tk_output_discard(mended->out);
    if (mended->path)
        (void)tk_os_path_remove(mended->path);
    free(mended->path);
    *mended = (struct tk_edit_mended){0};
}
