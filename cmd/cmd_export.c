/*
 * trace-export: what a capture holds, in the formats of other tools.
 */
#include "args/endings.h"
#include "args/run_info.h"
#include "args/select.h"
#include "args/words.h"
#include "pages/out.h"
#include "run/listing.h"
#include "run/report.h"
#include "run/runs.h"
#include "run/save.h"
#include "run/windows.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/exports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct export_args {
    struct tk_common_args common;
    struct tk_select_args select;
    struct tk_row_args rows;
    const char *format, *path, *unit, *weight;
    const char *preset, *eol, *args, *split, *sort;
    const char *filter, *separator, *percentile;
    bool self, unwrap, raw_quoting, match_case;
    uint64_t top;
    const char *compress;
    struct tk_opt_list tables, columns, counters, run_info;
    bool force, clip, no_header, bom, guard, per_thread, index, append, verbose, strip_paths, partition,
        empty;
    struct tk_text_args texts;
};

#define AT(member) offsetof(struct export_args, member)

static const struct tk_opt content_options[] = {
    {'t', "table", TK_OPT_WORDS, AT(tables), "NAME,...", "these tables (default: all but events)"},
    {'c', "columns", TK_OPT_WORDS, AT(columns), "A,B,...",
     "show only these columns, in this order (with a single --table)"},
    {0, "clip", TK_OPT_FLAG, AT(clip), NULL, "clip scopes to the selection"},
    {0, "counter", TK_OPT_WORDS, AT(counters), "GLOB,...", "presets: only counters with these names"},
    {'n', "top", TK_OPT_NUMBER, AT(top), "N", "presets: only the first N rows of sums"},
};

static const struct tk_opt zone_options[] = {
    {0, "self", TK_OPT_FLAG, AT(self), NULL, "exclusive times"},
    {0, "unwrap", TK_OPT_FLAG, AT(unwrap), NULL, "one row per zone"},
    {0, "filter", TK_OPT_TEXT, AT(filter), "TEXT", "only zones whose name contains this text"},
    {0, "match-case", TK_OPT_FLAG, AT(match_case), NULL, "with --filter: match case"},
    {0, "separator", TK_OPT_TEXT, AT(separator), "TEXT", "separator between cells (default: comma)"},
    {0, "truncated-mean", TK_OPT_TEXT, AT(percentile), "P",
     "add percentile P (1 to 99) and the mean of calls up to it"},
    {0, "raw-quoting", TK_OPT_FLAG, AT(raw_quoting), NULL, "never quote fields, as csvexport does"},
};

static const struct tk_opt output_options[] = {
    {'f', "format", TK_OPT_TEXT, AT(format), "NAME",
     "format, see above (default: by the ending of --output)"},
    {'p', "preset", TK_OPT_TEXT, AT(preset), "NAME",
     "write the files of another tool instead of a format, see above"},
    {'o', "output", TK_OPT_TEXT, AT(path), "PATH",
     "file or folder; its ending chooses the format, and .gz, .zst, .lz4 are compressed"},
    {0, "force", TK_OPT_FLAG, AT(force), NULL, "replace an existing output"},
    {0, "sort", TK_OPT_TEXT, AT(sort), "start", "tables: scopes in order of start"},
    {0, "split", TK_OPT_TEXT, AT(split), TK_SPLIT_VALUE,
     "chrome: split into numbered files, each of about 200MB, of 10s, of N game frames, or of one region"},
    {0, "unit", TK_OPT_TEXT, AT(unit), "UNIT",
     "tables: times in ns, us, ms, s or cycles (default: ns); parquet, arrow: ns or cycles"},
    {0, "compress", TK_OPT_TEXT, AT(compress), "zstd|none",
     "compression inside parquet and arrow (default: zstd) and arrows (default: none)"},
    {0, "partition", TK_OPT_FLAG, AT(partition), NULL,
     "parquet, arrow: to TABLE/capture=NAME/ in a folder of many captures"},
    {0, "empty", TK_OPT_FLAG, AT(empty), NULL, "csv, tsv: in a folder, also files of tables without rows"},
    {0, "no-header", TK_OPT_FLAG, AT(no_header), NULL, "csv, tsv: no header line"},
    {0, "eol", TK_OPT_TEXT, AT(eol), "lf|crlf", "csv, tsv: line endings (default: lf)"},
    {0, "bom", TK_OPT_FLAG, AT(bom), NULL, "csv, tsv: start with a byte order mark"},
    {0, "args", TK_OPT_TEXT, AT(args), "none|all", "chrome, perfetto: arguments of scopes (default: none)"},
    {0, "per-thread", TK_OPT_FLAG, AT(per_thread), NULL,
     "folded, flamegraph, pprof: keep threads separate, also those of one name"},
    {0, "weight", TK_OPT_TEXT, AT(weight), "WHAT",
     "folded, flamegraph: weight of a stack: time (exclusive, default), count, bytes or samples; pprof: only "
     "bytes or samples, with addresses"},
    {0, "sql-index", TK_OPT_FLAG, AT(index), NULL, "sqlite: with indexes over scopes"},
    {0, "append", TK_OPT_FLAG, AT(append), NULL, "sqlite: add to an existing database"},
    {0, "strip-paths", TK_OPT_FLAG, AT(strip_paths), NULL, "tksym: source file names without folders"},
    {'v', "verbose", TK_OPT_FLAG, AT(verbose), NULL, "name the tables that the format cannot hold"},
    TK_RUN_INFO_OPTION(AT(run_info), ""),
    {0, "guard", TK_OPT_FLAG, AT(guard), NULL, "csv, tsv: keep spreadsheets from treating texts as formulas"},
};

