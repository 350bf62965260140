/*
 * Tables of runs that were kept.
 */
#include "run/listing.h"

#include "io/user_cache.h"
#include "os/clock.h"
#include "pages/out.h"
#include "run/report.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Past end: a selection that begins behind the end of a capture.
 */

struct end {
    bool known;
    int64_t last;
};

static int take_end(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct end *end = self;
    const int at = tk_table_column(table, "last");
    (void)err;
    if (at >= 0 && rows->n && rows->cells[at].kind == TK_TIME) {
        end->known = true;
        end->last = rows->cells[at].v.i;
    }
    return TK_OK;
}

/* Of what the tables read; health reads all of it. */
static int read_end(struct tk_trace *trace, bool all, struct end *end, struct tk_err *err)
{
    static const char *const tables[] = {"capture", "health"};
    struct tk_query query = TK_INIT(struct tk_query);
    const struct tk_sink sink = {.self = end, .rows = take_end};
    query.tables = tables;
    query.n_tables = all ? 2 : 1;
    query.in_passing = !all;
    return tk_query_run(trace, &query, &sink, err);
}

int tk_past_end_check(struct tk_trace *trace, const struct tk_selection *select, struct tk_err *err)
{
    struct end end = {0};
    if (!select->has_from)
        return TK_OK;
    int rc = read_end(trace, false, &end, err);
    if (rc >= 0 && (!end.known || select->from_ns > end.last))
        rc = read_end(trace, true, &end, err);
    if (rc < 0 || !end.known || select->from_ns <= end.last)
        return rc < 0 ? rc : TK_OK;
    *err = (struct tk_err){.code = TK_EMATCH, .n = 1};
    snprintf(err->text[0], TK_ERR_TEXT, "'--from' is past the end: the capture ends at %.6f s",
             (double)end.last / 1e9);
    return TK_EMATCH;
}

#define PEOPLE_TOP  20 /* rows of a table of the overview */
#define MOST_TABLES 32

bool tk_kept_is(const char *path)
{
    return tk_host_is_folder(path) || tk_baseline_is(path) > 0;
}

struct kept {
    const struct tk_kept_listing *listing;
    const char *format;
    const struct tk_baseline *runs;
    const char *tables[MOST_TABLES];
    size_t n;
    char *sort; /* owned; without what is behind the colon */
    bool ascending;
};

static const struct tk_table *find_kept(const char *name)
{
    const struct tk_table *table = NULL;
    for (size_t i = 0; (table = tk_baseline_table(i)) && strcmp(table->name, name) != 0; i++)
        ;
    return table;
}

static bool add_kept(struct kept *k, const char *name, char message[TK_OPT_MESSAGE])
{
    const char *names[MOST_TABLES];
    size_t n = 0;
    for (const struct tk_table *table; n < MOST_TABLES && (table = tk_baseline_table(n)); n++)
        names[n] = table->name;
    if (!find_kept(name))
        return tk_message_unknown(message, "a baseline has no table", name, names, n);
    if (k->n < MOST_TABLES)
        k->tables[k->n++] = name;
    return true;
}

static bool check_column(const struct kept *k, const char *name, char message[TK_OPT_MESSAGE])
{
    const struct tk_table *table = find_kept(k->tables[0]);
    const char *names[MOST_TABLES];
    size_t n = 0;
    for (; n < table->n_columns && n < MOST_TABLES; n++)
        names[n] = table->columns[n].name;
    return tk_table_column(table, name) >= 0 ||
           tk_message_unknown(message, "the table has no column", name, names, n);
}

static bool take_sort(struct kept *k, char message[TK_OPT_MESSAGE])
{
    const char *sort = k->listing->plan->sort;
    message[0] = 0; /* out of memory */
    if (!sort)
        return true;
    k->sort = malloc(strlen(sort) + 1);
    if (!k->sort)
        return false;
    memcpy(k->sort, sort, strlen(sort) + 1);
    char *colon = strchr(k->sort, ':');
    k->ascending = colon && strcmp(colon, ":asc") == 0;
    if (colon)
        *colon = '\0';
    return check_column(k, k->sort, message);
}

