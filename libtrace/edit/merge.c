/*
 * tk_edit_merge: several captures as one. See tracekit.h.
 */
#include "api/trace.h"
#include "base/struct_size.h"
#include "edit/result.h"

#include <stdlib.h>
#include <string.h>

/* Which one an error is about: the library knows no names of theirs. */
#define CANNOT_MERGE "capture %zu of the merge cannot be used"

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

static int look(struct tk_edit_tracy *e, struct tk_trace *trace, struct tk_err *err)
{
    const struct tk_edit_tracy_request request = {.window = {INT64_MIN, INT64_MAX, false}};
    return tk_edit_tracy_plan(e, (struct tk_tracy_capture *)trace->capture, &request, err);
}

static bool has_all_texts(const struct tk_trace *trace)
{
    return !((const struct tk_tracy_capture *)trace->capture)->strings.incomplete;
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
            rc = tk_err_set(err, TK_EFORMAT, "a damaged capture could not be mended");
        trace = mended->trace;
        if (rc == TK_OK && !has_all_texts(trace))
            rc = lacks_texts(err);
    }
    if (rc == TK_OK) {
        part->c = (struct tk_tracy_capture *)trace->capture;
        part->callstacks = items_of(&e, "callstacks");
        part->images = items_of(&e, "frame_images");
    }
    tk_edit_tracy_release(&e);
    return rc;
}

static int check(struct tk_trace *const *traces, size_t n, const struct tk_edit_options *options,
                 struct tk_err *err)
{
    if (!options->path)
        return tk_err_set(err, TK_EUSAGE, "a merge without an output");
    if (n < 2 || n > TK_TRACY_MERGED_MOST)
        return tk_err_set(err, TK_EUSAGE, "a merge is of 2 to %d captures, not of %zu", TK_TRACY_MERGED_MOST,
                          n);
    if (options->n_keep || options->n_drop || options->anonymise || options->key || options->n_keep_text ||
        options->close || options->dry_run)
        return tk_err_set(
            err, TK_EUSAGE,
            "a merge changes nothing else: merge first, and edit the result, or edit each capture");
    for (size_t i = 0; i < n; i++)
        if (strcmp(traces[i]->ctx.format->name, "tracy") != 0)
            return tk_err_set(
                err, TK_EUSAGE,
                "only captures of Tracy become one, and capture %zu is of the format '%s'; --into DIR "
                "writes each of them by itself",
                i + 1, traces[i]->ctx.format->name);
    for (size_t i = 0; i < n; i++) {
        const struct tk_tracy_capture *c = (const struct tk_tracy_capture *)traces[i]->capture;
        if (c->version < TK_TRACY_V(0, 9, 0))
            return tk_err_set(err, TK_EUSAGE,
                              "captures of Tracy before 0.9 are not merged; capture %zu is one", i + 1);
        if (!has_all_texts(traces[i])) {
            lacks_texts(err);
            return tk_err_add(err, CANNOT_MERGE, i + 1);
        }
    }
    return TK_OK;
}

static int merge(struct merging *g, struct tk_trace *const *traces, size_t n, enum tk_merge_times times,
                 const struct tk_edit_options *options, struct tk_err *err)
{
    struct tk_edit_tracy_merge e = {{0}, {0}};
    int rc = TK_OK;
    for (size_t i = 0; i < n && rc == TK_OK; i++) {
        rc = prepare(&g->parts[i], &g->mended[i], traces[i], err);
        if (rc != TK_OK && rc != TK_ECANCELED)
            return tk_err_add(err, CANNOT_MERGE, i + 1);
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

int tk_edit_merge(struct tk_trace *const *traces, size_t n, enum tk_merge_times times,
                  const struct tk_edit_options *options, struct tk_err *err)
{
    struct tk_edit_options whole = {0};
    int rc = tk_struct_size_take(&whole, sizeof whole, options, "the options of a merge", err);
    if (rc == TK_OK)
        rc = check(traces, n, &whole, err);
    if (rc != TK_OK)
        return rc;
    struct merging g = {calloc(n, sizeof *g.mended), calloc(n, sizeof *g.parts)};
    rc = g.mended && g.parts ? merge(&g, traces, n, times, &whole, err) : tk_err_nomem(err, "a merge");
    for (size_t i = 0; g.mended && i < n; i++)
        tk_edit_mended_release(&g.mended[i]);
    free(g.mended);
    free(g.parts);
    return rc;
}