static const struct tk_opt_group groups[] = {
    {"Content", content_options, sizeof content_options / sizeof *content_options, 0},
    {"Selection", tk_select_options, TK_SELECT_COUNT, AT(select)},
    {"Rows", tk_row_options, TK_ROW_COUNT_WHERE, AT(rows)},
    {"Preset tracy", zone_options, sizeof zone_options / sizeof *zone_options, 0},
    {"Output", output_options, sizeof output_options / sizeof *output_options, 0},
    TK_TEXT_GROUP(AT(texts)),
    TK_COMMON_GROUP(AT(common)),
};

#define MOST_NAMES    256
#define LONGEST_NAME  200 /* of a capture in a folder of many */
#define LISTED_COLUMN 15  /* of the help of a format or preset */

/* Of a known format; no format may be given alongside a preset. */
static bool check_options(const struct export_args *args, const char *format, char message[TK_OPT_MESSAGE])
{
    const struct tk_opt_set set = {groups, sizeof groups / sizeof *groups, (void *)(uintptr_t)args};
    if (args->preset && args->format) {
        snprintf(message, TK_OPT_MESSAGE, "options '--format' and '--preset' do not go together");
        return false;
    }
    return tk_anonymised_check(&args->texts, &set, message) &&
           tk_export_fit(&set, format, args->preset, message);
}

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
    if (format && strcmp(format, "html") == 0) {
        snprintf(message, TK_OPT_MESSAGE,
                 "there is no export format 'html'; 'trace-report' writes HTML pages");
        return false;
    }
    if (format)
        return tk_message_unknown(message, "there is no export format", format, names, n);
    snprintf(message, TK_OPT_MESSAGE, "which --format? (or --output FILE with an ending such as .csv)");
    return false;
}

/* The format of an export without a preset, by its name or the ending of its file. */
static bool choose_format(struct tk_export_options *opt, const struct export_args *args,
                          char message[TK_OPT_MESSAGE])
{
    if (args->format && !check_format(args->format, message))
        return false;
    opt->format = tk_endings_format(tk_endings_of_exports, args->format, args->path, NULL, message);
    if (!opt->format && *message)
        return false;
    if (!check_format(opt->format, message))
        return false;
    if (args->path || !tk_export_is_binary(opt->format) || !tk_host_terminal(stdout))
        return true;
    snprintf(message, TK_OPT_MESSAGE, "'%s' is binary and not for a terminal; name a file with --output",
             opt->format);
    return false;
}

static const struct tk_export_preset *find_preset(const char *preset, char message[TK_OPT_MESSAGE])
{
    const struct tk_export_preset *const *presets = tk_export_presets();
    const char *names[MOST_NAMES];
    size_t n = 0;
    for (; presets[n] && n < MOST_NAMES; n++) {
        names[n] = presets[n]->name;
        if (strcmp(names[n], preset) == 0)
            return presets[n];
    }
    if (n > 0)
        tk_message_unknown(message, "there is no preset", preset, names, n);
    else
        snprintf(message, TK_OPT_MESSAGE,
                 "this build is without presets: configure it with -DTK_WITH_PRESETS=ON");
    return NULL;
}

