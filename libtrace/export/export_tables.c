/*
 * Exports of tables: csv, tsv, ndjson, parquet and arrow. One table goes to a file or standard output;
 * several go to a folder, a file each, or as tagged lines of JSON to one output.
 */
#include "api/trace.h"
#include "base/err.h"
#include "base/given.h"
#include "base/text/path.h"
#include "engine/run.h"
#include "export/export_in.h"
#include "io/file.h"
#include "io/output.h"
#include "sink/sqlite/sqlite.h"
#include "sink/tables/table_folder.h"
#include "sink/tables/writer.h"
#include "table/sink.h"

#include <stdlib.h>
#include <string.h>

/* Can the capture fill the table? */
static bool is_there(const struct tk_trace *trace, const char *name)
{
    return tk_builder_find(name) || tk_format_rows_find(trace->ctx.format, name) ||
           tk_format_table_find(trace->ctx.format, name);
}

/* Calls run with a copy of the query that names all tables there are but `events` where it names none. */
static int with_tables(const struct tk_export *e,
                       int (*run)(const struct tk_export *e, const struct tk_query *query,
                                  struct tk_err *err),
                       struct tk_err *err)
{
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    struct tk_query query = *e->query;
    query.mixed = true;
    if (query.n_tables)
        return run(e, &query, err);
    const char **names = calloc(n, sizeof *names);
    if (!names)
        return tk_err_nomem(err, "the tables of an export");
    for (size_t i = 0; i < n; i++)
        if (strcmp(tables[i]->name, "events") != 0 && !(tables[i]->flags & TK_TABLE_ON_REQUEST) &&
            is_there(e->trace, tables[i]->name))
            names[query.n_tables++] = tables[i]->name;
    query.tables = names;
    query.in_passing = true; /* the tables read all there is */
    int rc = run(e, &query, err);
    free(names);
    return rc;
}

/* As tk_export_sorted; digits of whole numbers that the format does not keep are reported. */
static int export_counted(const struct tk_export *e, const struct tk_query *query, const struct tk_sink *sink,
                          const struct tk_row_writers *writers, struct tk_err *err)
{
    struct tk_digits *digits = NULL;
    const struct tk_sink *to = sink;
    int rc = writers ? TK_OK : tk_digits_new(&digits, &to, e, sink, err);
    if (rc == TK_OK)
        rc = tk_export_sorted(e, query, to, writers, err);
    tk_digits_free(digits);
    return rc;
}

static struct tk_writer *writer_in_folder(void *folder, const struct tk_table *table)
{
    return tk_folder_writer(folder, table);
}

static struct tk_writer *only_writer(void *writer, const struct tk_table *table)
{
    (void)table;
    return writer;
}

/* Where tables go: a folder, or one output. Zero-initialised nothing is open. */
struct place {
    struct tk_folder *folder; /* owned, as are the next two; a folder or an output */
    struct tk_output *output;
    struct tk_writer *writer;
    struct tk_partition partition;
    struct tk_sink sink;
    struct tk_row_writers writers;
    bool apart; /* rows can be made by the writers, apart from the sink */
};

/* Of csv and tsv a table without rows has nothing but names; files with types say more. */
static bool is_text(const char *format)
{
    return strcmp(format, "csv") == 0 || strcmp(format, "tsv") == 0;
}

static int open_folder(struct place *to, const struct tk_export_options *opt, struct tk_err *err)
{
    to->partition = (struct tk_partition){"capture", opt->partition};
    const int rc = tk_folder_open(&to->folder, opt->path, opt->format, opt->force,
                                  opt->partition ? &to->partition : NULL, opt->empty || !is_text(opt->format),
                                  opt->writer, err);
    if (rc < 0)
        return rc;
    to->sink = tk_folder_sink(to->folder);
    to->writers = (struct tk_row_writers){to->folder, writer_in_folder};
    return TK_OK;
}

