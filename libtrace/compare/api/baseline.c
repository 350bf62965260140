/*
 * Baselines: making, reading and writing them.
 */
#include "compare/baseline/baseline.h"

#include "api/trace.h"
#include "base/err.h"
#include "base/given.h"
#include "base/health/health.h"
#include "base/text/text.h"
#include "compare/baseline/baseline_file.h"
#include "compare/baseline/listing.h"
#include "compare/baseline/run_info.h"
#include "compare/baseline/segments.h"
#include "compare/collect/collect.h"
#include "engine/run.h"
#include "io/file.h"
#include "io/output.h"
#include "judge/outcomes.h"
#include "night/causes.h"
#include "query/metrics.h"
#include "query/tables.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The tables of baselines.
 */

const struct tk_table *tk_baseline_table(size_t i)
{
    size_t n = 0;
    while (tk_listings[n])
        n++;
    return i < n ? &tk_listings[i]->table : i == n ? &tk_causes_table : NULL;
}

/* The hitches of its runs by cause. */
static int send_causes(const struct tk_baseline *b, const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_causes causes = {0};
    int rc = TK_OK;
    for (size_t i = 0; i < b->runs.n && rc == TK_OK; i++)
        rc = tk_causes_add(&causes, b->runs.v[i], false) ? tk_err_nomem(err, "causes of hitches") : TK_OK;
    if (rc == TK_OK)
        rc = tk_causes_settle(&causes) ? tk_err_nomem(err, "causes of hitches")
                                       : tk_causes_send(&causes, -1, sink, err);
    tk_causes_release(&causes);
    return rc;
}

int tk_baseline_rows(const struct tk_baseline *b, const char *table, const struct tk_sink *sink,
                     struct tk_err *err)
{
    TK_GIVEN(err, b, table, sink);
    for (size_t i = 0; tk_listings[i]; i++)
        if (strcmp(tk_listings[i]->table.name, table) == 0)
            return tk_listing_send(tk_listings[i], b, sink, err);
    if (strcmp(tk_causes_table.name, table) == 0)
        return send_causes(b, sink, err);
    return tk_err_set(err, TK_EMATCH, "a baseline has no table '%s'", table);
}

#define MOST_BYTES (UINT64_C(1) << 30)
#define MOST_MAP   (UINT64_C(16) << 20)

/* Stacks of a run that are distinguished: several runs are read at a time, and each keeps the paths that
 * matter.
 */
#define MOST_STACKS (UINT64_C(1) << 17)

int tk_baseline_new(struct tk_baseline **out, struct tk_err *err)
{
    TK_GIVEN(err, out);
    *out = calloc(1, sizeof **out);
    return *out ? TK_OK : tk_err_nomem(err, "a baseline");
}

void tk_baseline_free(struct tk_baseline *b)
{
    if (!b)
        return;
    tk_baseline_clear(b);
    free(b);
}

size_t tk_baseline_count(const struct tk_baseline *b)
{
    if (!b)
        return 0;
    return b->runs.n;
}

static int open_file_baseline(struct tk_file **out, const char *path, tk_file_accept *accept,
                              struct tk_err *err)
{
    struct tk_limits limits = tk_limits_default();
    return tk_file_open(out, path, NULL, &limits, accept, err);
}

/* Nothing is unpacked to its end only to find that it is not a baseline. */
static int accept_baseline(const uint8_t *head, size_t n, struct tk_err *err)
{
    return tk_baseline_probe_bytes(head, n < TK_BASELINE_HEAD ? n : TK_BASELINE_HEAD) == 1
               ? TK_OK
               : tk_err_set(err, TK_EFORMAT, "it is not a baseline");
}

int tk_baseline_is(const char *path)
{
    if (!path)
        return TK_EUSAGE;
    struct tk_file *file;
    struct tk_err err;
    uint8_t head[TK_BASELINE_HEAD];
    size_t n = 0;
    if (strcmp(path, "-") == 0 || tk_place_of(path) != TK_PLACE_FILE) /* others cannot be opened again */
        return 0;
    int rc = open_file_baseline(&file, path, accept_baseline, &err);
    if (rc < 0)
        return rc == TK_ENOMEM ? rc : 0;
    if (tk_file_read(file, 0, head, sizeof head, &n, &err) < 0)
        n = 0;
    tk_file_close(file);
    return tk_baseline_probe_bytes(head, n);
}

static int too_large(struct tk_err *err)
{
    return tk_err_set(err, TK_ELIMIT, "the baseline has more than %llu bytes",
                      (unsigned long long)MOST_BYTES);
}