/* Names of all tables there are, or of those of a preset. */
static size_t list_tables(const struct tk_export_preset *preset, const char *names[MOST_NAMES])
{
    size_t n = 0, all;
    const struct tk_table *const *tables = tk_tables(&all);
    for (; preset && preset->tables[n] && n < MOST_NAMES; n++)
        names[n] = preset->tables[n];
    for (; !preset && n < all && n < MOST_NAMES; n++)
        names[n] = tables[n]->name;
    return n;
}

static bool check_twice(const struct tk_opt_list *requested, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < requested->n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(requested->v[k], requested->v[i]) == 0) {
                snprintf(message, TK_OPT_MESSAGE, "table '%.60s' is named twice", requested->v[i]);
                return false;
            }
    return true;
}

static bool check_tables(const struct tk_opt_list *requested, const struct tk_export_preset *preset,
                         char message[TK_OPT_MESSAGE])
{
    const char *names[MOST_NAMES];
    const size_t n = list_tables(preset, names);
    for (size_t i = 0, k; i < requested->n; i++) {
        for (k = 0; k < n && strcmp(names[k], requested->v[i]) != 0; k++)
            ;
        if (k == n)
            return tk_message_unknown(message, "there is no table", requested->v[i], names, n);
    }
    return check_twice(requested, message);
}

static bool fill_query(struct tk_query *query, const struct export_args *args,
                       const struct tk_export_preset *preset, char message[TK_OPT_MESSAGE])
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
    return check_tables(&args->tables, preset, message) && tk_out_check(&out, &query->unit, message) &&
           tk_select_fill(&query->select, &args->select, message);
}

/* One of two words, the first where nothing is said; *second says which. */
static bool choose_export(const char *option, const char *value, const char *const *words, bool *second,
                          char message[TK_OPT_MESSAGE])
{
    *second = value && strcmp(value, words[1]) == 0;
    if (!value || *second || strcmp(value, words[0]) == 0)
        return true;
    snprintf(message, TK_OPT_MESSAGE, "option '--%s' is '%s' or '%s', not '%.100s'", option, words[0],
             words[1], value);
    return false;
}

/* Sizes and times are divided by who writes; frames and regions before that. */
static bool set_split(struct tk_export_options *opt, const char *text, char message[TK_OPT_MESSAGE])
{
    struct tk_split split;
    if (!tk_split_read(&split, text, message))
        return false;
    opt->split_bytes = split.bytes;
    opt->split_ns = split.ns;
    return true;
}

static bool fill_zones(struct tk_export_zones *zones, const struct export_args *args,
                       char message[TK_OPT_MESSAGE])
{
    *zones = TK_INIT(struct tk_export_zones);
    zones->self = args->self;
    zones->unwrap = args->unwrap;
    zones->raw = args->raw_quoting;
    zones->match_case = args->match_case;
    zones->filter = args->filter;
    zones->separator = args->separator;
    if (!args->percentile)
        return true;
    char *end;
    unsigned long percentile = strtoul(args->percentile, &end, 10);
    zones->truncated_mean = (unsigned)percentile;
    if (!*end && end != args->percentile && percentile >= 1 && percentile <= 99)
        return true;
    snprintf(message, TK_OPT_MESSAGE, "option '--truncated-mean' takes 1 to 99, not '%.40s'",
             args->percentile);
    return false;
}