static int open_output(struct place *to, const struct tk_export *e, bool tagged, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    struct tk_writer_options look = opt->writer ? *opt->writer : TK_INIT(struct tk_writer_options);
    look.tagged = tagged;
    int rc = tk_output_open(&to->output, opt->path, opt->force, err);
    if (rc == TK_OK && opt->escape)
        tk_output_escape(to->output);
    if (rc == TK_OK)
        tk_output_threads(to->output, tk_pool_jobs(e->trace->ctx.pool));
    if (rc == TK_OK)
        rc = tk_writer_new(&to->writer, opt->format, to->output, &look, err);
    if (rc < 0)
        return rc;
    to->sink = tk_writer_sink(to->writer);
    to->writers = (struct tk_row_writers){to->writer, only_writer};
    return TK_OK;
}

static bool names_folder(const struct tk_export_options *opt, size_t n_tables)
{
    if (opt->partition)
        return true;
    if (strcmp(opt->path, "-") == 0)
        return false;
    if (tk_path_names_folder(opt->path))
        return true;
    return n_tables != 1 && (strcmp(opt->format, "ndjson") != 0 || !strstr(opt->path, ".ndjson"));
}

static int open_place(struct place *to, const struct tk_export *e, const struct tk_query *query,
                      struct tk_err *err)
{
    to->apart = tk_format_makes_apart(e->options->format);
    return names_folder(e->options, e->query->n_tables) ? open_folder(to, e->options, err)
                                                        : open_output(to, e, query->n_tables > 1, err);
}

/* Everything is complete, or nothing is there. */
static int close_place(struct place *to, int rc, struct tk_err *err)
{
    if (rc == TK_OK && to->writer)
        rc = tk_writer_finish(to->writer, err);
    tk_writer_free(to->writer);
    if (rc == TK_OK)
        return to->folder ? tk_folder_commit(to->folder, err) : tk_output_commit(to->output, err);
    tk_folder_discard(to->folder);
    tk_output_discard(to->output);
    return rc;
}

/* Sends the tables of a capture. joined: several of them go there; NULL: the capture alone. */
static int send_tables(struct place *to, const struct tk_export *e, const struct tk_query *query,
                       struct tk_joined *joined, struct tk_err *err)
{
    struct tk_query requested = *query;
    const struct tk_sink sink = joined ? tk_joined_sink(joined) : to->sink;
    if (to->output)
        requested.mixed = requested.in_passing = false; /* other tables come behind `health` */
    if (to->output && !tk_parallel_helps(e))            /* else what works alongside queries */
        tk_output_stop(to->output, tk_run_stopped, &e->trace->ctx);
    const int rc = export_counted(e, &requested, &sink, to->apart && !joined ? &to->writers : NULL, err);
    tk_output_stop(to->output, NULL, NULL);
    return rc;
}

static int write_tables(const struct tk_export *e, const struct tk_query *query, struct tk_err *err)
{
    struct place to = {0};
    struct tk_joined *dated = NULL;
    int rc = open_place(&to, e, query, err);
    if (rc == TK_OK && e->options->partition) /* others come with it to who reads it */
        rc = tk_joined_new(&dated, &to.sink, (struct tk_joined_how){.in_turn = true}, err);
    if (dated && rc == TK_OK)
        rc = tk_joined_next(dated, e->trace, NULL, err);
    if (rc == TK_OK)
        rc = send_tables(&to, e, query, dated, err);
    rc = close_place(&to, rc, err);
    tk_joined_free(dated);
    return rc;
}

/* Can these tables go where the options say? */
static int check_place(const struct tk_export_options *opt, size_t n_tables, struct tk_err *err)
{
    if (opt->partition && strcmp(opt->path, "-") == 0)
        return tk_err_set(err, TK_EUSAGE, "partitions need a folder to be written to");
    if (!names_folder(opt, n_tables) && n_tables != 1 && strcmp(opt->format, "ndjson") != 0)
        return tk_err_set(err, TK_EUSAGE, "several tables as %s need a folder to be written to", opt->format);
    return TK_OK;
}

