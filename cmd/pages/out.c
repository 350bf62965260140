/*
 * Out: format, place and look of the output.
 */
#include "args/endings.h"
#include "args/words.h"
#include "pages/out.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "terminal/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * Some of the rows of a table.
 */

static int begin(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_row_window *w = self;
    w->at = tk_table_column(table, w->column);
    w->table = *table;
    w->table.n_columns -= w->hides;
    return w->to->begin ? w->to->begin(w->to->self, &w->table, err) : TK_OK;
}

static bool is_inside(const struct tk_row_window *w, const struct tk_cell *row)
{
    const uint64_t number = w->at < 0 ? 0 : tk_cell_uint(&row[w->at]);
    return number >= w->from && number < w->until;
}

/* A row a time: what follows them in memory may be a column that is not passed on. */
static int rows(void *self, const struct tk_table *table, const struct tk_rows *came, struct tk_err *err)
{
    const struct tk_row_window *w = self;
    int rc = TK_OK;
    for (size_t i = 0; i < came->n && rc >= 0 && w->to->rows; i++) {
        const struct tk_rows one = {1, came->cells + i * table->n_columns};
        if (is_inside(w, one.cells))
            rc = w->to->rows(w->to->self, &w->table, &one, err);
    }
    return rc;
}

static int end_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_row_window *w = self;
    (void)table;
    return w->to->end ? w->to->end(w->to->self, &w->table, err) : TK_OK;
}

struct tk_sink tk_row_window_sink(struct tk_row_window *window, const struct tk_sink *to)
{
    window->to = to;
    return (struct tk_sink){.self = window, .begin = begin, .rows = rows, .end = end_table};
}

/*
 * The first rows of a table.
 */

static int first_rows_begin(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_first_rows *f = self;
    return f->to->begin ? f->to->begin(f->to->self, table, err) : TK_OK;
}

static int first_rows_end_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_first_rows *f = self;
    return f->to->end ? f->to->end(f->to->self, table, err) : TK_OK;
}

/* The table is ended here: who sends it may have freed it when the query returns. */
static int first_rows_rows(void *self, const struct tk_table *table, const struct tk_rows *came,
                           struct tk_err *err)
{
    struct tk_first_rows *f = self;
    struct tk_rows some = *came;
    if (some.n > f->left)
        some.n = (size_t)f->left;
    int rc = some.n && f->to->rows ? f->to->rows(f->to->self, table, &some, err) : TK_OK;
    f->left -= some.n;
    if (rc < 0 || f->left)
        return rc;
    f->stopped = true;
    rc = first_rows_end_table(f, table, err);
    return rc < 0 ? rc : TK_ECANCELED;
}

struct tk_sink tk_first_rows_sink(struct tk_first_rows *first, uint64_t most, const struct tk_sink *to)
{
    *first = (struct tk_first_rows){.to = to, .left = most};
    return (struct tk_sink){
        .self = first, .begin = first_rows_begin, .rows = first_rows_rows, .end = first_rows_end_table};
}

int tk_first_rows_end(const struct tk_first_rows *first, int rc)
{
    return first->stopped && rc == TK_ECANCELED ? TK_OK : rc;
}

/*
 * Warns of values that a file of columns cannot hold.
 */

static int begin_lost(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_lost_values *v = self;
    return v->to->begin ? v->to->begin(v->to->self, table, err) : TK_OK;
}

static int rows_lost(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    const struct tk_lost_values *v = self;
    return v->to->rows ? v->to->rows(v->to->self, table, rows, err) : TK_OK;
}