static bool fill_kept(struct kept *k, char message[TK_OPT_MESSAGE])
{
    const struct tk_plan_args *plan = k->listing->plan;
    const char *const *usual = k->listing->usual;
    enum tk_unit unit;
    for (size_t i = 0; i < plan->tables.n; i++)
        if (!add_kept(k, plan->tables.v[i], message))
            return false;
    for (size_t i = 0; plan->tables.n == 0 && usual[i]; i++)
        if (!add_kept(k, usual[i], message))
            return false;
    if ((plan->columns.n || plan->sort) && k->n != 1) {
        snprintf(message, TK_OPT_MESSAGE, "options '--columns' and '--sort' are for a single table");
        return false;
    }
    for (size_t i = 0; i < plan->columns.n; i++)
        if (!check_column(k, plan->columns.v[i], message))
            return false;
    return take_sort(k, message) && tk_out_check(k->listing->out, &unit, message) &&
           tk_report_check_format(k->format, message);
}

/* The columns of a table that are displayed, in their order; *from is owned. How many, or TK_ENOMEM. */
static int choose_columns(const struct kept *k, const struct tk_table *table, uint32_t **from)
{
    const struct tk_opt_list *columns = &k->listing->plan->columns;
    const bool people = tk_out_is_for_people(k->format);
    int n = 0;
    *from = calloc(table->n_columns + columns->n + 1, sizeof **from);
    if (!*from)
        return TK_ENOMEM;
    for (size_t i = 0; i < columns->n; i++)
        (*from)[n++] = (uint32_t)tk_table_column(table, columns->v[i]);
    for (uint32_t i = 0; i < table->n_columns && columns->n == 0; i++)
        if (!people || !(table->columns[i].flags & TK_COL_EXTRA))
            (*from)[n++] = i;
    return n;
}

/* What is requested is displayed to people, too. */
static struct tk_column displayed_column(const struct tk_column *column)
{
    struct tk_column displayed = *column;
    displayed.flags &= (uint8_t)~TK_COL_EXTRA;
    return displayed;
}

static int send_rows(const struct tk_result *result, size_t at, const struct tk_table *displayed,
                     const uint32_t *from, const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_cell *row = calloc(displayed->n_columns + 1, sizeof *row);
    size_t n = 0;
    int rc = row ? TK_OK : TK_ENOMEM;
    tk_result_table(result, at, &n);
    if (rc >= 0 && sink->begin)
        rc = sink->begin(sink->self, displayed, err);
    for (size_t i = 0; i < n && rc >= 0; i++) {
        const struct tk_cell *cells = tk_result_row(result, at, i);
        for (uint32_t c = 0; c < displayed->n_columns; c++)
            row[c] = cells[from[c]];
        if (sink->rows)
            rc = sink->rows(sink->self, displayed, &(struct tk_rows){.n = 1, .cells = row}, err);
    }
    if (rc >= 0 && sink->end)
        rc = sink->end(sink->self, displayed, err);
    free(row);
    return rc;
}

static int send_table(const struct kept *k, const struct tk_result *result, size_t at,
                      const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_table displayed = *tk_result_table(result, at, NULL);
    uint32_t *from = NULL;
    const int n = choose_columns(k, &displayed, &from);
    struct tk_column *columns = n > 0 ? calloc((size_t)n, sizeof *columns) : NULL;
    int rc = columns ? TK_OK : TK_ENOMEM;
    for (int i = 0; i < n && rc == TK_OK; i++)
        columns[i] = displayed_column(&displayed.columns[from[i]]);
    displayed.columns = columns;
    displayed.n_columns = (uint32_t)(n > 0 ? n : 0);
    if (rc == TK_OK)
        rc = send_rows(result, at, &displayed, from, sink, err);
    free(columns);
    free(from);
    return rc;
}