int tk_export_tables(const struct tk_export *e, struct tk_err *err)
{
    const int rc = check_place(e->options, e->query->n_tables, err);
    return rc == TK_OK ? with_tables(e, write_tables, err) : rc;
}

/* The tables that schemas/views.sql is of: they and their columns are there in any case, so that all views
 * can be queried. */
static int add_viewed(struct tk_sqlite *db, const struct tk_query *query, struct tk_err *err)
{
    static const char *const names[] = {"threads", "scopes",         "gpu_scopes", "timers",    "switch_rows",
                                        "frames",  "counter_values", "task_rows",  "gpu_fences"};
    struct tk_query usual = *query;
    int rc = TK_OK;
    usual.n_columns = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && rc == TK_OK; i++) {
        struct tk_projection p;
        rc = tk_projection_init(&p, tk_table_find(names[i]), &usual, err);
        if (rc == TK_OK)
            rc = tk_sqlite_add_table(db, &p.table, err);
        tk_projection_release(&p);
    }
    return rc;
}

/* Opens it with what is said of the run. */
static int open_database_with(struct tk_sqlite **db, struct tk_sqlite_options *how,
                              const struct tk_run_info *info, struct tk_err *err)
{
    struct tk_sqlite_said *said = NULL;
    const size_t n = info ? info->v.n : 0;
    if (n && !(said = calloc(n, sizeof *said)))
        return tk_err_nomem(err, "a database");
    for (size_t i = 0; i < n; i++)
        said[i] = (struct tk_sqlite_said){info->v.v[i].key, info->v.v[i].value};
    how->said = said;
    how->n_said = n;
    int rc = tk_sqlite_open(db, how, err);
    free(said);
    return rc;
}

/* Bytes of a capture, below which a database of it has small pages. */
#define SMALL (UINT64_C(1) << 20)

static int write_database(const struct tk_export *e, const struct tk_query *query, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    struct tk_sqlite_options how = {.path = opt->path,
                                    .name = opt->name,
                                    .force = opt->force,
                                    .append = opt->append,
                                    .index = opt->index,
                                    .requested = query->n_columns > 0,
                                    .small = tk_file_size(e->trace->file) < SMALL};
    struct tk_query all = *query;
    struct tk_sqlite *db;
    all.unit = TK_UNIT_NS;
    all.by |= TK_BY_EXTRA;
    int rc = tk_trace_content(e->trace, &how.content, err);
    if (rc == TK_OK)
        rc = tk_trace_begin(e->trace, &how.begin, err);
    if (rc == TK_OK)
        rc = open_database_with(&db, &how, opt->info, err);
    if (rc == 1 && opt->already)
        *opt->already = true;
    if (rc != TK_OK)
        return rc < 0 ? rc : TK_OK;
    const struct tk_sink sink = tk_sqlite_sink(db);
    rc = export_counted(e, &all, &sink, NULL, err);
    if (rc == TK_OK)
        rc = add_viewed(db, &all, err);
    if (rc == TK_OK)
        return tk_sqlite_commit(db, err);
    tk_sqlite_discard(db);
    return rc;
}

int tk_export_sqlite(const struct tk_export *e, struct tk_err *err)
{
    if (strcmp(e->options->path, "-") == 0)
        return tk_err_set(err, TK_EUSAGE, "a database needs a file to be written to");
    return with_tables(e, write_database, err);
}

/* ---- several captures in one output ---- */

struct tk_export_join {
    struct tk_query query;
    struct tk_export_options options;
    bool database;
    struct tk_output
        *staged; /* owned: the name of a database until it is complete; NULL: added to in place */
    struct place to;
    struct tk_joined *joined; /* owned; NULL: nothing was added */
    const char *name;         /* of the capture that is added */
    size_t n;                 /* captures added */
};