static void tell_lost(const struct tk_lost_values *v, const char *column, uint64_t n)
{
    tk_message_say(v->program, TK_MESSAGE_WARNING,
                   "column '%.100s': its type cannot hold %llu value%s, which %s null%s%s", column,
                   (unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "is" : "are", v->advice ? "; " : "",
                   v->advice ? v->advice : "");
}

static void tell_rounded(const struct tk_lost_values *v, const char *column, uint64_t n)
{
    tk_message_say(v->program, TK_MESSAGE_WARNING,
                   "column '%.100s' is of doubles: %llu whole number%s beyond 2^53 %s rounded%s%s", column,
                   (unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "is" : "are", v->advice ? "; " : "",
                   v->advice ? v->advice : "");
}

static int end_lost(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_lost_values *v = self;
    for (uint32_t i = 0; v->writer && i < table->n_columns; i++) {
        const uint64_t lost = tk_writer_lost(v->writer, i), rounded = tk_writer_rounded(v->writer, i);
        v->lost |= lost || rounded;
        if (lost && !v->quiet)
            tell_lost(v, table->columns[i].name, lost);
        if (rounded && !v->quiet)
            tell_rounded(v, table->columns[i].name, rounded);
    }
    return v->to->end ? v->to->end(v->to->self, table, err) : TK_OK;
}

struct tk_sink tk_lost_values_sink(struct tk_lost_values *values)
{
    return (struct tk_sink){.self = values, .begin = begin_lost, .rows = rows_lost, .end = end_lost};
}

#define AT(member) offsetof(struct tk_out_args, member)

const struct tk_opt tk_out_options[TK_OUT_COUNT] = {
    {'f', "format", TK_OPT_TEXT, AT(format), "NAME", TK_OUT_FORMATS},
    {'o', "output", TK_OPT_TEXT, AT(path), "FILE", "write to a file; its ending chooses the format"},
    {0, "force", TK_OPT_FLAG, AT(force), NULL, "replace the file of --output"},
    {0, "color", TK_OPT_TEXT, AT(colour), "WHEN", "auto, always, never; auto respects NO_COLOR"},
    {0, "exact", TK_OPT_FLAG, AT(exact), NULL, "full precision, also in human-readable formats"},
    {0, "guard", TK_OPT_FLAG, AT(guard), NULL, "csv, tsv: keep spreadsheets from treating texts as formulas"},
    {0, "unit", TK_OPT_TEXT, AT(unit), "UNIT", "times in ns, us, ms, s or cycles (default: ns)"},
    {0, "no-header", TK_OPT_FLAG, AT(no_header), NULL, "csv and tsv: no header line"},
};

static bool find_unit(const char *name, enum tk_unit *unit, char message[TK_OPT_MESSAGE])
{
    static const char *const names[] = {[TK_UNIT_NS] = "ns",
                                        [TK_UNIT_CYCLES] = "cycles",
                                        [TK_UNIT_US] = "us",
                                        [TK_UNIT_MS] = "ms",
                                        [TK_UNIT_S] = "s"};
    const size_t n = sizeof names / sizeof *names;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(names[i], name) == 0) {
            *unit = (enum tk_unit)i;
            return true;
        }
    }
    return tk_message_unknown(message, "there is no unit", name, names, n);
}

static bool check_colour(const char *when, char message[TK_OPT_MESSAGE])
{
    const size_t n = tk_words_count(tk_words_colours);
    return tk_words_find(tk_words_colours, when) < n ||
           tk_message_unknown(message, "option '--color' does not take", when, tk_words_colours, n);
}

bool tk_out_check(const struct tk_out_args *args, enum tk_unit *unit, char message[TK_OPT_MESSAGE])
{
    *unit = TK_UNIT_NS;
    return (!args->unit || find_unit(args->unit, unit, message)) &&
           (!args->colour || check_colour(args->colour, message));
}

const char *tk_out_format(const struct tk_out_args *args, const char *usual, char message[TK_OPT_MESSAGE])
{
    const char *const *formats = tk_writer_formats();
    bool known = false;
    for (; args->format && *formats; formats++)
        known = known || strcmp(*formats, args->format) == 0;
    if (args->format && !known) /* that is said where formats are checked */
        return args->format;
    return tk_endings_format(tk_endings_of_tables, args->format, args->path, usual, message);
}

bool tk_out_check_report(const char *report, const char *const *kinds, char message[TK_OPT_MESSAGE])
{
    char kind[40];
    size_t n = 0;
    snprintf(kind, sizeof kind, "%.*s", (int)(strcspn(report, "=") < 39 ? strcspn(report, "=") : 39), report);
    for (; kinds[n]; n++)
        if (strcmp(kinds[n], kind) == 0)
            return true;
    return tk_message_unknown(message, "there is no report", kind, kinds, n);
}