static int load(struct tk_baseline *b, const struct tk_file *file, struct tk_err *err)
{
    uint64_t size = tk_file_size(file);
    size_t n = 0;
    if (size > MOST_BYTES)
        return too_large(err);
    uint8_t *bytes = malloc((size_t)size + 1);
    if (!bytes)
        return tk_err_nomem(err, "a baseline");
    int rc = tk_file_read(file, 0, bytes, (size_t)size, &n, err);
    if (rc == TK_OK)
        return tk_baseline_decode_own(b, bytes, n, err);
    free(bytes);
    return rc;
}

int tk_baseline_load(struct tk_baseline *b, const char *path, struct tk_err *err)
{
    TK_GIVEN(err, b, path);
    struct tk_file *file;
    int rc = open_file_baseline(&file, path, NULL, err);
    if (rc < 0)
        return rc;
    rc = load(b, file, err);
    tk_file_close(file);
    if (rc < 0)
        tk_err_add(err, "cannot use baseline '%s'", path);
    return rc;
}

static int read_all_of(void *file, uint64_t at, void *to, size_t n, struct tk_err *err)
{
    size_t got = 0;
    int rc = tk_file_read(file, at, to, n, &got, err);
    return rc < 0 || got == n ? rc : tk_err_set(err, TK_EFORMAT, "the baseline is cut off");
}

int tk_baseline_load_values(struct tk_baseline *b, const char *path, struct tk_err *err)
{
    TK_GIVEN(err, b, path);
    struct tk_file *file;
    int rc = open_file_baseline(&file, path, NULL, err);
    if (rc < 0)
        return rc;
    const struct tk_baseline_source source = {tk_file_size(file), read_all_of, file};
    rc = source.size > MOST_BYTES ? too_large(err) : tk_baseline_decode_values(b, &source, err);
    if (rc == 0)
        rc = load(b, file, err);
    tk_file_close(file);
    if (rc < 0)
        tk_err_add(err, "cannot use baseline '%s'", path);
    return rc < 0 ? rc : TK_OK;
}

/* ---- captures ---- */

static int note_size(struct tk_base_run *run, const struct tk_file *file, struct tk_err *err)
{
    char digits[20];
    const size_t n = tk_put_u64(digits, tk_file_stored_size(file));
    return tk_base_run_note(run, "size", digits, n, TK_ENC_UTF8) ? tk_err_nomem(err, "a run") : TK_OK;
}

static bool has_hitch(const struct tk_base_run *run)
{
    for (size_t i = 0; i < run->judged.n; i++)
        if (run->judged.is[i] & TK_FRAME_IS_HITCH)
            return true;
    return false;
}

/* Hitches of a run whose reasons are kept: the longest. The others count, with a cause that is not known. */
#define MOST_HITCHES 1000

/* A reading more, of captures that have hitches. */
static int collect_reasons(struct tk_trace *trace, const struct tk_selection *select, struct tk_base_run *run,
                           struct tk_err *err)
{
    const struct tk_builder *builder = &tk_builder_hitches;
    struct tk_collect_hitches h;
    const uint64_t limit = trace->ctx.limits.hitches;
    int rc = TK_OK;
    trace->ctx.limits.hitches = MOST_HITCHES;
    tk_collect_hitches_init(&h, run, select);
    const struct tk_sink sink = tk_collect_hitches_sink(&h);
    if (has_hitch(run))
        rc = tk_run(&trace->ctx, trace->capture, &builder, 1, &h.query, &sink, err);
    trace->ctx.limits.hitches = limit;
    tk_health_take_limit(&trace->ctx.health, TK_LIMIT_hitches);
    run->knows_reasons = rc >= 0;
    return rc;
}

/* What bounded frames, and the greatest of timers: one reading more. */
static int collect_bound(struct tk_trace *trace, const struct tk_selection *select, struct tk_base_run *run,
                         struct tk_err *err)
{
    const struct tk_builder *const builders[] = {&tk_builder_bound_shares, &tk_builder_greatest};
    struct tk_collect_bound b;
    tk_collect_bound_init(&b, run, select);
    const struct tk_sink sink = tk_collect_bound_sink(&b);
    if (tk_base_run_is_unit(run))
        return TK_OK;
    const int rc = tk_run(&trace->ctx, trace->capture, builders, 2, &b.query, &sink, err);
    if (rc == TK_EMATCH)
        return TK_OK;
    return rc >= 0 && b.n && tk_base_run_note(run, "bound", b.text, b.n, TK_ENC_UTF8)
               ? tk_err_nomem(err, "a run")
               : rc;
}

