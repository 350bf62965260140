/*
 * The list of export formats, and tk_export_run. It passes each export to the file of its format.
 */
#include "base/given.h"
#include "export/export_in.h"

#include <string.h>

/* name, help, takes tables, how it is written: tk_export_... */
#define FORMATS(X)                                                                                           \
    X("csv", "a file for each table in a folder; one table to a file", true, tables)                         \
    X("tsv", "the same with tabs between the cells", true, tables)                                           \
    X("ndjson", "the same as lines of JSON; in a single file, each line names its table", true, tables)      \
    X("parquet", "columnar files for DuckDB, Polars, pandas: one per table in a folder, or a single table",  \
      true, tables)                                                                                          \
    X("arrow", "the same as files of Arrow IPC; to a pipe a stream", true, tables)                           \
    X("arrows", "the same as streams of Arrow IPC", true, tables)                                            \
    X("sqlite", "a database: all tables, and views with Perfetto's names", true, sqlite)                     \
    X("chrome", "JSON for chrome://tracing, Perfetto and speedscope", false, chrome)                         \
    X("perfetto", "protobuf of track events, for ui.perfetto.dev", false, perfetto)                          \
    X("speedscope", "JSON, a profile for each thread", false, speedscope)                                    \
    X("tracy",                                                                                               \
      "a .tracy: zones, GPU, frames, plots, messages, locks, memory, samples, call stacks, switches", false, \
      tracy)                                                                                                 \
    X("folded", "call stacks with their exclusive time, calls or allocated bytes, for flame graphs", false,  \
      folded)                                                                                                \
    X("flamegraph", "a flame graph as a self-contained SVG, with zoom and search", false, flamegraph)        \
    X("pprof", "calls, exclusive time and allocated bytes of call stacks, as a gzipped protobuf", false,     \
      pprof)                                                                                                 \
    X("tksym", "functions of all addresses, for --symbols on machines without symbol files", false, tksym)   \
    X("pictures", "screenshots and frame images, a file each in a folder", false, pictures)

#define DISPLAYED(name, help, tables, fn) {name, help, tables},
#define EXPORTER(name, help, tables, fn)  tk_export_##fn,

static const struct tk_export_format formats[] = {FORMATS(DISPLAYED){NULL, NULL, false}};
static tk_export_fn *const exporters[] = {FORMATS(EXPORTER)};

const struct tk_export_format *tk_export_formats(void)
{
    return formats;
}

static tk_export_fn *find_export(const char *name)
{
    for (size_t i = 0; name && formats[i].name; i++)
        if (strcmp(formats[i].name, name) == 0)
            return exporters[i];
    return NULL;
}

int tk_export_run(struct tk_trace *trace, const struct tk_query *query,
                  const struct tk_export_options *options, struct tk_err *err)
{
    TK_GIVEN(err, trace, query);
    struct tk_query whole = {0};
    struct tk_export_options opt = {0};
    int rc = tk_export_take(&whole, query, &opt, options, err);
    if (rc < 0)
        return rc;
    tk_export_fn *run = opt.preset ? tk_export_preset : find_export(opt.format);
    if (!run)
        return tk_err_set(err, TK_EMATCH, "there is no export format '%s'", opt.format ? opt.format : "");
    const struct tk_export e = {.trace = trace, .query = &whole, .options = &opt};
    return run(&e, err);
}

int tk_export_file(struct tk_trace *trace, const struct tk_query *query, const char *format, const char *path,
                   bool force, struct tk_err *err)
{
    TK_GIVEN(err, trace, format, path);
    const struct tk_query everything = TK_INIT(struct tk_query);
    struct tk_export_options options = TK_INIT(struct tk_export_options);
    options.format = format;
    options.path = path;
    options.force = force;
    return tk_export_run(trace, query ? query : &everything, &options, err);
}