bool tk_out_is_for_people(const char *format)
{
    return strcmp(format, "table") == 0 || strcmp(format, "markdown") == 0;
}

static bool is_for_programs(const char *format)
{
    static const char *const formats[] = {"csv", "tsv", "json", "ndjson", "junit", "sarif", "folded"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(format, formats[i]) == 0)
            return true;
    return false;
}

static bool is_standard_output(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static bool goes_to_terminal(const char *path)
{
    return is_standard_output(path) && tk_host_terminal(stdout);
}

/* Is what goes to the path (NULL, "-": standard output) coloured? when: auto (or NULL), always, never. */
static bool wants_colour(const char *when, const char *path)
{
    return tk_host_colour(when, goes_to_terminal(path));
}

/* The terminal is for the output now. */
static void begin_pager(void)
{
    tk_progress_end();
    tk_pager_begin();
}

void tk_out_look(struct tk_report_options *opt, const char *when, const char *path)
{
    opt->colour = wants_colour(when, path);
    if (!goes_to_terminal(path))
        return;
    opt->width = tk_host_width(stdout);
    opt->plain_ascii = !tk_host_utf8();
    begin_pager();
}

/* The pager starts with the first output, so that there is progress to see until then. Behind a pipe there
 * may be the same terminal: the progress makes space. */
static int begin_displayed(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_out *out = self;
    if (out->displayed)
        begin_pager();
    else
        tk_progress_hide();
    return out->to.begin ? out->to.begin(out->to.self, table, err) : TK_OK;
}

static int rows_displayed(void *self, const struct tk_table *table, const struct tk_rows *rows,
                          struct tk_err *err)
{
    const struct tk_out *out = self;
    return out->to.rows ? out->to.rows(out->to.self, table, rows, err) : TK_OK;
}

static int end_displayed(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_out *out = self;
    return out->to.end ? out->to.end(out->to.self, table, err) : TK_OK;
}

int tk_out_create(struct tk_output **out, struct tk_output_set *set, const char *path, bool force,
                  struct tk_err *err)
{
    if (!is_standard_output(path))
        tk_host_note_stop();
    return set ? tk_output_set_open(out, set, path, force, err) : tk_output_open(out, path, force, err);
}

void tk_out_escape(struct tk_output *out, const char *path, const char *format)
{
    if (goes_to_terminal(path) && (!format || is_for_programs(format)))
        tk_output_escape(out);
}

static int is_stopped(void *ctx)
{
    (void)ctx;
    return tk_host_stopped();
}

/* Files of columns, which are binary, too. */
static bool is_of_one_table(const char *format)
{
    return strcmp(format, "parquet") == 0 || strcmp(format, "arrow") == 0 || strcmp(format, "arrows") == 0;
}

static int refuse(struct tk_err *err, const char *sentence, const char *format)
{
    err->code = TK_EUSAGE;
    err->n = 1;
    snprintf(err->text[0], TK_ERR_TEXT, sentence, format);
    return TK_EUSAGE;
}

int tk_out_open(struct tk_out *out, const struct tk_out_args *args, const char *format, bool several,
                bool fit, struct tk_err *err)
{
    struct tk_writer_options opt = TK_INIT(struct tk_writer_options);
    *out = (struct tk_out){.displayed = goes_to_terminal(args->path)};
    opt.width = out->displayed ? tk_host_width(stdout) : 0;
    opt.plain_ascii = out->displayed && !tk_host_utf8();
    opt.colour = wants_colour(args->colour, args->path);
    opt.exact = args->exact;
    opt.no_header = args->no_header;
    opt.guard = args->guard;
    opt.tagged = several;
    opt.fit = fit;
    if (out->displayed && is_of_one_table(format))
        return refuse(err, "'%s' is binary and not for a terminal; name a file with --output", format);
    if (several && is_of_one_table(format))
        return refuse(err, "a file of '%s' holds one table; trace-export writes several to a folder", format);
    int rc = tk_out_create(&out->output, NULL, args->path ? args->path : "-", args->force, err);
    if (rc == TK_OK)
        tk_output_stop(out->output, is_stopped, NULL);
    if (rc == TK_OK)
        tk_out_escape(out->output, args->path, format);
    if (rc == TK_OK)
        rc = tk_writer_new(&out->writer, format, out->output, &opt, err);
    if (rc == TK_OK)
        out->sink = out->to = tk_writer_sink(out->writer);
    if (rc == TK_OK && is_standard_output(args->path))
        out->sink = (struct tk_sink){
            .self = out, .begin = begin_displayed, .rows = rows_displayed, .end = end_displayed};
    return rc;
}

int tk_out_close(struct tk_out *out, int status, struct tk_err *err)
{
    tk_progress_hide();
    if (status >= 0 && out->writer)
        status = tk_writer_finish(out->writer, err);
    tk_writer_free(out->writer);
    if (status >= 0 && out->output)
        status = tk_output_commit(out->output, err);
    else
        tk_output_discard(out->output);
    *out = (struct tk_out){0};
    return status;
}

/*
 * Warnings from rows.
 */

static bool is_mine(const struct tk_table *table)
{
    return strcmp(table->name, TK_WARNINGS_TABLE) == 0;
}

static int begin_warnings(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_warnings *w = self;
    return is_mine(table) || !w->to->begin ? TK_OK : w->to->begin(w->to->self, table, err);
}

static const struct tk_cell *cell_of(const struct tk_table *table, const struct tk_cell *row,
                                     const char *name)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    const int at = tk_table_column(table, name);
    return at < 0 ? &none : &row[at];
}

