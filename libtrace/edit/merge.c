/*
 * tk_edit_merge: several captures as one.
 */
#include "api/trace.h"
#include "base/err.h"
#include "edit/edit_in.h"
#include "engine/run.h"

#include <stdlib.h>
#include <string.h>

/* Which one an error is about; captures that are no files have no names. */
static int cannot_merge(const struct tk_trace *trace, size_t place, struct tk_err *err)
{
    return trace->path ? tk_err_add(err, "'%.200s' cannot be merged", trace->path)
                       : tk_err_add(err, "capture %zu of the merge cannot be used", place + 1);
}

/* Captures of a merge: as they are, or mended. */
struct merging {
    struct tk_edit_mended *mended;     /* owned, one each */
    struct tk_tracy_merge_part *parts; /* owned, likewise */
};

static uint64_t items_of(const struct tk_edit_tracy *e, const char *section)
{
    for (size_t i = 0; i < e->survey.whole; i++)
        if (strcmp(tk_tracy_sections[i]->name, section) == 0)
            return e->survey.sections[i].items;
    return 0;
}

static struct tk_tracy_capture *recorded(const struct tk_trace *trace)
{
    return (struct tk_tracy_capture *)tk_frames_from_recorded(trace->capture);
}

static int look(struct tk_edit_tracy *e, struct tk_trace *trace, struct tk_err *err)
{
    const struct tk_edit_tracy_request request = {.window = {INT64_MIN, INT64_MAX, false}};
    return tk_edit_tracy_plan(e, recorded(trace), &request, err);
}

static bool has_all_texts(const struct tk_trace *trace)
{
    return !recorded(trace)->strings.incomplete;
}

static int lacks_texts(struct tk_err *err)
{
    return tk_err_set(err, TK_ELIMIT, "not all texts fit in the limit 'strings'; raise it with --limit");
}

/* What is to be mended is looked at again when it is. */
static int prepare(struct tk_tracy_merge_part *part, struct tk_edit_mended *mended, struct tk_trace *trace,
                   struct tk_err *err)
{
    struct tk_edit_tracy e = {0};
    int rc = look(&e, trace, err);
    if (rc == TK_OK && e.changes) {
        rc = tk_edit_result_mend(mended, trace, &e, err);
        tk_edit_tracy_release(&e);
        if (rc == TK_OK)
            rc = look(&e, mended->trace, err);
        if (rc == TK_OK && e.changes)
            rc = tk_err_set(err, TK_EFORMAT, "a damaged capture could not be repaired");
        trace = mended->trace;
        if (rc == TK_OK && !has_all_texts(trace))
            rc = lacks_texts(err);
    }
    if (rc == TK_OK) {
        part->c = recorded(trace);
        part->callstacks = items_of(&e, "callstacks");
        part->images = items_of(&e, "frame_images");
        for (size_t i = 0; i < e.survey.whole; i++)
            part->ends[i] = e.survey.sections[i].end;
    }
    tk_edit_tracy_release(&e);
    return rc;
}

static int check(size_t n, const struct tk_edit_options *options, struct tk_err *err)
{
    if (!options->path)
        return tk_err_set(err, TK_EUSAGE, "a merge without an output");
    if (n < 2 || n > TK_TRACY_MERGED_MOST)
        return tk_err_set(err, TK_EUSAGE, "a merge takes 2 to %d captures, not %zu", TK_TRACY_MERGED_MOST, n);
    if (options->n_keep || options->n_drop || options->anonymise || options->key || options->n_keep_text ||
        options->close || options->dry_run)
        return tk_err_set(
            err, TK_EUSAGE,
            "a merge cannot be combined with other edits: edit the result, or each capture first");
    return TK_OK;
}

/* All of them are of one format, which has merges. */
static int check_formats(struct tk_trace *const *traces, size_t n, struct tk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = traces[i]->ctx.format->name;
        if (strcmp(name, "tracy") != 0 && strcmp(name, "utrace") != 0) {
            tk_err_set(
                err, TK_EUSAGE,
                "only captures of Unreal Engine or of Tracy can be merged; this one is of the format '%s'",
                name);
            return cannot_merge(traces[i], i, err);
        }
        if (traces[i]->ctx.format != traces[0]->ctx.format) {
            tk_err_set(
                err, TK_EUSAGE,
                "its format is '%s', but that of the first one is '%s'; --into DIR writes each separately",
                name, traces[0]->ctx.format->name);
            return cannot_merge(traces[i], i, err);
        }
    }
    return TK_OK;
}