/* The metrics that the capture was opened with; in the regions that the run will be cut to. */
static int collect_metrics(struct tk_trace *trace, const struct tk_selection *select, struct tk_base_run *run,
                           struct tk_err *err)
{
    const struct tk_metrics *m = trace->options.metrics;
    const struct tk_selection all = {0};
    const struct tk_metric_capture of = {trace->path, &trace->options, &trace->ctx.limits,
                                         select ? select : &all};
    double *values = m ? calloc(m->n + 1, sizeof *values) : NULL;
    if (!m)
        return TK_OK;
    int rc = values ? m->measure(m, &of, values, err) : tk_err_nomem(err, "metrics");
    for (size_t i = 0; i < m->n && rc == TK_OK; i++)
        if (tk_base_run_measured(run, m->v[i], values[i]))
            rc = tk_err_nomem(err, "metrics");
    free(values);
    return rc;
}

/* Is there nothing to compare runs by: no frames, no series, no metric of the user? */
static bool has_nothing(const struct tk_base_run *run)
{
    for (size_t i = 0; i < run->series.n; i++)
        if (run->series.v[i]->kind != TK_SERIES_LOG || run->series.v[i]->count)
            return false;
    return tk_base_run_is_unit(run) && !run->metrics.n;
}

static int collect_baseline(struct tk_trace *trace, const struct tk_selection *select,
                            const struct tk_watch *watch, struct tk_base_run *run, struct tk_err *err)
{
    const struct tk_builder *builder = &tk_builder_collect;
    const struct tk_sink nowhere = {0};
    struct tk_collect c;
    tk_collect_init(&c, run);
    c.watch = watch;
    const uint64_t nodes = trace->ctx.limits.tree_nodes;
    if (select)
        c.query.select = *select;
    trace->ctx.limits.tree_nodes = nodes < MOST_STACKS ? nodes : MOST_STACKS;
    int rc = tk_run(&trace->ctx, trace->capture, &builder, 1, &c.query, &nowhere, err);
    if (rc >= 0 && tk_collect_faults(run, &trace->ctx.health, tk_truncated(trace)))
        rc = tk_err_nomem(err, "a run");
    trace->ctx.limits.tree_nodes = nodes;
    if (rc >= 0)
        rc = collect_reasons(trace, select, run, err);
    if (rc >= 0)
        rc = collect_bound(trace, select, run, err);
    if (rc >= 0)
        rc = collect_metrics(trace, select, run, err);
    if (rc >= 0 && has_nothing(run))
        rc = tk_outcome_fail(err, TK_OUTCOME_NOTHING_RECORDED,
                             "there are no frames and nothing else to compare runs by");
    if (rc >= 0)
        rc = tk_trace_content(trace, &run->hash, err);
    return rc < 0 ? rc : note_size(run, trace->file, err);
}

/* ---- what is selected, for reports ---- */

#define SELECTED 512 /* bytes */

static void put_selected(char text[SELECTED], const char *fmt, ...) TK_PRINTF(2, 3);

static void put_selected(char text[SELECTED], const char *fmt, ...)
{
    size_t n = strlen(text);
    va_list args;
    if (n)
        n += (size_t)snprintf(text + n, SELECTED - n, ", ");
    if (n >= SELECTED)
        return;
    va_start(args, fmt);
    vsnprintf(text + n, SELECTED - n, fmt, args);
    va_end(args);
}

static void put_regions(char text[SELECTED], const char *const *names, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        put_selected(text, "%s '%.100s'", what, names[i]);
}

static void put_selection(char text[SELECTED], const struct tk_selection *s)
{
    if (s->has_from)
        put_selected(text, "from %.9g s", (double)s->from_ns / 1e9);
    if (s->has_to)
        put_selected(text, "to %.9g s", (double)s->to_ns / 1e9);
    if (s->has_frames)
        put_selected(text, "frames %llu-%llu", (unsigned long long)s->first_frame,
                     (unsigned long long)s->last_frame);
    if (s->from_bookmark)
        put_selected(text, "from bookmark '%.100s'", s->from_bookmark);
    if (s->to_bookmark)
        put_selected(text, "to bookmark '%.100s'", s->to_bookmark);
    put_regions(text, s->regions, s->n_regions, "region");
    put_regions(text, s->threads, s->n_threads, "thread");
}

/* Behind what was selected before. 0, or -1 if out of memory. */
static int note_selected(struct tk_base_run *run, const char *selected)
{
    char text[SELECTED] = "";
    const struct tk_str *before = tk_base_run_about(run, "selection");
    if (!*selected)
        return 0;
    if (before)
        put_selected(text, "%.*s", (int)before->n, before->p);
    put_selected(text, "%s", selected);
    const enum tk_encoding enc = tk_utf8_valid(text, strlen(text)) ? TK_ENC_UTF8 : TK_ENC_BYTES;
    return tk_base_run_note(run, "selection", text, strlen(text), (uint8_t)enc);
}

