/*
 * Exports of timelines: the driver of the model onto the sink of a format.
 */
#include "export.h"

#include "base/err.h"
#include "model/rows.h"
#include "model/timeline.h"
#include "sink/viewer.h"
#include "tables.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TABLES = 16 };

struct builders {
    const struct tk_builder *v[MOST_TABLES];
    struct tk_builder made[MOST_TABLES]; /* for tables whose rows the format says */
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

/* Reads the capture for a timeline; scopes_only: no frames, regions, marks and counters. */
static int read_timeline(const struct tk_export *e, const struct tk_timeline_sink *sink, bool scopes_only,
                         struct tk_left *left, struct tk_err *err)
{
    struct builders builders = {.n = 1};
    struct tk_timeline timeline;
    struct tk_query query = *e->query;
    int rc = tk_timeline_init(&timeline, sink, err);
    query.unit = TK_UNIT_NS;
    query.by = TK_BY_EXTRA;
    query.n_columns = 0;
    query.tables = NULL;
    query.n_tables = 0;
    if (rc == TK_OK) {
        const struct tk_builder scopes = tk_timeline_builder(&timeline);
        const struct tk_sink rows = tk_timeline_rows(&timeline);
        builders.v[0] = &scopes;
        if (!scopes_only)
            add_tables(&builders, e->trace->ctx.format);
        rc = tk_left_run(left, e, builders.v, builders.n, &query, &rows, err);
    }
    tk_timeline_release(&timeline);
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

static int write_viewer(const struct tk_export *e, const struct tk_viewer_format *format, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    const struct tk_viewer_options look = {
        .path = opt->path,
        .force = opt->force,
        .args = opt->args,
        .split = opt->split_bytes,
        .most_parts = e->trace->ctx.limits.parts,
        .spool_dir = opt->spool_dir,
    };
    struct tk_viewer *viewer = NULL;
    struct tk_left left;
    int rc = tk_export_refuse_order(e, format->name, err);
    if (rc == TK_OK)
        rc = tk_viewer_open(&viewer, format, &look, err);
    if (rc < 0)
        return rc;
    const struct tk_timeline_sink sink = tk_viewer_sink(viewer);
    tk_left_init(&left, e, format->scopes_only ? 0 : TK_HOLDS_MARKS);
    rc = read_timeline(e, &sink, format->scopes_only, &left, err);
    if (rc == TK_OK)
        rc = sink.finish(sink.self, err);
    if (rc == TK_OK)
        rc = tk_viewer_commit(viewer, err);
    else
        tk_viewer_discard(viewer);
    if (rc == TK_OK)
        tk_left_tell(&left, e);
    return rc;
}

/* ---- files of a length of time each ---- */

static int take_last(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    (void)table;
    (void)err;
    if (rows->n && rows->cells->kind != TK_NONE)
        *(int64_t *)self = rows->cells->v.i;
    return TK_OK;
}

/* About when the capture ends, in nanoseconds; 0 where it is not known. */
static int find_last(const struct tk_export *e, int64_t *last, struct tk_err *err)
{
    static const char *const tables[] = {"capture"}, *const columns[] = {"last"};
    struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_sink sink = {.self = last, .rows = take_last};
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 1;
    *last = 0;
    return tk_query_run(e->trace, &query, &sink, err);
}

/* A part of the selection as a file of its own: the capture is read once for each. */
static int write_part(const struct tk_export *e, const struct tk_viewer_format *format,
                      const struct tk_selection *part, unsigned number, struct tk_err *err)
{
    struct tk_query query = *e->query;
    struct tk_export_options opt = *e->options;
    char *path = tk_viewer_part_path(e->options->path, number);
    const struct tk_export one = {e->trace, &query, &opt};
    if (!path)
        return tk_err_nomem(err, "a file name");
    query.select = *part;
    opt.path = path;
    opt.split_ns = 0;
    opt.left_out = NULL; /* what touches two parts would count twice */
    int rc = write_viewer(&one, format, err);
    free(path);
    return rc;
}

/* Tells what all parts leave out, of a reading without scopes. */
static int tell_parts(const struct tk_export *e, struct tk_err *err)
{
    const struct tk_sink nowhere = {0};
    struct tk_left left;
    tk_left_init(&left, e, TK_HOLDS_MARKS);
    int rc = tk_left_run(&left, e, NULL, 0, e->query, &nowhere, err);
    if (rc == TK_OK)
        tk_left_tell(&left, e);
    return rc;
}

/* How many files there will be, so that none is written when they are too many: times of a damaged capture
 * can lie centuries apart. */
static int count_parts(const struct tk_export *e, int64_t from, int64_t last, uint64_t *n, struct tk_err *err)
{
    const uint64_t split = (uint64_t)e->options->split_ns, most = e->trace->ctx.limits.parts,
                   length = last > from ? (uint64_t)last - (uint64_t)from : 1;
    *n = (length - 1) / split + 1;
    if (*n <= most)
        return TK_OK;
    return tk_err_limit(err, TK_LIMIT_parts, "%.9g s in files of %.9g s each are %llu files, more than %llu",
                        (double)length / 1e9, (double)split / 1e9, (unsigned long long)*n,
                        (unsigned long long)most);
}

static int write_parts(const struct tk_export *e, const struct tk_viewer_format *format, struct tk_err *err)
{
    const struct tk_selection *all = &e->query->select;
    struct tk_selection part = *all;
    int64_t last, from = all->has_from ? all->from_ns : 0;
    uint64_t n;
    int rc = find_last(e, &last, err);
    if (all->has_to && all->to_ns < last)
        last = all->to_ns;
    if (rc == TK_OK)
        rc = count_parts(e, from, last, &n, err);
    for (uint64_t i = 0; rc == TK_OK && i < n; i++) {
        part.has_from = all->has_from || i > 0;
        part.from_ns = from;
        part.has_to = all->has_to || i + 1 < n;
        part.to_ns = i + 1 < n ? from + e->options->split_ns : all->to_ns;
        rc = write_part(e, format, &part, (unsigned)i + 1, err);
        from = part.to_ns;
    }
    return rc == TK_OK ? tell_parts(e, err) : rc;
}

int tk_export_chrome(const struct tk_export *e, struct tk_err *err)
{
    if (e->options->split_ns && strcmp(e->options->path, "-") != 0)
        return write_parts(e, &tk_chrome_format, err);
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
