/*
 * tk_edit_run: an edit of a capture to a file, and the table of what it does.
 */
#include "api/trace.h"
#include "base/err.h"
#include "base/given.h"
#include "edit/anonymise/dictionary.h"
#include "edit/edit_in.h"
#include "edit/utrace/edit_utrace.h"
#include "engine/run.h"
#include "fact/fact.h"
#include "judge/work.h"
#include "query/select.h"

#include <stdlib.h>
#include <string.h>

enum { TK_EDIT_THREADS = 1 << 16 }; /* no format numbers more of them */

struct tk_edit_timer_kinds {
    struct tk_work_list list;
};

/*
 * Names of compressions.
 */

int tk_edit_compress_read(struct tk_edit_request *request, const char *text, struct tk_err *err)
{
    if (!text)
        return TK_OK;
    request->repack = true;
    request->plain = strcmp(text, "raw") == 0;
    if (request->plain || strcmp(text, "lz4") == 0)
        return TK_OK;
    if (strncmp(text, "lz4hc", 5) == 0 && (text[5] == 0 || text[5] == ':')) {
        char *end = NULL;
        const long level = text[5] ? strtol(text + 6, &end, 10) : 9;
        if (level >= 1 && level <= 12 && (!end || (*end == 0 && end != text + 6))) {
            request->level = (int)level;
            return TK_OK;
        }
        return tk_err_set(err, TK_EUSAGE, "'%s': the levels of lz4hc are 1 to 12", text);
    }
    return tk_err_set(err, TK_EUSAGE,
                      "'%s' is not a compression of a .utrace: choose from raw, lz4 or lz4hc:1 to lz4hc:12",
                      text);
}

/*
 * The last time of a capture, for edits that end what has no end.
 */

static int take(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    (void)table;
    (void)err;
    if (rows->n && rows->cells[0].kind == TK_TIME)
        *(int64_t *)self = rows->cells[0].v.i;
    return TK_OK;
}

/* In cycles since the start of the clock, rounded up; 0 where nothing has a time. As tk_query_run. */
static int tk_edit_last_time(struct tk_trace *trace, const struct tk_fact_clock *clock, int64_t *last,
                             struct tk_err *err)
{
    static const char *const tables[] = {"capture"}, *const columns[] = {"last"};
    const int64_t second = 1000000000, parts = tk_fact_clock_parts(clock);
    int64_t ns = 0;
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 1;
    const int rc = tk_query_run(trace, &query, &(struct tk_sink){.self = &ns, .rows = take}, err);
    const uint64_t frequency = clock->frequency ? clock->frequency / (uint64_t)parts : (uint64_t)second;
    const uint64_t whole = ns > 0 ? (uint64_t)(ns / second) : 0, rest = ns > 0 ? (uint64_t)(ns % second) : 0;
    const bool fits = frequency < UINT32_MAX * UINT64_C(4) && whole < INT64_MAX / 4 / (frequency | 1);
    *last = fits ? (int64_t)(whole * frequency + (rest * frequency + (uint64_t)second - 1) / (uint64_t)second)
                 : 0;
    return rc;
}

/*
 * Which threads stay in an edit: those of a selection, by their numbers in the capture.
 * Between tk_edit_run and the edits of formats.
 */

static int threads_choose(bool *wanted, struct tk_select *select, const struct tk_prescan *scan,
                          struct tk_err *err)
{
    tk_pattern_learn_threads(&select->threads, &scan->dict);
    for (uint32_t i = 0; i < TK_EDIT_THREADS; i++)
        wanted[i] = tk_select_thread(select, &scan->dict, i);
    return tk_pattern_check_threads(&select->threads, &scan->dict, err);
}

/* Requests the names of all threads. *out is NULL where all stay, else TK_EDIT_THREADS answers, to be freed.
 * TK_OK; TK_EMATCH with the name that is none; or as tk_query_run. */
static int tk_edit_threads_choose(bool **out, struct tk_trace *trace, const struct tk_selection *requested,
                                  struct tk_err *err)
{
    struct tk_prescan scan = {0};
    struct tk_select select;
    *out = NULL;
    if (!requested || !requested->n_threads)
        return TK_OK;
    const struct tk_selection threads = {.threads = requested->threads, .n_threads = requested->n_threads};
    int rc = tk_select_init(&select, &threads, err);
    if (rc != TK_OK)
        return rc;
    if (!(*out = calloc(TK_EDIT_THREADS, sizeof **out)))
        rc = tk_err_nomem(err, "an edit");
    if (rc == TK_OK)
        rc = tk_prescan_run(&scan, &trace->ctx, trace->capture, &threads, &(struct tk_prescan_wish){0}, err);
    if (rc == TK_OK)
        rc = threads_choose(*out, &select, &scan, err);
    tk_prescan_release(&scan);
    tk_select_release(&select);
    if (rc == TK_OK)
        return TK_OK;
    free(*out);
    *out = NULL;
    return rc;
}

/*
 * Words that say what kind of work a timer does when its name is replaced, by the patterns that all tables
 * use. Alongside edit.c, which hands them to the stage that replaces names.
 */

/* Names that the patterns of schemas/work.txt know, wherever they stand at an end. */
static const char *const words[TK_WORK_KINDS + 1] = {
    [TK_WORK_WAIT] = "Wait",           [TK_WORK_LIMITER] = "VSync",        [TK_WORK_GC] = "CollectGarbage",
    [TK_WORK_LOADING] = "LoadPackage", [TK_WORK_SHADER] = "CompileShader", [TK_WORK_IO] = "ReadFile",
};

static int tk_edit_timer_kinds_init(struct tk_edit_timer_kinds *k, struct tk_err *err)
{
    return tk_work_list_parse(&k->list, NULL, err);
}

/* As tk_edit_kind_fn; ctx is the kinds. */
static const char *tk_edit_timer_kind(void *ctx, const uint8_t *p, size_t n)
{
    const struct tk_edit_timer_kinds *k = ctx;
    return words[tk_work_of_name(&k->list, (const char *)p, n)];
}

static void tk_edit_timer_kinds_release(struct tk_edit_timer_kinds *k)
{
    tk_work_list_release(&k->list);
}

/* The first whole cycle that is not before a time. */
static int64_t cycle_from(const struct tk_fact_clock *clock, int64_t time)
{
    const int64_t parts = tk_fact_clock_parts(clock), cycle = time / parts;
    return cycle + (time > 0 && time % parts != 0);
}

/* What of the recording stays: from the first selected time to the last one. */
static int choose_window(struct tk_trace *trace, const struct tk_selection *requested,
                         const struct tk_fact_clock *clock, struct tk_range *window, bool *cut,
                         struct tk_err *err)
{
    struct tk_prescan scan = {0};
    struct tk_select select;
    if (!requested || !tk_selection_has_times(requested))
        return TK_OK;
    int rc = tk_select_init(&select, requested, err);
    if (rc != TK_OK)
        return rc;
    rc = tk_prescan_run(&scan, &trace->ctx, trace->capture, requested, &(struct tk_prescan_wish){0}, err);
    if (rc == TK_OK)
        rc = tk_prescan_select(&scan, &select, clock, requested, err);
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
    const struct tk_fact_clock clock = tk_ut_reported_clock(capture);
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