static bool fill_options(struct tk_export_options *opt, struct tk_writer_options *look,
                         struct tk_export_zones *zones, const struct export_args *args,
                         char message[TK_OPT_MESSAGE])
{
    *look = TK_INIT(struct tk_writer_options);
    look->no_header = args->no_header;
    look->bom = args->bom;
    look->guard = args->guard;
    look->compress = args->compress;
    look->as_they_come = args->sort != NULL;
    *opt = TK_INIT(struct tk_export_options);
    opt->format = args->format;
    opt->preset = args->preset;
    opt->path = args->path ? args->path : "-";
    opt->force = args->force;
    opt->escape = strcmp(opt->path, "-") == 0 && tk_host_terminal(stdout);
    opt->writer = look;
    opt->per_thread = args->per_thread;
    opt->weight = args->weight;
    opt->index = args->index;
    opt->append = args->append;
    opt->strip_paths = args->strip_paths;
    opt->counters = (const char *const *)args->counters.v;
    opt->n_counters = args->counters.n;
    opt->top = (size_t)args->top;
    opt->sort = args->sort;
    opt->zones = zones;
    if (!fill_zones(zones, args, message) || !set_split(opt, args->split, message))
        return false;
    return choose_export("eol", args->eol, tk_words_eols, &look->crlf, message) &&
           choose_export("args", args->args, tk_words_args, &opt->args, message) &&
           (args->preset || choose_format(opt, args, message)) && check_options(args, opt->format, message);
}

static int fail(struct tk_err *err, int code, const char *text)
{
    *err = (struct tk_err){.code = code, .n = 1};
    snprintf(err->text[0], TK_ERR_TEXT, "%s", text);
    return code;
}

/* All or none: what is there is found before the first part is written. */
static int refuse_existing(const struct tk_windows *windows, const struct tk_export_options *opt,
                           struct tk_err *err)
{
    char text[TK_ERR_TEXT];
    for (size_t i = 0; !opt->force && i < windows->n; i++) {
        char *path = tk_window_path(opt->path, i + 1);
        if (!path)
            return fail(err, TK_ENOMEM, "out of memory");
        const bool there = tk_host_exists(path);
        snprintf(text, sizeof text, "cannot write '%s': file exists (--force replaces it)", path);
        free(path);
        if (there)
            return fail(err, TK_EOUTPUT, text);
    }
    return TK_OK;
}

/* One after another, each to a file of its own. */
static int export_windows(struct tk_trace *trace, const struct tk_windows *windows,
                          const struct tk_query *query, const struct tk_export_options *opt,
                          struct tk_err *err)
{
    int rc = refuse_existing(windows, opt, err);
    for (size_t i = 0; i < windows->n && rc >= 0; i++) {
        struct tk_export_options part = *opt;
        struct tk_query of = *query;
        char *path = tk_window_path(opt->path, i + 1);
        of.select = tk_window_select(&windows->v[i], &query->select);
        part.path = path;
        rc = path ? tk_export_run(trace, &of, &part, err) : TK_ENOMEM;
        free(path);
    }
    return rc;
}

static int export_parts(struct tk_trace *trace, const struct export_args *args, const struct tk_query *query,
                        const struct tk_export_options *opt, struct tk_err *err)
{
    char message[TK_OPT_MESSAGE];
    struct tk_windows windows = {0};
    struct tk_split split;
    (void)tk_split_read(&split, args->split, message);
    if (!split.frames && !split.region)
        return tk_export_run(trace, query, opt, err);
    if (strcmp(opt->path, "-") == 0)
        return fail(err, TK_EUSAGE, "only files of the format 'chrome' can be split");
    int rc = tk_windows_divide(&windows, trace, &query->select, &split, err);
    if (rc >= 0)
        rc = export_windows(trace, &windows, query, opt, err);
    tk_windows_release(&windows);
    return rc;
}

/* What is exported, and where to. */
struct export_job {
    const struct tk_call *call;
    const struct export_args *args;
    const struct tk_query *query;
    struct tk_export_options *opt;
    const struct tk_export_report *report;
    struct tk_export_join *join; /* several captures; NULL: one */
};

/* After a capture that is alone. */
static void say_exported(const struct export_job *job, bool done)
{
    const struct tk_export_options *opt = job->opt;
    tk_export_report_end(job->report, opt->path, done && !*opt->already);
    if (done && !job->args->common.quiet && opt->format && strcmp(opt->format, "tksym") == 0 &&
        !opt->strip_paths)
        tk_message_say(job->call->program, TK_MESSAGE_NOTE,
                       "%s holds names of functions and paths of source files; --strip-paths keeps the "
                       "names of files alone",
                       opt->path);
}

