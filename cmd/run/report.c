/*
 * Report: capture, output and messages around what a command does.
 */
#include "run/report.h"

#include "judge/outcomes.h"
#include "pages/out.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reports of a verdict.
 */

bool tk_reports_check(const struct tk_opt_list *wanted, const char *const *kinds,
                      char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < wanted->n; i++)
        if (!tk_out_check_report(wanted->v[i], kinds, message))
            return false;
    return true;
}

/* set: of the files that get their names together; NULL: it gets its name alone. */
static int write_one(const struct tk_reports *reports, struct tk_output_set *set, const char *kind,
                     const char *path, bool force, struct tk_err *err)
{
    struct tk_report_options opt = TK_INIT(struct tk_report_options);
    struct tk_output *out;
    tk_out_look(&opt, reports->colour, path);
    opt.top = (size_t)reports->top;
    opt.guard = reports->guard;
    opt.plot = reports->plot;
    int rc = tk_out_create(&out, set, path, force, err);
    if (rc < 0)
        return rc;
    tk_out_escape(out, path, kind);
    rc = reports->write(reports->of, kind, out, &opt, err);
    if (rc >= 0)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

int tk_reports_write_to(const struct tk_reports *reports, const char *kind, const char *path, bool force,
                        struct tk_err *err)
{
    return write_one(reports, NULL, kind, path, force, err);
}

/* ---- several at a time ---- */

/* The file of a report; "-" where it has none. */
static const char *file_of(const char *wanted)
{
    const char *equals = strchr(wanted, '=');
    return equals ? equals + 1 : "-";
}

static size_t folder_bytes(const char *path)
{
    return (size_t)(tk_host_base_name(path) - path);
}

/* The set of the files in the folder of report i: files of several folders, which may be of several disks,
 * cannot get their names together. */
static int set_of(struct tk_output_set **sets, const struct tk_opt_list *wanted, size_t i, struct tk_err *err)
{
    const char *path = file_of(wanted->v[i]);
    const size_t n = folder_bytes(path);
    size_t first = 0;
    while (folder_bytes(file_of(wanted->v[first])) != n || memcmp(file_of(wanted->v[first]), path, n) != 0)
        first++;
    if (first == i)
        return tk_output_set_new(&sets[i], path, err);
    sets[i] = sets[first];
    return TK_OK;
}

static int write_wanted(const struct tk_reports *reports, struct tk_output_set **sets, struct tk_err *err)
{
    const struct tk_opt_list *wanted = reports->wanted;
    int rc = wanted->n ? TK_OK : write_one(reports, NULL, "text", "-", true, err);
    for (size_t i = 0; i < wanted->n && rc >= 0; i++) {
        char kind[32];
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(wanted->v[i], "="), wanted->v[i]);
        rc = set_of(sets, wanted, i, err);
        if (rc >= 0)
            rc = write_one(reports, sets[i], kind, file_of(wanted->v[i]), true, err);
    }
    return rc;
}

/* Commits the sets, each once, or discards them. */
static int end_sets(struct tk_output_set **sets, size_t n, int rc, struct tk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct tk_output_set *set = sets[i];
        for (size_t k = i; k < n && set; k++)
            sets[k] = sets[k] == set ? NULL : sets[k];
        if (set && rc >= 0)
            rc = tk_output_set_commit(set, err);
        else
            tk_output_set_discard(set);
    }
    return rc;
}

int tk_reports_write(const struct tk_reports *reports, struct tk_err *err)
{
    const size_t n = reports->wanted->n;
    struct tk_output_set **sets = calloc(n + 1, sizeof(struct tk_output_set *));
    if (!sets)
        return TK_ENOMEM;
    const int rc = end_sets(sets, n, write_wanted(reports, sets, err), err);
    free(sets);
    return rc;
}

/*
 * Sums of an edit.
 */

static uint64_t cell_of(const struct tk_table *table, const struct tk_cell *row, const char *column)
{
    const int at = tk_table_column(table, column);
    return at < 0 ? 0 : tk_cell_uint(&row[at]);
}