/* Rounded times are worth a row, but no warning. */
static bool is_harmless(const struct tk_table *table, const struct tk_cell *row)
{
    const struct tk_cell *kind = cell_of(table, row, "kind");
    return kind->kind == TK_TEXT && kind->n == 7 && memcmp(kind->v.p, "overlap", 7) == 0;
}

static void print_text(const struct tk_cell *c)
{
    if (c->kind == TK_TEXT)
        tk_message_put(c->v.p, c->n);
}

static void print_row(const struct tk_warnings *w, const struct tk_table *table, const struct tk_cell *row)
{
    const struct tk_cell *subject = cell_of(table, row, "subject"), *total = cell_of(table, row, "total");
    tk_message_begin(w->program, TK_MESSAGE_WARNING);
    fputs("warning: ", stderr);
    print_text(cell_of(table, row, "kind"));
    if (subject->kind == TK_TEXT) {
        fputs(" '", stderr);
        print_text(subject);
        fputc('\'', stderr);
    }
    fputs(": ", stderr);
    print_text(cell_of(table, row, "text"));
    uint64_t count = cell_of(table, row, "count")->v.u;
    bool timed = total->kind == TK_DURATION && table->unit != TK_UNIT_CYCLES;
    if (count > 1 && timed)
        fprintf(stderr, " (%" PRIu64 " times, %.3f ms in all)", count, (double)total->v.i / 1e6);
    else if (timed)
        fprintf(stderr, " (%.3f ms)", (double)total->v.i / 1e6);
    else if (count > 1)
        fprintf(stderr, " (%" PRIu64 " times)", count);
    tk_message_end();
}

static int rows_warnings(void *self, const struct tk_table *table, const struct tk_rows *rows,
                         struct tk_err *err)
{
    const struct tk_warnings *w = self;
    if (!is_mine(table))
        return w->to->rows ? w->to->rows(w->to->self, table, rows, err) : TK_OK;
    for (size_t i = 0; i < rows->n; i++)
        if (!is_harmless(table, rows->cells + i * table->n_columns))
            print_row(w, table, rows->cells + i * table->n_columns);
    return TK_OK;
}

static int end_warnings(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_warnings *w = self;
    return is_mine(table) || !w->to->end ? TK_OK : w->to->end(w->to->self, table, err);
}

struct tk_sink tk_warnings_sink(struct tk_warnings *warn)
{
    return (struct tk_sink){
        .self = warn, .begin = begin_warnings, .rows = rows_warnings, .end = end_warnings};
}