static int export_opened(const struct export_job *job, struct tk_capture_run *capture, const char *name)
{
    const struct tk_export_options *opt = job->opt;
    int rc = tk_past_end_check(capture->trace, &job->query->select, &capture->err);
    if (rc >= 0)
        rc = job->join ? tk_export_join_add(job->join, capture->trace, name, &capture->err)
                       : export_parts(capture->trace, job->args, job->query, opt, &capture->err);
    if (*opt->already && !job->args->common.quiet)
        tk_message_say(job->call->program, TK_MESSAGE_WARNING, "already in %s, nothing added", opt->path);
    if (!job->join)
        say_exported(job, rc >= 0);
    else
        *opt->already = false;
    return rc;
}

/* number: of the capture, which replaces its name where names are hidden; 0: it is alone. */
static enum tk_exit export_capture(const struct export_job *job, const char *path, const char *name,
                                   size_t number)
{
    const struct export_args *args = job->args;
    char hidden[LONGEST_NAME];
    struct tk_capture_run capture;
    struct tk_anonymised copy;
    enum tk_exit made = tk_anonymised_make(&copy, job->call->program, path, &args->common, &args->texts);
    if (made != TK_EXIT_DONE && made != TK_EXIT_DAMAGED)
        return made;
    enum tk_exit code =
        tk_capture_open(&capture, job->call->program, copy.path ? copy.path : path, &args->common);
    snprintf(hidden, sizeof hidden, number ? "anonymised-%zu" : "anonymised.utrace", number);
    if (copy.path)
        job->opt->name = name = hidden;
    tk_anonymised_hide(&copy);
    if (code != TK_EXIT_DONE) {
        tk_anonymised_drop(&copy);
        return code;
    }
    capture.path = path; /* messages are about what the user named */
    code = tk_capture_close(&capture, export_opened(job, &capture, name));
    tk_anonymised_drop(&copy);
    return tk_exit_worse(made, code);
}

/*
 * Several captures in one output.
 */

/* The captures of folders, and files as they are named. */
static int list_captures(struct tk_opt_list *out, const struct export_job *job, struct tk_err *err)
{
    const struct tk_opt_list *operands = job->call->operands;
    char text[TK_ERR_TEXT];
    for (size_t i = 0; i < operands->n; i++) {
        const char *path = operands->v[i];
        struct tk_opt_list files = {0};
        const size_t before = out->n;
        int rc = tk_host_is_folder(path)
                     ? tk_runs_list_folder(job->call->program, job->args->common.quiet, path, &files)
                 : tk_opt_list_add(out, path, strlen(path)) ? TK_OK
                                                            : TK_ENOMEM;
        for (size_t k = 0; k < files.n && rc == TK_OK; k++)
            if (!tk_kept_is(files.v[k]) && tk_capture_is(files.v[k]) != 0 &&
                !tk_opt_list_add(out, files.v[k], strlen(files.v[k])))
                rc = TK_ENOMEM;
        tk_opt_list_release(&files);
        snprintf(text, sizeof text, "there is no capture in folder '%.200s'", path);
        if (rc != TK_ENOMEM && out->n == before)
            return fail(err, TK_EIO, text);
        if (rc < 0)
            return fail(err, rc, rc == TK_ENOMEM ? "out of memory" : text);
    }
    return TK_OK;
}

/* What rows call a capture by: the name of its file, as far as that is the only one. */
static const char *name_of(const struct tk_opt_list *files, size_t which)
{
    const char *base = tk_host_base_name(files->v[which]);
    for (size_t i = 0; i < files->n; i++)
        if (i != which && strcmp(tk_host_base_name(files->v[i]), base) == 0)
            return files->v[which];
    return base;
}

static enum tk_exit join_all(const struct export_job *job, const struct tk_opt_list *files)
{
    enum tk_exit code = TK_EXIT_DONE;
    for (size_t i = 0; i < files->n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i++) {
        char part[LONGEST_NAME];
        const char *name = name_of(files, i);
        tk_partition_name(name, part, sizeof part);
        code =
            tk_exit_worse(code, export_capture(job, files->v[i], job->opt->partition ? part : name, i + 1));
    }
    return code;
}