/* The first types by name, as far as there is space. */
static void name_emptied(struct tk_edit_report *r, const struct tk_table *table, const struct tk_cell *row)
{
    const int at = tk_table_column(table, "type");
    const uint64_t n = cell_of(table, row, "emptied");
    const size_t used = strlen(r->emptied), left = sizeof r->emptied - used;
    if (!n || at < 0)
        return;
    if (r->n_emptied++ && left < 100)
        return;
    const struct tk_cell *type = &row[at];
    const int size = type->n < 80 ? (int)type->n : 80;
    snprintf(r->emptied + used, left, "%s%.*s (%" PRIu64 ")", used ? ", " : "", size, (const char *)type->v.p,
             n);
}

/* That of a row; the last one has all that are too many. */
static struct tk_edit_topic_sum *topic_of(struct tk_edit_report *r, const struct tk_table *table,
                                          const struct tk_cell *row)
{
    const int at = tk_table_column(table, "topic");
    char name[sizeof r->topics[0].topic];
    snprintf(name, sizeof name, "%.*s", at < 0 ? 0 : (int)row[at].n, at < 0 ? "" : (const char *)row[at].v.p);
    size_t i = 0;
    while (i < r->n_topics && strcmp(r->topics[i].topic, name) != 0)
        i++;
    if (i == TK_EDIT_REPORT_TOPICS)
        return &r->topics[i - 1];
    if (i == r->n_topics)
        memcpy(r->topics[r->n_topics++].topic, name, sizeof name);
    return &r->topics[i];
}

static void add_topic(struct tk_edit_report *r, const struct tk_table *table, const struct tk_cell *row)
{
    struct tk_edit_topic_sum *sum = topic_of(r, table, row);
    const uint64_t bytes = cell_of(table, row, "bytes"), kept_bytes = cell_of(table, row, "kept_bytes");
    const uint64_t entries = cell_of(table, row, "events"), kept = cell_of(table, row, "kept");
    sum->entries += entries > kept ? entries - kept : 0;
    sum->bytes += bytes > kept_bytes && (entries > kept || !entries) ? bytes - kept_bytes : 0;
    sum->replaced += cell_of(table, row, "replaced");
}

static int add_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_edit_report *r = self;
    (void)err;
    if (strcmp(table->name, "edit") != 0)
        return TK_OK;
    for (size_t i = 0; i < rows->n; i++) {
        const struct tk_cell *row = rows->cells + i * table->n_columns;
        r->events += cell_of(table, row, "events");
        r->bytes += cell_of(table, row, "bytes");
        r->kept += cell_of(table, row, "kept");
        r->kept_bytes += cell_of(table, row, "kept_bytes");
        r->changed += cell_of(table, row, "changed");
        r->replaced += cell_of(table, row, "replaced");
        name_emptied(r, table, row);
        add_topic(r, table, row);
    }
    return TK_OK;
}

struct tk_sink tk_edit_report_sink(struct tk_edit_report *report)
{
    return (struct tk_sink){.self = report, .rows = add_rows};
}

static void say_emptied(const struct tk_edit_report *r)
{
    tk_message_say(r->program, TK_MESSAGE_WARNING,
                   "texts of %zu unknown event types were left out (type and events): %s%s", r->n_emptied,
                   r->emptied, strlen(r->emptied) + 100 > sizeof r->emptied ? ", ..." : "");
}

static int by_weight(const void *a, const void *b)
{
    const struct tk_edit_topic_sum *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->topic, y->topic);
}

/* "memory (157913), logs (2969)": topics with their entries; whole entries that went, or those that changed.
 */
static void say_topics(const struct tk_edit_report *r, const char *what, bool replaced)
{
    struct tk_edit_topic_sum topics[TK_EDIT_REPORT_TOPICS];
    char list[1024] = "";
    size_t used = 0;
    memcpy(topics, r->topics, sizeof topics);
    qsort(topics, r->n_topics, sizeof *topics, by_weight);
    for (size_t i = 0; i < r->n_topics; i++) {
        const struct tk_edit_topic_sum *t = &topics[i];
        const uint64_t n = replaced ? t->replaced : t->entries;
        if ((!n && (replaced || !t->bytes)) || used + 64 > sizeof list)
            continue;
        const char *comma = used ? ", " : "";
        used += (size_t)(n ? snprintf(list + used, 64, "%s%s (%" PRIu64 ")", comma, t->topic, n)
                           : snprintf(list + used, 64, "%s%s", comma, t->topic));
    }
    if (used)
        tk_message_say(r->program, TK_MESSAGE_NOTE, "%s: %s", what, list);
}