static int sort_and_cut(const struct kept *k, struct tk_result *result, size_t at, struct tk_err *err)
{
    const struct tk_table *table = tk_result_table(result, at, NULL);
    const bool people = tk_out_is_for_people(k->format);
    const uint64_t top = k->listing->plan->top;
    const char *by = k->sort ? k->sort : people || top ? table->sort_by : NULL;
    int rc = by ? tk_result_sort(result, at, by, !k->ascending, err) : TK_OK;
    if (rc >= 0 && (top || (people && table->sort_by && k->listing->plan->tables.n == 0)))
        tk_result_top(result, at, top ? (size_t)top : PEOPLE_TOP);
    return rc;
}

static int send_kept(const struct kept *k, struct tk_result *result, const struct tk_sink *sink,
                     struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < tk_result_count(result) && rc >= 0; i++) {
        size_t rows;
        tk_result_table(result, i, &rows);
        if (rows == 0 && k->listing->plan->tables.n == 0)
            continue;
        rc = sort_and_cut(k, result, i, err);
        if (rc >= 0)
            rc = send_table(k, result, i, sink, err);
    }
    return rc;
}

/* Leaves the rows that meet the conditions. */
static int filter_kept(const struct kept *k, struct tk_result *result, struct tk_err *err)
{
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_row_filtering filtering = {.program = k->listing->call->program,
                                         .quiet = k->listing->common->quiet,
                                         .each = tk_out_is_for_people(k->format)};
    int rc = TK_ENOMEM;
    if (tk_row_fill(&filtering, &query, k->listing->rows, NULL))
        rc = tk_result_where(result, &query, err);
    tk_opt_list_release(&filtering.conditions);
    return rc;
}

static int produce_kept(const struct kept *k, const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_result *result;
    int rc = tk_result_new(&result, err);
    if (rc < 0)
        return rc;
    const struct tk_sink keep = tk_result_sink(result);
    for (size_t i = 0; i < k->n && rc >= 0; i++)
        rc = tk_baseline_rows(k->runs, k->tables[i], &keep, err);
    if (rc >= 0 && k->listing->rows)
        rc = filter_kept(k, result, err);
    if (rc >= 0)
        rc = send_kept(k, result, sink, err);
    tk_result_free(result);
    return rc;
}

