/*
 * Exports timelines. It connects the timeline builder of the model with the sink of timeline_writer.h.
 */
#include "api/trace.h"
#include "base/err.h"
#include "base/health/health.h"
#include "base/text/path.h"
#include "engine/run.h"
#include "export/export_in.h"
#include "export/tracy/tracy_events.h"
#include "io/output.h"
#include "model/samples/sample_record.h"
#include "model/timeline/timeline_items.h"
#include "query/emit.h"
#include "sink/timelines/timeline_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TABLES = 16 };

struct builders {
    const struct tk_builder *v[MOST_TABLES + 2]; /* and samples, events */
    struct tk_builder made[MOST_TABLES];         /* for tables whose rows the format says */
    size_t n;
};

/* The tables whose rows are items, as far as the format has them. */
static void add_tables(struct builders *b, const struct tk_format *format)
{
    const char *name;
    for (size_t i = 0; (name = tk_timeline_table(i)) && b->n < MOST_TABLES; i++) {
        const struct tk_builder *known = tk_builder_find(name);
        const struct tk_table *rows = known ? NULL : tk_format_rows_find(format, name);
        if (rows)
            b->made[b->n] = tk_rows_builder(rows);
        if (known || rows)
            b->v[b->n] = known ? known : &b->made[b->n];
        b->n += known || rows;
    }
}

/* A time that holds all that is selected. */
struct bounds {
    int64_t from, to;
};

/* What else of a reading goes somewhere; each may be NULL. */
struct also {
    struct tk_timeline_writer *writer; /* whose sink it is, and whose items can be made apart */
    struct tk_sampled *sampled;        /* gets the samples */
    struct tk_ts_events *events;       /* what a .tracy has alongside its timeline */
};

/* The sink that items come to: itself, or what works alongside the reading or apart from it. */
struct way {
    struct tk_items_parallel *parallel;
    struct tk_items_apart *apart;
    struct tk_timeline_sink sink;
};

static int open_way(struct way *way, const struct tk_export *e, const struct tk_timeline_sink *sink,
                    struct tk_timeline_writer *writer, struct tk_err *err)
{
    *way = (struct way){.sink = *sink};
    if (!tk_parallel_helps(e))
        return TK_OK;
    const int rc = writer ? tk_items_apart_open(&way->apart, e, writer, err)
                          : tk_items_parallel_open(&way->parallel, e, sink, err);
    if (rc == TK_OK)
        way->sink = writer ? tk_items_apart_sink(way->apart) : tk_items_parallel_sink(way->parallel);
    return rc;
}

/* As tk_items_parallel_close. */
static int close_way(struct way *way, int rc, struct tk_err *err)
{
    return tk_items_apart_close(way->apart, tk_items_parallel_close(way->parallel, rc, err), err);
}

/* Reads the capture for a timeline; scopes_only: no frames, regions, marks and counters. bounds may be NULL.
 */
static int read_timeline(const struct tk_export *e, const struct tk_timeline_sink *sink, bool scopes_only,
                         const struct also *also, struct tk_left *left, struct bounds *bounds,
                         struct tk_err *err)
{
    struct tk_sample_record_request samples = {.sampled = also->sampled, .moments = true};
    struct builders *builders = calloc(1, sizeof *builders);
    struct tk_timeline timeline;
    struct tk_query query = *e->query;
    struct way way;
    int rc = builders ? open_way(&way, e, sink, also->writer, err) : tk_err_nomem(err, "a timeline");
    if (rc != TK_OK) {
        free(builders);
        return rc;
    }
    rc = tk_timeline_init(&timeline, &way.sink, err);
    query.unit = TK_UNIT_NS;
    query.by = TK_BY_EXTRA;
    query.n_columns = 0;
    query.tables = NULL;
    query.n_tables = 0;
    timeline.shows_open = scopes_only;
    timeline.extras = also->events != NULL;
    if (rc == TK_OK) {
        const struct tk_builder scopes = tk_timeline_builder(&timeline),
                                recorder = tk_sample_record_builder(&samples),
                                events = tk_ts_events_builder(also->events);
        const struct tk_sink rows = tk_timeline_rows(&timeline);
        builders->v[builders->n++] = &scopes;
        if (!scopes_only)
            add_tables(builders, e->trace->ctx.format);
        if (also->sampled && tk_has_table(e->trace, "samples"))
            builders->v[builders->n++] = &recorder;
        if (also->events)
            builders->v[builders->n++] = &events;
        rc = tk_left_run(left, e, builders->v, builders->n, &query, &rows, err);
    }
    rc = close_way(&way, rc, err);
    if (bounds)
        *bounds = (struct bounds){timeline.from, timeline.to};
    tk_timeline_release(&timeline);
    free(builders);
    return rc;
}

