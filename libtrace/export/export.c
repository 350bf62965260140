/*
 * The list of export formats, and tk_export_run. It passes each export to the file of its format, or to its
 * preset.
 */
#include "base/err.h"
#include "base/given.h"
#include "export/export_in.h"
#include "export/preset.h"

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

/* Checks the options of an export and fills in the defaults. It runs before any format does. */
static int take_options(struct tk_query *whole, const struct tk_query *query, struct tk_export_options *opt,
                        const struct tk_export_options *options, struct tk_err *err)
{
    int rc = tk_struct_size_take(whole, sizeof *whole, query, "the query", err);
    return rc < 0 ? rc : tk_struct_size_take(opt, sizeof *opt, options, "the options", err);
}

int tk_export_run(struct tk_trace *trace, const struct tk_query *query,
                  const struct tk_export_options *options, struct tk_err *err)
{
    TK_GIVEN(err, trace, query);
    struct tk_query whole = {0};
    struct tk_export_options opt = {0};
    int rc = take_options(&whole, query, &opt, options, err);
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

static bool takes_tables(const char *format)
{
    for (const struct tk_export_format *f = formats; format && f->name; f++)
        if (strcmp(f->name, format) == 0)
            return f->tables;
    return false;
}

int tk_export_join_open(struct tk_export_join **out, const struct tk_query *query,
                        const struct tk_export_options *options, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, query, options);
    struct tk_query whole = {0};
    struct tk_export_options opt = {0};
    const int rc = take_options(&whole, query, &opt, options, err);
    if (rc < 0)
        return rc;
    if (opt.preset || !takes_tables(opt.format))
        return tk_err_set(err, TK_EUSAGE, "several captures go to formats with tables, not to '%s'",
                          opt.preset   ? opt.preset
                          : opt.format ? opt.format
                                       : "");
    return tk_joining_open(out, &whole, &opt, err);
}

const struct tk_export_preset *const *tk_export_presets(void)
{
    return tk_presets;
}

static int find_presets(const struct tk_preset **out, const char *name, struct tk_err *err)
{
    *out = NULL;
    for (size_t i = 0; tk_presets[i] && !*out; i++)
        if (name && strcmp(tk_presets[i]->name, name) == 0)
            *out = (const struct tk_preset *)tk_presets[i];
    if (*out)
        return TK_OK;
    return tk_presets[0] ? tk_err_set(err, TK_EMATCH, "there is no preset '%s'", name ? name : "")
                         : tk_err_left_out(err, "PRESETS");
}

static struct tk_preset_job job_of(struct tk_trace *trace, const struct tk_query *query,
                                   const struct tk_export_options *options)
{
    return (struct tk_preset_job){
        .ctx = &trace->ctx, .capture = trace->capture, .query = query, .options = options};
}

int tk_export_preset(const struct tk_export *e, struct tk_err *err)
{
    const struct tk_preset *preset;
    const struct tk_preset_job job = job_of(e->trace, e->query, e->options);
    int rc = find_presets(&preset, e->options->preset, err);
    return rc < 0 ? rc : preset->run(&job, err);
}

int tk_export_pair(struct tk_trace *trace, struct tk_trace *other, const struct tk_query *query,
                   const struct tk_export_options *options, struct tk_err *err)
{
    TK_GIVEN(err, trace, other, query);
    struct tk_query whole = {0};
    struct tk_export_options opt = {0};
    const struct tk_preset *preset = NULL;
    int rc = take_options(&whole, query, &opt, options, err);
    if (rc == TK_OK)
        rc = find_presets(&preset, opt.preset, err);
    if (rc < 0)
        return rc;
    const struct tk_preset_job left = job_of(trace, &whole, &opt), right = job_of(other, &whole, &opt);
    if (!preset->compare)
        return tk_err_set(err, TK_EUSAGE, "the preset '%s' does not compare", opt.preset);
    return preset->compare(&left, &right, err);
}