static enum tk_exit write_kept(const struct kept *k)
{
    struct tk_out out;
    struct tk_err err = {0};
    int rc = tk_out_open(&out, k->listing->out, k->format, k->n > 1, k->listing->plan->columns.n == 0, &err);
    struct tk_lost_values values = {.to = &out.sink,
                                    .writer = out.writer,
                                    .program = k->listing->call->program,
                                    .quiet = k->listing->common->quiet};
    const struct tk_sink telling = tk_lost_values_sink(&values);
    if (rc >= 0)
        rc = produce_kept(k, &telling, &err);
    rc = tk_out_close(&out, rc, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(k->listing->call->program, NULL, rc, &err);
    return tk_lost_values_exit(values.lost, tk_exit_of(rc));
}

static enum tk_exit read_kept(const struct tk_kept_listing *listing, struct tk_runs *runs)
{
    struct tk_err err = {0};
    struct tk_runs_path *paths = calloc(listing->n, sizeof *paths);
    int rc = paths ? tk_baseline_new(&runs->baseline, &err) : TK_ENOMEM;
    enum tk_exit code = tk_exit_of(rc);
    for (size_t i = 0; i < listing->n && rc == TK_OK; i++)
        paths[i] = (struct tk_runs_path){runs, listing->operands[i]};
    if (rc == TK_OK)
        code = tk_runs_read(paths, listing->n);
    else
        tk_message_error(listing->call->program, NULL, rc, &err);
    free(paths);
    return code;
}

int tk_kept_list(const struct tk_kept_listing *listing)
{
    char message[TK_OPT_MESSAGE];
    const char *format = tk_out_format(listing->out, "table", message);
    if (!format)
        return tk_message_usage(listing->call->program, message);
    struct kept k = {.listing = listing, .format = strcmp(format, "text") != 0 ? format : "table"};
    struct tk_runs runs = {
        .program = listing->call->program, .common = listing->common, .merges = true, .keeps = true};
    if (!fill_kept(&k, message)) {
        free(k.sort);
        return tk_message_usage(listing->call->program, message);
    }
    enum tk_exit code = read_kept(listing, &runs);
    k.runs = runs.baseline;
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        code = tk_exit_worse(code, write_kept(&k));
    tk_baseline_free(runs.baseline);
    free(k.sort);
    return (int)code;
}

/*
 * The files of the cache.
 */

/* A folder and what is in it. */
struct folder {
    char path[TK_CACHE_PATH];
    struct tk_cached_file *files; /* owned */
    size_t n;
    uint64_t bytes;
};

static bool look(struct folder *f, const struct tk_user_cache *cache)
{
    *f = (struct folder){.bytes = 0};
    if (!tk_user_cache_folder(f->path, cache))
        return false;
    f->files = tk_user_cache_list(cache, &f->n);
    for (size_t i = 0; i < f->n; i++)
        f->bytes += f->files[i].size;
    return true;
}

static int no_folder(const struct tk_call *call)
{
    tk_message_say(call->program, TK_MESSAGE_ERROR,
                   "there is no folder for caches: neither XDG_CACHE_HOME nor HOME is set");
    return TK_EXIT_FAILED;
}

static void print_folder(const struct folder *f, const struct tk_user_cache *cache)
{
    printf("%s: %zu file%s, %llu of %llu bytes\n", f->path, f->n, f->n == 1 ? "" : "s",
           (unsigned long long)f->bytes, (unsigned long long)tk_user_cache_most(cache));
    for (size_t i = 0; i < f->n; i++) {
        const struct tk_os_date d = tk_os_local_date(f->files[i].modified);
        printf("  %04d-%02d-%02d %02d:%02d  %12llu  %s\n", d.year, d.month, d.day, d.hour, d.minute,
               (unsigned long long)f->files[i].size, f->files[i].name);
    }
}

int tk_cache_list(const struct tk_call *call)
{
    for (size_t i = 0; i < TK_USER_CACHES; i++) {
        struct folder f;
        if (!look(&f, &tk_user_caches[i]))
            return no_folder(call);
        print_folder(&f, &tk_user_caches[i]);
        free(f.files);
    }
    if (tk_host_flush())
        return TK_EXIT_DONE;
    tk_message_say(call->program, TK_MESSAGE_ERROR, "cannot write standard output");
    return TK_EXIT_FAILED;
}

int tk_cache_clear(const struct tk_call *call, bool quiet)
{
    size_t removed = 0, left = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < TK_USER_CACHES; i++) {
        struct folder f;
        if (!look(&f, &tk_user_caches[i]))
            return no_folder(call);
        for (size_t k = 0; k < f.n; k++) {
            const bool gone = tk_user_cache_remove(&tk_user_caches[i], f.files[k].name);
            removed += gone;
            bytes += gone ? f.files[k].size : 0;
            left += !gone;
        }
        free(f.files);
    }
    char text[128];
    snprintf(text, sizeof text, "%zu file%s, %llu bytes removed", removed, removed == 1 ? "" : "s",
             (unsigned long long)bytes);
    if (!quiet)
        tk_message_say(call->program, TK_MESSAGE_NOTE, "%s", text);
    if (!left)
        return TK_EXIT_DONE;
    snprintf(text, sizeof text, "%zu file%s cannot be removed", left, left == 1 ? "" : "s");
    tk_message_say(call->program, TK_MESSAGE_ERROR, "%s", text);
    return TK_EXIT_FAILED;
}