static int check_joined(const struct tk_export_join *j, struct tk_err *err)
{
    if (j->query.unit == TK_UNIT_CYCLES)
        return tk_err_set(err, TK_EUSAGE, "cycles of several captures do not compare");
    if (j->database && strcmp(j->options.path, "-") == 0)
        return tk_err_set(err, TK_EUSAGE, "a database needs a file to be written to");
    return j->database ? TK_OK : check_place(&j->options, j->query.n_tables, err);
}

int tk_joining_open(struct tk_export_join **out, const struct tk_query *query,
                    const struct tk_export_options *options, struct tk_err *err)
{
    struct tk_export_join *j = *out = calloc(1, sizeof *j);
    if (!j)
        return tk_err_nomem(err, "captures of an export");
    j->query = *query;
    j->options = *options;
    j->database = strcmp(options->format, "sqlite") == 0;
    int rc = check_joined(j, err);
    if (rc == TK_OK && j->database && !options->append)
        rc = tk_output_open_packed(&j->staged, options->path, options->force, TK_PACKING_NONE, err);
    if (rc == TK_OK && j->staged)
        rc = tk_output_close(j->staged, err);
    if (rc < 0) {
        (void)tk_export_join_close(j, false, NULL);
        *out = NULL;
    }
    return rc;
}

/* The first makes the database, others add to it. */
static int join_database(struct tk_export_join *j, const struct tk_export *e, struct tk_err *err)
{
    struct tk_export_options opt = j->options;
    opt.name = j->name;
    if (j->staged) {
        opt.path = tk_output_staged(j->staged);
        opt.append = j->n > 0;
        opt.force = true;
    }
    return with_tables(&(struct tk_export){e->trace, e->query, &opt}, write_database, err);
}

/* with_tables() hands on what it was given, which is the first member of this. */
struct joining {
    struct tk_export e;
    struct tk_export_join *join;
};

static int join_tables(const struct tk_export *e, const struct tk_query *query, struct tk_err *err)
{
    struct tk_export_join *j = ((const struct joining *)e)->join;
    int rc = TK_OK;
    if (!j->joined) {
        rc = open_place(&j->to, e, query, err);
        /* lines of JSON say with each row which table they are of */
        const struct tk_joined_how how = {true, j->to.output && query->n_tables > 1, !query->n_columns};
        if (rc == TK_OK)
            rc = tk_joined_new(&j->joined, &j->to.sink, how, err);
    }
    if (rc == TK_OK)
        rc = tk_joined_next(j->joined, e->trace, j->name, err);
    return rc == TK_OK ? send_tables(&j->to, e, query, j->joined, err) : rc;
}

int tk_export_join_add(struct tk_export_join *j, struct tk_trace *trace, const char *name, struct tk_err *err)
{
    TK_GIVEN(err, j, trace);
    struct joining joining = {{trace, &j->query, &j->options}, j};
    j->name = name ? name : "";
    if (j->options.partition)
        j->options.partition = j->name;
    const int rc = j->database            ? join_database(j, &joining.e, err)
                   : j->options.partition ? tk_export_tables(&joining.e, err)
                                          : with_tables(&joining.e, join_tables, err);
    j->n += rc == TK_OK;
    return rc;
}

int tk_export_join_close(struct tk_export_join *j, bool keep, struct tk_err *err)
{
    if (!j)
        return TK_OK;
    int rc = keep && j->n ? TK_OK : TK_ECANCELED;
    if (rc == TK_OK && j->joined)
        rc = tk_joined_end(j->joined, err);
    if (j->to.folder || j->to.output)
        rc = close_place(&j->to, rc, err);
    if (rc == TK_OK && j->staged)
        rc = tk_output_commit(j->staged, err);
    else
        tk_output_discard(j->staged);
    tk_joined_free(j->joined);
    free(j);
    return keep ? rc : TK_OK;
}