void tk_edit_report_say(const struct tk_edit_report *r, const char *path)
{
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    if (r->quiet)
        return;
    if (r->n_emptied)
        say_emptied(r);
    say_topics(r, "removed, by topic and number", false);
    say_topics(r, "texts replaced, by topic and number", true);
    if (!tk_host_terminal(stderr))
        return;
    tk_message_say(r->program, TK_MESSAGE_NOTE,
                   "wrote %s: %" PRIu64 " of %" PRIu64 " events, %" PRIu64 " of %" PRIu64
                   " bytes before compression",
                   name, r->kept, r->events, r->kept_bytes, r->bytes);
    if (r->replaced)
        tk_message_say(r->program, TK_MESSAGE_NOTE,
                       "texts of %" PRIu64 " events were replaced, and none of them is in the result",
                       r->replaced);
}

/*
 * Export report.
 */

static const struct {
    const char *format, *opens;
    bool binary;
} openers[] = {
    {"parquet", "open it with DuckDB, Polars, pandas, ClickHouse or Spark", true},
    {"arrow", "open it with pandas, Polars or R", true},
    {"arrows", "open it with pandas, Polars or R, also through a pipe", true},
    {"csv", "open it with a spreadsheet", false},
    {"tsv", "open it with a spreadsheet", false},
    {"ndjson", "open it with jq", false},
    {"sqlite", "open it with sqlite3", true},
    {"chrome", "open it with ui.perfetto.dev or chrome://tracing", false},
    {"perfetto", "open it with ui.perfetto.dev", true},
    {"speedscope", "open it with www.speedscope.app", false},
    {"folded", "open it with flamegraph.pl, inferno or www.speedscope.app", false},
    {"pprof", "open it with go tool pprof", true},
    {"pictures", "open it with an image viewer", true},
    {"tksym", "pass it to --symbols of any command", true},
};

static size_t opener_of(const char *format)
{
    size_t i = 0;
    while (i < sizeof openers / sizeof *openers && strcmp(openers[i].format, format) != 0)
        i++;
    return i;
}

bool tk_export_is_binary(const char *format)
{
    const size_t i = opener_of(format);
    return i < sizeof openers / sizeof *openers && openers[i].binary;
}

void tk_export_report_left(void *ctx, const char *table, uint64_t rows)
{
    struct tk_export_report *report = ctx;
    if (strchr(table, ' ')) { /* the rows are there without these */
        if (!report->quiet)
            tk_message_say(report->program, TK_MESSAGE_NOTE, "'%s' cannot hold %s: %" PRIu64 " were left out",
                           report->format, table, rows);
        return;
    }
    report->tables++;
    report->rows += rows;
    if (report->verbose && !report->quiet)
        tk_message_say(report->program, TK_MESSAGE_NOTE,
                       "'%s' cannot hold table '%s': %" PRIu64 " row%s left out", report->format, table, rows,
                       rows == 1 ? "" : "s");
}

void tk_export_report_rounded(void *ctx, const char *table, const char *column, uint64_t values)
{
    struct tk_export_report *report = ctx;
    report->lost = true;
    if (!report->quiet)
        tk_message_say(report->program, TK_MESSAGE_WARNING,
                       "'%s' holds %s.%s as doubles: %" PRIu64 " whole number%s beyond 2^53 %s rounded",
                       report->format, table, column, values, values == 1 ? "" : "s",
                       values == 1 ? "is" : "are");
}