int tk_export_refuse_order(const struct tk_export *e, const char *format, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    if ((opt->split_bytes || opt->split_ns) &&
        (strcmp(format, tk_chrome_format.name) != 0 || strcmp(opt->path, "-") == 0))
        return tk_err_set(err, TK_EUSAGE, "only files of the format 'chrome' can be split");
    if (opt->sort)
        return tk_err_set(err, TK_EUSAGE, "scopes can be sorted in tables, not as '%s'", format);
    return TK_OK;
}

static struct tk_timeline_writer_options
look_of(const struct tk_export *e, const struct tk_timeline_writer_format *format, struct tk_output_set *set)
{
    const struct tk_export_options *opt = e->options;
    return (struct tk_timeline_writer_options){
        .path = opt->path,
        .set = set,
        .force = opt->force,
        .args = opt->args,
        .split = opt->split_bytes,
        .most_parts = e->trace->ctx.limits.parts,
        .spool_dir = opt->spool_dir,
        .threads = tk_pool_jobs(e->trace->ctx.pool),
        .escape = opt->escape && format != &tk_perfetto_format,
        .stop = tk_parallel_helps(e) ? NULL : tk_run_stopped, /* else what works alongside queries */
        .stop_ctx = &e->trace->ctx,
    };
}

/* A viewer that was reported all; NULL when it fails. */
static int fill_viewer(const struct tk_export *e, const struct tk_timeline_writer_format *format,
                       struct tk_output_set *set, struct tk_timeline_writer **viewer, struct tk_left *left,
                       struct tk_err *err)
{
    const struct tk_timeline_writer_options look = look_of(e, format, set);
    struct tk_sampled sampled = {.period = 0};
    int rc = tk_timeline_writer_open(viewer, format, &look, err);
    if (rc < 0)
        return rc;
    const struct tk_timeline_sink sink = tk_timeline_writer_sink(*viewer);
    const struct also also = {.writer = tk_timeline_writer_makes_apart(*viewer) ? *viewer : NULL,
                              .sampled = &sampled};
    rc = read_timeline(e, &sink, format->scopes_only, &also, left, NULL, err);
    tk_timeline_writer_samples(*viewer, &sampled);
    if (rc == TK_OK)
        rc = sink.finish(sink.self, err);
    tk_sampled_release(&sampled);
    if (rc == TK_OK)
        return TK_OK;
    tk_timeline_writer_discard(*viewer);
    *viewer = NULL;
    return rc;
}

/* Gives the files their names, or throws them away after a failure: rc, or what fails. */
static int close_set(struct tk_output_set *set, int rc, struct tk_err *err)
{
    if (rc == TK_OK && set)
        return tk_output_set_commit(set, err);
    tk_output_set_discard(set);
    return rc;
}

static int write_viewer(const struct tk_export *e, const struct tk_timeline_writer_format *format,
                        struct tk_err *err)
{
    struct tk_timeline_writer *viewer = NULL;
    struct tk_output_set *set = NULL;
    struct tk_left left = {.n = 0};
    const unsigned marks = format->scopes_only ? 0 : TK_HOLDS_MARKS;
    int rc = tk_export_refuse_order(e, format->name, err);
    rc = rc == TK_OK ? tk_left_init(&left, e, TK_HOLDS_SAMPLES | marks, err) : rc;
    if (rc == TK_OK && e->options->split_bytes)
        rc = tk_output_set_new(&set, NULL, err);
    if (rc == TK_OK)
        rc = fill_viewer(e, format, set, &viewer, &left, err);
    if (rc == TK_OK)
        rc = tk_timeline_writer_commit(viewer, err);
    rc = close_set(set, rc, err);
    if (rc == TK_OK)
        tk_left_tell(&left, e);
    tk_left_release(&left);
    return rc;
}