static int note_restriction(struct tk_baseline *b, const struct tk_restriction *what)
{
    char text[SELECTED] = "";
    put_regions(text, what->regions, what->n_regions, "region");
    if (what->no_warmup)
        put_selected(text, "without the warm-up");
    for (size_t i = 0; i < b->runs.n; i++)
        if (note_selected(b->runs.v[i], text))
            return -1;
    return 0;
}

int tk_baseline_add(struct tk_baseline *b, struct tk_trace *trace, const struct tk_selection *select,
                    struct tk_err *err)
{
    TK_GIVEN(err, b, trace);
    struct tk_base_run *run = tk_base_run_new();
    if (!run)
        return tk_err_nomem(err, "a run");
    int rc = collect_baseline(trace, select, b->watch, run, err);
    if (rc < 0) {
        tk_base_run_free(run);
        return rc;
    }
    char text[SELECTED] = "";
    if (select)
        put_selection(text, select);
    if (note_selected(run, text)) {
        tk_base_run_free(run);
        return tk_err_nomem(err, "a run");
    }
    return tk_baseline_take(b, run, err);
}

int tk_baseline_join(struct tk_baseline *b, struct tk_baseline *from, struct tk_err *err)
{
    TK_GIVEN(err, b, from);
    int rc = TK_OK;
    size_t n = 0;
    while (n < from->runs.n && rc == TK_OK)
        rc = tk_baseline_take(b, from->runs.v[n++], err);
    if (n < from->runs.n)
        memmove(from->runs.v, from->runs.v + n, (from->runs.n - n) * sizeof *from->runs.v);
    from->runs.n -= n;
    return rc;
}

static int read_map(struct tk_name_map *map, const struct tk_file *file, struct tk_err *err)
{
    uint64_t size = tk_file_size(file);
    size_t n = 0;
    if (size > MOST_MAP)
        return tk_err_set(err, TK_ELIMIT, "the map has more than %llu bytes", (unsigned long long)MOST_MAP);
    char *text = malloc((size_t)size + 1);
    if (!text)
        return tk_err_nomem(err, "a map of names");
    int rc = tk_file_read(file, 0, text, (size_t)size, &n, err);
    if (rc == TK_OK)
        rc = tk_name_map_parse(map, text, n, err);
    free(text);
    return rc;
}

int tk_baseline_rename(struct tk_baseline *b, const char *path, struct tk_err *err)
{
    TK_GIVEN(err, b, path);
    struct tk_name_map map = {0};
    struct tk_file *file;
    int rc = open_file_baseline(&file, path, NULL, err);
    if (rc < 0)
        return rc;
    rc = read_map(&map, file, err);
    tk_file_close(file);
    if (rc == TK_OK)
        rc = tk_name_map_apply(&map, b, err);
    if (rc < 0)
        tk_err_add(err, "cannot use map '%s'", path);
    tk_name_map_release(&map);
    return rc;
}

int tk_baseline_restrict(struct tk_baseline *b, const struct tk_restriction *what, struct tk_err *err)
{
    TK_GIVEN(err, b);
    struct tk_restriction all = {.size = 0};
    int rc = tk_struct_size_take(&all, sizeof all, what, "the restriction", err);
    if (rc < 0)
        return rc;
    const struct tk_segment_choice choice = {all.regions, all.n_regions, all.no_warmup};
    rc = tk_baseline_cut(b, &choice, err);
    return rc == TK_OK && note_restriction(b, &all) ? tk_err_nomem(err, "a baseline") : rc;
}

size_t tk_baseline_lost_regions(const struct tk_baseline *b)
{
    if (!b)
        return 0;
    return b->lost_regions;
}

bool tk_baseline_lossy(const struct tk_baseline *b)
{
    if (!b)
        return false;
    bool lossy = false;
    for (size_t i = 0; i < b->runs.n; i++)
        for (size_t k = 0; k < b->runs.v[i]->faults.n; k++)
            lossy |= b->runs.v[i]->faults.v[k].tier == TK_FAULT_LOST;
    return lossy;
}

int tk_baseline_save(const struct tk_baseline *b, struct tk_output *out, struct tk_err *err)
{
    TK_GIVEN(err, b, out);
    struct tk_baseline_bytes bytes = {0};
    int rc = tk_baseline_encode(b, &bytes, err);
    if (rc == TK_OK && bytes.n > MOST_BYTES)
        rc = too_large(err);
    if (rc == TK_OK)
        rc = tk_output_write(out, bytes.v, bytes.n, err);
    free(bytes.v);
    return rc;
}