void tk_export_report_lost(void *ctx, const char *table, const char *column, uint64_t values)
{
    struct tk_export_report *report = ctx;
    report->lost = true;
    if (!report->quiet)
        tk_message_say(report->program, TK_MESSAGE_WARNING,
                       "'%s' has null for %" PRIu64
                       " value%s of %s.%s that the type of the column cannot hold",
                       report->format, values, values == 1 ? "" : "s", table, column);
}

static void say_left(const struct tk_export_report *report)
{
    if (report->tables == 0)
        return;
    tk_message_say(report->program, TK_MESSAGE_NOTE,
                   "'%s' cannot hold everything: %" PRIu64 " table%s with %" PRIu64 " row%s left out%s",
                   report->format, report->tables, report->tables == 1 ? "" : "s", report->rows,
                   report->rows == 1 ? "" : "s", report->verbose ? "" : "; -v names them");
}

static void say_written(const struct tk_export_report *report, const char *path)
{
    if (!path || strcmp(path, "-") == 0 || (!report->verbose && !tk_host_terminal(stderr)))
        return;
    const size_t i = report->format ? opener_of(report->format) : sizeof openers;
    if (i < sizeof openers / sizeof *openers)
        tk_message_say(report->program, TK_MESSAGE_NOTE, "wrote %s; %s", path, openers[i].opens);
    else
        tk_message_say(report->program, TK_MESSAGE_NOTE, "wrote %s", path);
}

void tk_export_report_end(const struct tk_export_report *report, const char *path, bool written)
{
    if (report->quiet)
        return;
    if (written)
        say_written(report, path);
    say_left(report);
}

static size_t count_formats(const char *const *formats)
{
    size_t n = 0;
    while (formats[n])
        n++;
    return n;
}

bool tk_report_check_format(const char *format, char message[TK_OPT_MESSAGE])
{
    const char *const *formats = tk_writer_formats();
    size_t n = count_formats(formats);
    for (size_t i = 0; i < n; i++)
        if (strcmp(formats[i], format) == 0)
            return true;
    return tk_message_unknown(message, "there is no output format", format, formats, n);
}

/* *lost: did the format not hold all values? */
static int write_report(const struct tk_report *r, struct tk_trace *trace, bool *lost, struct tk_err *err)
{
    struct tk_out out;
    int rc = tk_out_open(&out, r->out, r->format, r->several, !r->chosen, err);
    struct tk_lost_values values = {.to = &out.sink,
                                    .writer = out.writer,
                                    .program = r->call->program,
                                    .quiet = r->common && r->common->quiet};
    const struct tk_sink telling = tk_lost_values_sink(&values);
    if (rc >= 0)
        rc = r->produce(r->ctx, trace, &telling, err);
    *lost = values.lost;
    return tk_out_close(&out, rc, err);
}

static int run_without(const struct tk_report *r)
{
    struct tk_err err = {0};
    bool lost;
    int rc = write_report(r, NULL, &lost, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(r->call->program, NULL, rc, &err);
    return (int)tk_lost_values_exit(lost, tk_exit_of(rc));
}

int tk_report_run(const struct tk_report *r)
{
    struct tk_capture_run run;
    bool lost;
    if (!r->path)
        return run_without(r);
    enum tk_exit code = tk_capture_open(&run, r->call->program, r->path, r->common);
    if (code != TK_EXIT_DONE)
        return (int)code;
    const int rc = write_report(r, run.trace, &lost, &run.err);
    return (int)tk_lost_values_exit(lost, tk_capture_close(&run, rc));
}

/*
 * How a command ends.
 */

enum tk_exit tk_outcome_end(const char *program, const struct tk_outcome *o, bool strict)
{
    const int status = strict ? o->strict : o->status;
    if (status != TK_EXIT_DAMAGED)
        return (enum tk_exit)status;
    const int before = tk_outcomes_before[o - tk_outcomes];
    if (before >= 0)
        tk_message_say(program, TK_MESSAGE_ERROR, "no verdict: %s; %s (status %d, before 0.2 it was %d)",
                       o->when, o->advice, status, before);
    else
        tk_message_say(program, TK_MESSAGE_ERROR, "no verdict: %s; %s", o->when, o->advice);
    return TK_EXIT_UNKNOWN;
}
