/*
 * Exports of timelines: the driver of the model onto the sink of a format.
 */
#include "export.h"

#include "base/err.h"
#include "model/run.h"
#include "model/timeline.h"
#include "sink/viewer.h"
#include "tables.h"

#include <string.h>

enum { MOST_TABLES = 16 };

/* Scopes alone, or with the tables whose rows are items; of these the ones in order of serial are read apart.
 */
static size_t list_builders(const struct tk_builder *scopes, bool alone, const struct tk_builder **out)
{
    size_t n_names, n = 0;
    const char *const *names = tk_timeline_tables(&n_names);
    out[n++] = scopes;
    for (size_t i = 0; !alone && i < n_names && n < MOST_TABLES; i++) {
        const struct tk_builder *b = tk_builder_find(names[i]);
        if (b)
            out[n++] = b;
    }
    return n;
}

int tk_export_timeline(const struct tk_export *e, const struct tk_timeline_sink *sink, bool scopes_only,
                       struct tk_err *err)
{
    const struct tk_builder *builders[MOST_TABLES];
    struct tk_timeline timeline;
    struct tk_query query = *e->query;
    int rc = tk_timeline_init(&timeline, sink, err);
    query.mixed = true;
    query.unit = TK_UNIT_NS;
    query.by = TK_BY_EXTRA;
    query.n_columns = 0;
    if (rc == TK_OK) {
        const struct tk_builder scopes = tk_timeline_builder(&timeline);
        const struct tk_sink rows = tk_timeline_rows(&timeline);
        size_t n = list_builders(&scopes, scopes_only, builders);
        rc = tk_run(&e->trace->ctx, e->trace->capture, builders, n, &query, &rows, err);
    }
    if (rc == TK_OK && sink->finish)
        rc = sink->finish(sink->self, err);
    tk_timeline_release(&timeline);
    return rc;
}

static int write_viewer(const struct tk_export *e, const struct tk_viewer_format *format, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    const struct tk_viewer_options look = {
        .path = opt->path,
        .force = opt->force,
        .args = opt->args,
        .per_thread = opt->per_thread,
        .count = opt->weight && strcmp(opt->weight, "count") == 0,
        .spool_dir = opt->spool_dir,
    };
    struct tk_viewer *viewer;
    if (opt->weight && strcmp(opt->weight, "count") != 0 && strcmp(opt->weight, "time") != 0)
        return tk_err_set(err, TK_EUSAGE, "there is no weight '%s'; there are time and count", opt->weight);
    int rc = tk_viewer_open(&viewer, format, &look, err);
    if (rc < 0)
        return rc;
    const struct tk_timeline_sink sink = tk_viewer_sink(viewer);
    rc = tk_export_timeline(e, &sink, format->scopes_only, err);
    if (rc == TK_OK)
        return tk_viewer_commit(viewer, err);
    tk_viewer_discard(viewer);
    return rc;
}

int tk_export_chrome(const struct tk_export *e, struct tk_err *err)
{
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

int tk_export_folded(const struct tk_export *e, struct tk_err *err)
{
    return write_viewer(e, &tk_folded_format, err);
}

int tk_export_pprof(const struct tk_export *e, struct tk_err *err)
{
    return write_viewer(e, &tk_pprof_format, err);
}
