/*
 * tk_edit_run: an edit of a capture to a file, and the table of what it does. See tracekit.h.
 */
#include "edit/anonymise/key.h"
#include "api/trace.h"
#include "base/given.h"
#include "base/struct_size.h"
#include "edit/compress.h"
#include "edit/last_time.h"
#include "edit/plan_rows.h"
#include "edit/result.h"
#include "edit/threads.h"
#include "edit/timer_kinds.h"
#include "edit/utrace/edit_utrace.h"
#include "engine/frames_from.h"
#include "engine/prescan.h"

#include <stdlib.h>
#include <string.h>

/* The first whole cycle that is not before a time. */
static int64_t cycle_from(const struct tk_fact_clock *clock, int64_t time)
{
    const int64_t parts = tk_fact_clock_parts(clock), cycle = time / parts;
    return cycle + (time > 0 && time % parts != 0);
}

/* What of the recording stays: from the first selected time to the last one. */
static int choose_window(struct tk_trace *trace, const struct tk_selection *asked,
                         const struct tk_fact_clock *clock, struct tk_range *window, bool *cut,
                         struct tk_err *err)
{
    struct tk_prescan scan = {0};
    struct tk_select select;
    if (!asked || !tk_selection_has_times(asked))
        return TK_OK;
    int rc = tk_select_init(&select, asked, err);
    if (rc != TK_OK)
        return rc;
    rc = tk_prescan_run(&scan, &trace->ctx, trace->capture, NULL, asked, &(struct tk_prescan_wish){0}, err);
    if (rc == TK_OK)
        rc = tk_prescan_select(&scan, &select, clock, asked, err);
    if (rc == TK_OK && !select.all_time && select.n_ranges) {
        const int64_t from = select.ranges[0].from, to = select.ranges[select.n_ranges - 1].to;
        /* limits of a selection without a begin or an end */
        const bool begins = from > -(INT64_C(1) << 61), ends = to < INT64_C(1) << 61;
        *cut = true;
        *window = (struct tk_range){begins ? cycle_from(clock, from) : INT64_MIN,
                                    ends ? cycle_from(clock, to) : INT64_MAX};
    }
    tk_prescan_release(&scan);
    tk_select_release(&select);
    return rc;
}

/* What becomes of texts. */
static int choose_texts(const struct tk_edit_options *options, struct tk_anon *anon,
                        struct tk_edit_timer_kinds *kinds, struct tk_err *err)
{
    int rc = tk_anon_classes_read(&anon->classes, options->anonymise, err);
    if (rc == TK_OK)
        rc = tk_anon_key_read(&anon->key, options->key, err);
    if (rc == TK_OK)
        rc = tk_edit_timer_kinds_init(kinds, err);
    anon->keep = options->keep_text;
    anon->n_keep = options->n_keep_text;
    return rc;
}

/* What edits of all formats choose beforehand. */
struct choices {
    struct tk_range window;
    bool cut;
    bool *threads; /* owned; as tk_edit_threads_choose gives them */
    struct tk_anon anon;
    struct tk_edit_timer_kinds kinds;
};

static int choose(struct choices *c, struct tk_trace *trace, const struct tk_fact_clock *clock,
                  const struct tk_selection *select, const struct tk_edit_options *options,
                  struct tk_err *err)
{
    *c = (struct choices){.window = {INT64_MIN, INT64_MAX}};
    int rc = choose_window(trace, select, clock, &c->window, &c->cut, err);
    if (rc == TK_OK)
        rc = tk_edit_threads_choose(&c->threads, trace, select, err);
    return rc == TK_OK && options->anonymise ? choose_texts(options, &c->anon, &c->kinds, err) : rc;
}

static void release_choices(struct choices *c)
{
    free(c->threads);
    tk_edit_timer_kinds_release(&c->kinds);
    tk_anon_release(&c->anon);
}

