/*
 * Questions that need more than the name of a table.
 */
#define _GNU_SOURCE /* mkdtemp */

#include "questions.h"

#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const all[] = {"*"};

static int drop_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    (void)self;
    (void)table;
    (void)rows;
    (void)err;
    return TK_OK;
}

/* ---- what of the capture, and how ---- */

static void select_time(struct tk_query *q)
{
    q->select.has_from = q->select.has_to = true;
    q->select.from_ns = 1000;
    q->select.to_ns = INT64_C(1000000000000);
    q->clip = true;
}

static void select_frames(struct tk_query *q)
{
    q->select.has_frames = true;
    q->select.last_frame = 2;
}

static void select_names(struct tk_query *q)
{
    q->select.threads = q->select.timers = all;
    q->select.n_threads = q->select.n_timers = 1;
    q->tree.depth = 3;
    q->tree.min_share = 0.01;
}

static void select_bookmarks(struct tk_query *q)
{
    q->select.from_bookmark = q->select.to_bookmark = "*";
}

static void select_regions(struct tk_query *q)
{
    q->select.regions = all;
    q->select.n_regions = 1;
    q->by = TK_BY_THREAD;
}

static void select_alive(struct tk_query *q)
{
    q->memory.has_at = q->memory.has_window = true;
    q->memory.at_ns = q->memory.to_ns = 1000000;
    q->by = TK_BY_TAG | TK_BY_SIZE | TK_BY_CALLSTACK;
}

static void select_order(struct tk_query *q)
{
    q->order = TK_ORDER_SERIAL;
    q->unit = TK_UNIT_CYCLES;
    q->by = TK_BY_LABEL;
}

static void select_all(struct tk_query *q)
{
    q->order = TK_ORDER_SERIAL;
    q->unit = TK_UNIT_S;
    q->by = TK_BY_CLASS;
    q->hitches.budget_ns = 1;
}

static void (*const selections[])(struct tk_query *q) = {select_all,     select_time,  select_frames,
                                                         select_names,   select_order, select_bookmarks,
                                                         select_regions, select_alive};

enum { SELECTIONS = sizeof selections / sizeof *selections };

/* ---- questions ---- */

static struct tk_output *nowhere(void)
{
    struct tk_output *out = NULL;
    struct tk_err err = {0};
    fuzz_promise(tk_output_open(&out, "/dev/null", true, &err) == TK_OK, "an output");
    return out;
}

static void write_answer(struct tk_trace *trace, const struct tk_query *q, unsigned k)
{
    struct tk_writer_options options = TK_INIT(struct tk_writer_options);
    const char *const *formats = tk_writer_formats();
    struct tk_output *out = nowhere();
    struct tk_writer *writer = NULL;
    struct tk_err err = {0};
    size_t n = 0;
    while (formats[n])
        n++;
    options.width = k % 2 ? 60 : 0;
    options.exact = options.guard = k % 3 == 0;
    options.fit = options.colour = options.plain_ascii = k % 4 == 1;
    fuzz_promise(tk_writer_new(&writer, formats[k % n], out, &options, &err) == TK_OK, "a writer");
    const struct tk_sink sink = tk_writer_sink(writer);
    int rc = tk_query_run(trace, q, &sink, &err);
    fuzz_error(rc == TK_OK ? tk_writer_finish(writer, &err) : rc, &err);
    tk_writer_free(writer);
    tk_output_discard(out);
}

static void ask_one(struct tk_trace *trace, const char *table, unsigned k)
{
    struct tk_query q = TK_INIT(struct tk_query);
    q.tables = &table;
    q.n_tables = 1;
    q.histogram = *all;
    q.per_frame = all;
    q.n_per_frame = 1;
    q.slowest = 5;
    if (strcmp(table, "callers") == 0)
        q.tree.callers = *all;
    if (strcmp(table, "callees") == 0)
        q.tree.callees = *all;
    selections[k % SELECTIONS](&q);
    write_answer(trace, &q, k);
}

/* Tables that answer questions, or a seventh of the others. */
static void ask_tables(struct tk_trace *trace, unsigned k)
{
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    for (size_t i = 0; i < n; i++)
        if (tk_has_table(trace, tables[i]->name) &&
            (tables[i]->flags & TK_TABLE_ON_REQUEST || i % 7 == k / SELECTIONS % 7))
            ask_one(trace, tables[i]->name, k);
}