static int check_tracy(struct tk_trace *const *traces, size_t n, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        const struct tk_tracy_capture *c = (const struct tk_tracy_capture *)traces[i]->capture;
        if (c->version < TK_TRACY_V(0, 9, 0))
            rc = tk_err_set(err, TK_EUSAGE, "captures of Tracy before 0.9 cannot be merged");
        else if (!has_all_texts(traces[i]))
            rc = lacks_texts(err);
        if (rc != TK_OK)
            return cannot_merge(traces[i], i, err);
    }
    return rc;
}

static int merge(struct merging *g, struct tk_trace *const *traces, size_t n, enum tk_merge_times times,
                 const struct tk_edit_options *options, struct tk_err *err)
{
    struct tk_edit_tracy_merge e = {{0}, {0}};
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        rc = prepare(&g->parts[i], &g->mended[i], traces[i], err);
        if (rc != TK_OK && rc != TK_ECANCELED)
            return cannot_merge(traces[i], i, err);
    }
    if (rc != TK_OK)
        return rc;
    e.merge.parts = g->parts;
    e.merge.n = n;
    e.merge.keeps_times = times == TK_MERGE_KEEP;
    rc = tk_edit_tracy_merge_plan(&e, options->compress, options->streams, err);
    if (rc == TK_OK)
        rc = tk_edit_result_write_merge(traces[0], &e, options, err);
    tk_edit_tracy_merge_release(&e);
    return rc;
}

static int merge_tracy(struct tk_trace *const *traces, size_t n, enum tk_merge_times times,
                       const struct tk_edit_options *options, struct tk_err *err)
{
    int rc = check_tracy(traces, n, err);
    if (rc != TK_OK)
        return rc;
    struct merging g = {calloc(n, sizeof *g.mended), calloc(n, sizeof *g.parts)};
    rc = g.mended && g.parts ? merge(&g, traces, n, times, options, err) : tk_err_nomem(err, "a merge");
    for (size_t i = 0; g.mended && i < n; i++)
        tk_edit_mended_release(&g.mended[i]);
    free(g.mended);
    free(g.parts);
    return rc;
}

static int merge_utrace(struct tk_trace *const *traces, size_t n, enum tk_merge_times times,
                        const struct tk_edit_options *options, struct tk_err *err)
{
    struct tk_edit_utrace_merge e = {0};
    struct tk_edit_request request = {0};
    struct tk_ut_capture **captures = calloc(n, sizeof *captures);
    int rc = tk_edit_compress_read(&request, options->compress, err);
    if (!captures)
        rc = tk_err_nomem(err, "a merge");
    else if (rc == TK_OK && options->streams)
        rc = tk_err_set(err, TK_EUSAGE, "option '--streams' is for captures of Tracy");
    else if (rc == TK_OK && times != TK_MERGE_CLOCK)
        rc = tk_err_set(err, TK_EUSAGE, "parts of one recording share a clock, so there is nothing to align");
    for (size_t i = 0; rc == TK_OK && i < n; i++)
        captures[i] = (struct tk_ut_capture *)traces[i]->capture;
    e.plain = request.plain;
    e.level = request.level;
    if (rc == TK_OK) {
        rc = tk_edit_utrace_merge_plan(&e, captures, n, err);
        if (rc < 0 && rc != TK_ECANCELED && e.at_fault < n)
            rc = cannot_merge(traces[e.at_fault], e.at_fault, err);
    }
    if (rc == TK_OK)
        rc = tk_edit_result_write_utrace_merge(traces[0], &e, options, err);
    tk_edit_utrace_merge_release(&e);
    free(captures);
    return rc;
}

int tk_edit_merge(struct tk_trace *const *traces, size_t n, enum tk_merge_times times,
                  const struct tk_edit_options *options, struct tk_err *err)
{
    struct tk_edit_options whole = {0};
    int rc = tk_struct_size_take(&whole, sizeof whole, options, "the options of a merge", err);
    if (rc == TK_OK)
        rc = check(n, &whole, err);
    if (rc == TK_OK)
        rc = check_formats(traces, n, err);
    if (rc != TK_OK)
        return rc;
    return strcmp(traces[0]->ctx.format->name, "utrace") == 0 ? merge_utrace(traces, n, times, &whole, err)
                                                              : merge_tracy(traces, n, times, &whole, err);
}