static enum tk_exit export_several(struct export_job *job)
{
    struct tk_err err = {0};
    struct tk_opt_list files = {0};
    enum tk_exit code = TK_EXIT_DONE;
    int rc = job->args->split ? fail(&err, TK_EUSAGE, "option '--split' is for one capture") : TK_OK;
    if (rc == TK_OK)
        rc = list_captures(&files, job, &err);
    if (rc == TK_OK)
        rc = tk_export_join_open(&job->join, job->query, job->opt, &err);
    if (rc == TK_OK) {
        code = join_all(job, &files);
        const bool keep = code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED;
        rc = tk_export_join_close(job->join, keep, &err);
        tk_export_report_end(job->report, job->opt->path, keep && rc == TK_OK);
    }
    tk_opt_list_release(&files);
    if (rc < 0 && rc != TK_EPIPE && !(rc == TK_ECANCELED && tk_host_stopped()))
        tk_message_error(job->call->program, NULL, rc, &err);
    return tk_exit_worse(code, tk_exit_of(rc));
}

static int run_export(const struct tk_call *call, const void *command_args)
{
    const struct export_args *args = command_args;
    struct tk_writer_options look;
    struct tk_export_options opt;
    struct tk_export_zones zones;
    struct tk_query query;
    char capture[LONGEST_NAME];
    struct tk_row_filtering rows = {.program = call->program, .quiet = args->common.quiet};
    char message[TK_OPT_MESSAGE];
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which capture?");
    const struct tk_export_preset *preset = args->preset ? find_preset(args->preset, message) : NULL;
    if ((args->preset && !preset) || !fill_options(&opt, &look, &zones, args, message) ||
        !fill_query(&query, args, preset, message))
        return tk_message_usage(call->program, message);
    if (!tk_row_fill(&rows, &query, &args->rows, NULL)) {
        tk_opt_list_release(&rows.conditions);
        return tk_message_usage(call->program, "");
    }
    struct tk_export_report report = {.program = call->program,
                                      .format = opt.format,
                                      .quiet = args->common.quiet,
                                      .verbose = args->verbose};
    const bool several = call->operands->n > 1 || tk_host_is_folder(call->operands->v[0]);
    opt.name = call->operands->v[0];
    tk_partition_name(opt.name, capture, sizeof capture);
    look.source = several ? NULL : capture;
    look.as_they_come |= several;
    opt.partition = args->partition ? capture : NULL;
    opt.empty = args->empty;
    opt.left_out = tk_export_report_left;
    opt.rounded = tk_export_report_rounded;
    look.lost = tk_export_report_lost;
    look.ctx = &report;
    opt.ctx = &report;
    bool already = false;
    opt.already = &already;
    tk_host_note_stop();
    struct tk_run_info *info;
    int code = tk_run_info_option_read(&info, &args->run_info, call->program, args->common.quiet);
    opt.info = info;
    struct export_job job = {call, args, &query, &opt, &report, NULL};
    if (code == TK_EXIT_DONE)
        code = (int)(several ? export_several(&job) : export_capture(&job, opt.name, opt.name, 0));
    code = (int)tk_lost_values_exit(report.lost, (enum tk_exit)code);
    tk_run_info_free(info);
    tk_opt_list_release(&rows.conditions);
    return code;
}

static void put_listed(const char *name, const char *help, FILE *to)
{
    tk_opt_put_words(help, fprintf(to, "  %-10s", name), LISTED_COLUMN, to);
}

static void put_tables_of(const struct tk_export_preset *preset, FILE *to)
{
    char line[TK_OPT_MESSAGE] = "tables:";
    for (size_t i = 0, n = strlen(line); preset->tables[i] && n < sizeof line; i++)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s %s", i ? "," : "", preset->tables[i]);
    tk_opt_put_words(line, 0, LISTED_COLUMN, to);
}

static void put_lists(FILE *to)
{
    fputs("\nFormats:\n", to);
    for (const struct tk_export_format *f = tk_export_formats(); f->name; f++)
        put_listed(f->name, f->help, to);
    fputs(tk_export_presets()[0] ? "\nPresets:\n" : "", to);
    for (const struct tk_export_preset *const *p = tk_export_presets(); *p; p++) {
        put_listed((*p)->name, (*p)->help, to);
        put_tables_of(*p, to);
    }
}

const struct tk_command tk_command_export = {
    .name = "export",
    .operands = "FILE...",
    .summary = "Writes captures in the formats of other tools.",
    .help = "Of several captures, or those of a folder, tables go to one output, whose rows begin with the "
            "capture and\nthe wall clock.\n",
    .lists = put_lists,
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct export_args),
    .most = SIZE_MAX,
    .captures = SIZE_MAX,
    .run = run_export,
};