static void export_presets(struct tk_trace *trace, unsigned k)
{
    const struct tk_export_zones zones = {
        .size = sizeof zones, .self = k & 1, .unwrap = k & 2, .truncated_mean = 50};
    for (const struct tk_export_preset *const *p = tk_export_presets(); *p; p++)
        for (const char *const *table = (*p)->tables; *table; table++) {
            struct tk_query q = TK_INIT(struct tk_query);
            struct tk_export_options options = TK_INIT(struct tk_export_options);
            struct tk_err err = {0};
            q.tables = table;
            q.n_tables = 1;
            options.preset = (*p)->name;
            options.path = "/dev/null";
            options.force = true;
            options.zones = &zones;
            fuzz_error(tk_export_run(trace, &q, &options, &err), &err);
        }
}

static void export_as(struct tk_trace *trace, const char *format, const char *path, unsigned k)
{
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_export_options options = TK_INIT(struct tk_export_options);
    struct tk_err err = {0};
    options.format = format;
    options.path = path;
    options.force = true;
    options.per_thread = options.index = k & 1;
    options.weight = k & 2 ? "bytes" : "count";
    selections[k % SELECTIONS](&q);
    fuzz_error(tk_export_run(trace, &q, &options, &err), &err);
}

static void export_timelines(struct tk_trace *trace, unsigned k)
{
    static const char *const formats[] = {"chrome", "perfetto", "speedscope", "folded", "pprof"};
    export_as(trace, formats[k / SELECTIONS % 5], "/dev/null", k);
}

static void export_database(struct tk_trace *trace, unsigned k)
{
    char folder[] = "/tmp/tracekit-fuzz-XXXXXX", path[sizeof folder + 8];
    fuzz_promise(mkdtemp(folder) != NULL, "a folder");
    snprintf(path, sizeof path, "%s/out.db", folder);
    export_as(trace, "sqlite", path, k);
    unlink(path);
    fuzz_promise(rmdir(folder) == 0, "nothing is left beside the output");
}

static void report(const struct tk_comparison *comparison)
{
    const char *const *kinds = tk_comparison_reports();
    for (size_t i = 0; kinds[i]; i++) {
        struct tk_output *out = nowhere();
        struct tk_err err = {0};
        fuzz_error(tk_comparison_report(comparison, kinds[i], out, NULL, &err), &err);
        tk_output_discard(out);
    }
}

void fuzz_compare(const struct tk_baseline *runs)
{
    const struct tk_sink sink = {.rows = drop_rows};
    struct tk_comparison *comparison = NULL;
    struct tk_err err = {0};
    int rc = tk_compare(&comparison, runs, runs, NULL, &err);
    fuzz_error(rc, &err);
    if (rc != TK_OK)
        return;
    fuzz_promise(!tk_comparison_regressed(comparison) || !tk_comparison_comparable(comparison),
                 "runs are no worse than themselves");
    fuzz_error(tk_comparison_rows(comparison, &sink, &err), &err);
    report(comparison);
    tk_comparison_free(comparison);
}

static void compare(struct tk_trace *trace, unsigned k)
{
    struct tk_baseline *run = NULL;
    struct tk_err err = {0};
    (void)k;
    fuzz_promise(tk_baseline_new(&run, &err) == TK_OK, "memory for a baseline");
    int rc = tk_baseline_add(run, trace, NULL, &err);
    fuzz_error(rc, &err);
    if (rc == TK_OK) {
        fuzz_compare(run);
        struct tk_output *out = nowhere();
        rc = tk_baseline_save(run, out, &err);
        fuzz_promise(rc == TK_OK, "a run can be written");
        tk_output_discard(out);
    }
    tk_baseline_free(run);
}

static void (*const questions[])(struct tk_trace *trace,
                                 unsigned k) = {ask_tables, export_presets,   ask_tables, compare,
                                                ask_tables, export_timelines, ask_tables, export_database};

enum { QUESTIONS = sizeof questions / sizeof *questions };

void fuzz_question(struct tk_trace *trace, unsigned k)
{
    questions[k % QUESTIONS](trace, k / QUESTIONS);
}
