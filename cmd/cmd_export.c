/*
 * trace-export: what a capture holds, in the formats of other tools.
 */
#include "command.h"
#include "message.h"
#include "out.h"
#include "select.h"

#include <string.h>

struct export_args {
    struct tk_common_args common;
    struct tk_select_args select;
    const char *format, *path, *unit, *weight;
    struct tk_opt_list tables, columns;
    bool force, clip, no_header, crlf, bom, guard, args, per_thread, index, append;
};

#define AT(member) offsetof(struct export_args, member)

static const struct tk_opt content_options[] = {
    {'t', "table", TK_OPT_WORDS, AT(tables), "NAME,...", "these tables (default: all but events)"},
    {'c', "columns", TK_OPT_WORDS, AT(columns), "A,B,...", "these columns of the only table, in this order"},
    {0, "clip", TK_OPT_FLAG, AT(clip), NULL, "cut scopes to what is selected"},
};

static const struct tk_opt output_options[] = {
    {'f', "format", TK_OPT_TEXT, AT(format), "NAME", "see below"},
    {'o', "output", TK_OPT_TEXT, AT(path), "PATH", "file or folder; .gz, .zst, .lz4 are compressed"},
    {0, "force", TK_OPT_FLAG, AT(force), NULL, "replace what is there"},
    {0, "unit", TK_OPT_TEXT, AT(unit), "UNIT", "tables: times in ns, us, ms, s or cycles (default: ns)"},
    {0, "no-header", TK_OPT_FLAG, AT(no_header), NULL, "csv, tsv: without the line of names"},
    {0, "crlf", TK_OPT_FLAG, AT(crlf), NULL, "csv, tsv: lines end with CR LF"},
    {0, "bom", TK_OPT_FLAG, AT(bom), NULL, "csv, tsv: begin with a byte order mark"},
    {0, "args", TK_OPT_FLAG, AT(args), NULL, "chrome, perfetto: with source files and lines"},
    {0, "per-thread", TK_OPT_FLAG, AT(per_thread), NULL, "folded, pprof: keep threads apart"},
    {0, "weight", TK_OPT_TEXT, AT(weight), "WHAT", "folded: time (own, default) or count"},
    {0, "index", TK_OPT_FLAG, AT(index), NULL, "sqlite: with indexes over scopes"},
    {0, "append", TK_OPT_FLAG, AT(append), NULL, "sqlite: add to the database that is there"},
    {0, "guard", TK_OPT_FLAG, AT(guard), NULL, "csv, tsv: keep spreadsheets from taking texts for formulas"},
};

static const struct tk_opt_group groups[] = {
    {"Content", content_options, sizeof content_options / sizeof *content_options, 0},
    {"Selection", tk_select_options, TK_SELECT_COUNT, AT(select)},
    {"Output", output_options, sizeof output_options / sizeof *output_options, 0},
    TK_COMMON_GROUP(AT(common)),
};

#define MOST_NAMES 256

static bool check_format(const char *format, char message[TK_OPT_MESSAGE])
{
    const struct tk_export_format *formats = tk_export_formats();
    const char *names[MOST_NAMES];
    size_t n = 0;
    for (; formats[n].name && n < MOST_NAMES; n++) {
        names[n] = formats[n].name;
        if (format && strcmp(formats[n].name, format) == 0)
            return true;
    }
    if (format)
        return tk_message_unknown(message, "there is no export format", format, names, n);
    snprintf(message, TK_OPT_MESSAGE, "which --format?");
    return false;
}

static bool check_tables(const struct tk_opt_list *asked, char message[TK_OPT_MESSAGE])
{
    const char *names[MOST_NAMES];
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    if (n > MOST_NAMES)
        n = MOST_NAMES;
    for (size_t i = 0; i < n; i++)
        names[i] = tables[i]->name;
    for (size_t i = 0; i < asked->n; i++)
        if (!tk_table_find(asked->v[i]))
            return tk_message_unknown(message, "there is no table", asked->v[i], names, n);
    return true;
}

static bool fill_query(struct tk_query *query, const struct export_args *args, char message[TK_OPT_MESSAGE])
{
    const struct tk_out_args out = {.unit = args->unit};
    *query = TK_INIT(struct tk_query);
    query->tables = (const char *const *)args->tables.v;
    query->n_tables = args->tables.n;
    query->columns = (const char *const *)args->columns.v;
    query->n_columns = args->columns.n;
    query->clip = args->clip;
    if (args->columns.n && args->tables.n != 1) {
        snprintf(message, TK_OPT_MESSAGE, "option '--columns' is for a single table");
        return false;
    }
    return check_tables(&args->tables, message) && tk_out_check(&out, &query->unit, message) &&
           tk_select_fill(&query->select, &args->select, message);
}

static bool fill_options(struct tk_export_options *opt, struct tk_writer_options *look,
                         const struct export_args *args, char message[TK_OPT_MESSAGE])
{
    *look = TK_INIT(struct tk_writer_options);
    look->no_header = args->no_header;
    look->crlf = args->crlf;
    look->bom = args->bom;
    look->guard = args->guard;
    *opt = TK_INIT(struct tk_export_options);
    opt->format = args->format;
    opt->path = args->path ? args->path : "-";
    opt->force = args->force;
    opt->writer = look;
    opt->args = args->args;
    opt->per_thread = args->per_thread;
    opt->weight = args->weight;
    opt->index = args->index;
    opt->append = args->append;
    return check_format(args->format, message);
}

static int run(const struct tk_call *call, const void *command_args)
{
    const struct export_args *args = command_args;
    struct tk_writer_options look;
    struct tk_export_options opt;
    struct tk_query query;
    struct tk_capture_run capture;
    char message[TK_OPT_MESSAGE];
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which capture?");
    if (!fill_options(&opt, &look, args, message) || !fill_query(&query, args, message))
        return tk_message_usage(call->program, message);
    opt.name = call->operands->v[0];
    enum tk_exit code = tk_capture_open(&capture, call->program, call->operands->v[0], &args->common);
    if (code != TK_EXIT_DONE)
        return (int)code;
    return (int)tk_capture_close(&capture, tk_export_run(capture.trace, &query, &opt, &capture.err));
}

const struct tk_command tk_command_export = {
    .name = "export",
    .operands = "FILE",
    .summary = "What a capture holds, in the formats of other tools.",
    .help = "\nFormats:\n"
            "  csv, tsv     a file for each table into the folder of --output; one table to a file\n"
            "  ndjson       the same, or several tables as tagged lines\n"
            "  sqlite       a database: all tables, and views with Perfetto's names\n"
            "  chrome       JSON for chrome://tracing, Perfetto and speedscope\n"
            "  perfetto     TrackEvent protobuf\n"
            "  speedscope   JSON, a profile for each thread\n"
            "  folded       call stacks with their own time or calls\n"
            "  pprof        gzip protobuf with calls and own time\n"
            "  pictures     screenshots, a file each in the folder of --output\n",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct export_args),
    .most = 1,
    .run = run,
};