/* ---- files of a length of time each ---- */

static int note_last(void *self, const struct tk_item *items, size_t n, struct tk_err *err)
{
    int64_t *last = self;
    (void)err;
    for (size_t i = 0; i < n; i++)
        *last = items[i].ns > *last ? items[i].ns : *last;
    return TK_OK;
}

/* Where the first file begins, and the last ends: what is selected by name may be far from the start. */
static int find_bounds(const struct tk_export *e, struct bounds *b, struct tk_left *left, struct tk_err *err)
{
    const struct tk_selection *all = &e->query->select;
    const int64_t begin = all->has_from ? all->from_ns : 0;
    int64_t last = INT64_MIN;
    const struct tk_timeline_sink sink = {.self = &last, .items = note_last};
    int rc = read_timeline(e, &sink, false, &(struct also){0}, left, b, err);
    b->from = b->from > begin && b->from < last ? b->from : begin;
    b->to = b->to < last ? b->to : last;
    return rc;
}

/* How many files there will be at most, so that none is written when they are too many: times of a damaged
 * capture can lie centuries apart. */
static int count_parts(const struct tk_export *e, const struct bounds *b, uint64_t *n, struct tk_err *err)
{
    const uint64_t split = (uint64_t)e->options->split_ns, most = e->trace->ctx.limits.parts,
                   length = b->to > b->from ? (uint64_t)b->to - (uint64_t)b->from : 1;
    *n = (length - 1) / split + 1;
    if (*n <= most)
        return TK_OK;
    return tk_err_limit(err, TK_LIMIT_parts, "%.9g s in files of %.9g s each are %llu files, more than %llu",
                        (double)length / 1e9, (double)split / 1e9, (unsigned long long)*n,
                        (unsigned long long)most);
}

/* A part of the selection as a file of its own: the capture is read once for each. */
static int write_part(const struct tk_export *e, const struct tk_selection *part, struct tk_output_set *set,
                      unsigned *number, struct tk_err *err)
{
    struct tk_query query = *e->query;
    struct tk_export_options opt = *e->options;
    char *path = tk_timeline_writer_part_path(e->options->path, *number);
    const struct tk_export one = {e->trace, &query, &opt};
    struct tk_timeline_writer *viewer = NULL;
    struct tk_left nothing = {.n = 0}; /* what touches two parts would count twice */
    if (!path)
        return tk_err_nomem(err, "the files of an export");
    query.select = *part;
    opt.path = path;
    int rc = fill_viewer(&one, &tk_chrome_format, set, &viewer, &nothing, err);
    if (rc == TK_OK)
        rc = tk_timeline_writer_commit(viewer, err);
    *number += rc == TK_OK;
    free(path);
    return rc;
}

static int write_parts(const struct tk_export *e, int64_t from, uint64_t n, struct tk_output_set *set,
                       struct tk_err *err)
{
    const struct tk_selection *all = &e->query->select;
    struct tk_selection part = *all;
    unsigned number = 1;
    int rc = TK_OK;
    for (uint64_t i = 0; rc == TK_OK && i < n; i++) {
        part.has_from = all->has_from || i > 0;
        part.from_ns = i || !all->has_from ? from : all->from_ns;
        part.has_to = all->has_to || i + 1 < n;
        part.to_ns = i + 1 < n ? from + e->options->split_ns : all->to_ns;
        rc = write_part(e, &part, set, &number, err);
        /* All names were found in the whole: nothing is selected between two regions. */
        if (rc == TK_EMATCH)
            rc = TK_OK;
        from = part.to_ns;
    }
    return rc;
}