static int edit_utrace(struct tk_trace *trace, const struct tk_selection *select,
                       const struct tk_edit_options *options, const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_edit_request request = {.words = {.keep = options->keep,
                                                .drop = options->drop,
                                                .n_keep = options->n_keep,
                                                .n_drop = options->n_drop}};
    struct tk_ut_capture *capture = (struct tk_ut_capture *)tk_frames_from_recorded(trace->capture);
    const struct tk_fact_clock clock = tk_ut_told_clock(capture);
    struct tk_edit_utrace e = {0};
    struct choices c;
    int rc = choose(&c, trace, &clock, select, options, err);
    if (rc == TK_OK)
        rc = tk_edit_compress_read(&request, options->compress, err);
    if (options->anonymise) {
        request.anon = &c.anon;
        request.kind = tk_edit_timer_kind;
        request.kind_ctx = &c.kinds;
    }
    request.words.threads = c.threads;
    request.cut = c.cut;
    if (c.cut)
        request.window = (struct tk_edit_window){c.window.from, c.window.to, clock.start};
    if (rc == TK_OK && options->close) {
        request.close = true;
        if (c.cut && c.window.to != INT64_MAX)
            request.last = c.window.to;
        else
            rc = tk_edit_last_time(trace, &clock, &request.last, err);
    }
    e.texts.wants_kept = options->dry_run && request.anon;
    if (rc == TK_OK)
        rc = tk_edit_utrace_plan(&e, capture, &request, err);
    if (rc == TK_OK && !options->dry_run)
        rc = tk_edit_result_write(trace, &e, options, err);
    if (rc == TK_OK && sink)
        rc = tk_edit_plan_send(&e, sink, err);
    tk_edit_utrace_release(&e);
    release_choices(&c);
    return rc;
}

static int edit_tracy(struct tk_trace *trace, const struct tk_selection *select,
                      const struct tk_edit_options *options, const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_tracy_capture *capture = (struct tk_tracy_capture *)tk_frames_from_recorded(trace->capture);
    struct tk_edit_tracy_request request = {.keep = options->keep,
                                            .drop = options->drop,
                                            .n_keep = options->n_keep,
                                            .n_drop = options->n_drop,
                                            .compress = options->compress,
                                            .streams = options->streams,
                                            .close = options->close,
                                            .counts = options->dry_run};
    struct tk_edit_tracy e = {0};
    struct choices c;
    int rc = choose(&c, trace, &capture->clock, select, options, err);
    request.threads = c.threads;
    request.n_threads = TK_EDIT_THREADS;
    request.window.cut = c.cut;
    request.window.from = c.window.from;
    request.window.to = c.window.to;
    if (options->anonymise) {
        request.anon = &c.anon;
        request.kind = tk_edit_timer_kind;
        request.kind_ctx = &c.kinds;
    }
    if (rc == TK_OK)
        rc = tk_edit_tracy_plan(&e, capture, &request, err);
    if (rc == TK_OK)
        rc = options->dry_run ? tk_edit_tracy_measure(&e, err)
                              : tk_edit_result_write_tracy(trace, &e, options, err);
    if (rc == TK_OK && sink)
        rc = tk_edit_plan_send_tracy(&e, sink, err);
    tk_edit_tracy_release(&e);
    release_choices(&c);
    return rc;
}

int tk_edit_run(struct tk_trace *trace, const struct tk_selection *select,
                const struct tk_edit_options *options, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, trace);
    struct tk_edit_options whole = {0};
    int rc = tk_struct_size_take(&whole, sizeof whole, options, "the options of an edit", err);
    if (rc != TK_OK)
        return rc;
    if (!whole.path && !whole.dry_run)
        return tk_err_set(err, TK_EUSAGE, "an edit without an output");
    if (!whole.anonymise && (whole.key || whole.n_keep_text))
        return tk_err_set(err, TK_EUSAGE, "option '--%s' belongs to --anonymise",
                          whole.key ? "key" : "keep-text");
    if (strcmp(trace->ctx.format->name, "utrace") == 0)
        return whole.streams ? tk_err_set(err, TK_EUSAGE, "option '--streams' is for captures of Tracy")
                             : edit_utrace(trace, select, &whole, sink, err);
    if (strcmp(trace->ctx.format->name, "tracy") == 0)
        return edit_tracy(trace, select, &whole, sink, err);
    return tk_err_set(err, TK_EUSAGE,
                      "captures of the format '%s' cannot be edited; those of Unreal Engine and of Tracy can",
                      trace->ctx.format->name);
}