static int split_time(const struct tk_export *e, struct tk_err *err)
{
    struct tk_output_set *set = NULL;
    struct bounds bounds;
    struct tk_left left = {.n = 0};
    uint64_t n = 0;
    int rc = tk_export_refuse_order(e, tk_chrome_format.name, err);
    if (rc == TK_OK)
        rc = tk_left_init(&left, e, TK_HOLDS_MARKS | TK_HOLDS_SAMPLES, err);
    if (rc == TK_OK)
        rc = find_bounds(e, &bounds, &left, err);
    if (rc == TK_OK)
        rc = count_parts(e, &bounds, &n, err);
    if (rc == TK_OK)
        rc = tk_output_set_new(&set, NULL, err);
    if (rc == TK_OK)
        rc = write_parts(e, bounds.from, n, set, err);
    rc = close_set(set, rc, err);
    if (rc == TK_OK)
        tk_left_tell(&left, e);
    tk_left_release(&left);
    return rc;
}

int tk_export_chrome(const struct tk_export *e, struct tk_err *err)
{
    if (e->options->split_ns && strcmp(e->options->path, "-") != 0)
        return split_time(e, err);
    return write_viewer(e, &tk_chrome_format, err);
}

int tk_export_perfetto(const struct tk_export *e, struct tk_err *err)
{
    return write_viewer(e, &tk_perfetto_format, err);
}

int tk_export_speedscope(const struct tk_export *e, struct tk_err *err)
{
    return write_viewer(e, &tk_speedscope_format, err);
}

/* ---- .tracy ---- */

static const char *base_of(const char *path)
{
    return path + tk_path_base(path);
}

static void tell_locks(struct tk_health *health, uint64_t steps)
{
    if (steps)
        tk_health_note(health, TK_HEALTH_LIMIT_REACHED, TK_NO_OFFSET, steps,
                       "%" PRIu64 " steps of locks are left out: a .tracy has at most %d threads of a lock, "
                       "and %d locks",
                       steps, TK_TS_LOCK_THREADS, TK_TS_LOCKS);
}

/* What things of it that are there do not have in the file. */
static void tell_bare(const struct tk_export *e, const char *what, uint64_t n)
{
    if (n && e->options->left_out)
        e->options->left_out(e->options->ctx, what, n);
}

int tk_export_tracy(const struct tk_export *e, struct tk_err *err)
{
    const struct tk_tracy_about about = {base_of(e->options->path), ""};
    struct tk_tracy_sink *file = NULL;
    struct tk_ts_events *events = NULL;
    struct tk_left left = {.n = 0};
    int rc = tk_export_refuse_order(e, "tracy", err);
    if (rc == TK_OK)
        rc = tk_left_init(&left, e, TK_HOLDS_MARKS | TK_HOLDS_EVENTS, err);
    if (rc == TK_OK)
        rc = tk_tracy_sink_open(&file, e->options->path, e->options->force, e->options->spool_dir, err);
    if (rc == TK_OK) {
        rc = tk_ts_events_new(&events, e->options->spool_dir, err);
        tk_tracy_sink_events(file, events);
    }
    if (rc == TK_OK) {
        const struct tk_timeline_sink sink = tk_tracy_sink(file);
        rc = read_timeline(e, &sink, false, &(struct also){.events = events}, &left, NULL, err);
    }
    if (rc == TK_OK)
        rc = tk_tracy_sink_commit(file, &about, err);
    if (rc == TK_OK)
        tell_locks(&e->trace->ctx.health, tk_tracy_sink_left_out(file));
    const uint64_t bare = rc == TK_OK ? tk_tracy_sink_bare(file) : 0,
                   bare_messages = rc == TK_OK ? tk_tracy_sink_bare_messages(file) : 0;
    tk_tracy_sink_close(file);
    if (rc == TK_OK)
        tk_left_tell(&left, e);
    tk_left_release(&left);
    tell_bare(e, "texts of gpu_scopes", bare);
    tell_bare(e, "severities and sources of messages", bare_messages);
    return rc;
}
