/*
 * Exports of tables: csv, tsv, ndjson, parquet and arrow. One table goes to a file or standard output;
 * several go to a folder, a file each, or as tagged lines of JSON to one output.
 */
#include "api/trace.h"
#include "base/err.h"
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

/* Of csv and tsv a table without rows has nothing but names; files with types say more. */
static bool is_text(const char *format)
{
    return strcmp(format, "csv") == 0 || strcmp(format, "tsv") == 0;
}

static int write_folder(const struct tk_export *e, const struct tk_query *query, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    const struct tk_partition partition = {"capture", opt->partition};
    struct tk_folder *folder;
    int rc = tk_folder_open(&folder, opt->path, opt->format, opt->force, opt->partition ? &partition : NULL,
                            opt->empty || !is_text(opt->format), opt->writer, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_folder_sink(folder);
    const struct tk_row_writers writers = {folder, writer_in_folder};
    rc = export_counted(e, query, &sink, tk_format_makes_apart(opt->format) ? &writers : NULL, err);
    if (rc == TK_OK)
        return tk_folder_commit(folder, err);
    tk_folder_discard(folder);
    return rc;
}

static struct tk_writer *only_writer(void *writer, const struct tk_table *table)
{
    (void)table;
    return writer;
}

static int write_output(const struct tk_export *e, const struct tk_query *query, struct tk_err *err)
{
    const struct tk_export_options *opt = e->options;
    struct tk_writer_options look = opt->writer ? *opt->writer : TK_INIT(struct tk_writer_options);
    struct tk_query unmixed = *query;
    struct tk_output *output = NULL;
    struct tk_writer *writer = NULL;
    look.tagged = query->n_tables > 1;
    unmixed.mixed = unmixed.in_passing = false; /* other tables come behind `health` */
    int rc = tk_output_open(&output, opt->path, opt->force, err);
    if (rc == TK_OK && !tk_parallel_helps(e)) /* else what works alongside queries */
        tk_output_stop(output, tk_run_stopped, &e->trace->ctx);
    if (rc == TK_OK && opt->escape)
        tk_output_escape(output);
    if (rc == TK_OK)
        tk_output_threads(output, tk_pool_jobs(e->trace->ctx.pool));
    if (rc == TK_OK)
        rc = tk_writer_new(&writer, opt->format, output, &look, err);
    if (rc == TK_OK) {
        const struct tk_sink sink = tk_writer_sink(writer);
        const struct tk_row_writers writers = {writer, only_writer};
        rc = export_counted(e, &unmixed, &sink, tk_format_makes_apart(opt->format) ? &writers : NULL, err);
    }
    if (rc == TK_OK)
        rc = tk_writer_finish(writer, err);
    tk_writer_free(writer);
    if (rc == TK_OK)
        return tk_output_commit(output, err);
    tk_output_discard(output);
    return rc;
}

static bool names_folder(const struct tk_export_options *opt, size_t n_tables)
{
    if (strcmp(opt->path, "-") == 0)
        return false;
    if (tk_path_names_folder(opt->path))
        return true;
    return n_tables != 1 && (strcmp(opt->format, "ndjson") != 0 || !strstr(opt->path, ".ndjson"));
}

int tk_export_tables(const struct tk_export *e, struct tk_err *err)
{
    size_t n = e->query->n_tables;
    if (e->options->partition && strcmp(e->options->path, "-") == 0)
        return tk_err_set(err, TK_EUSAGE, "partitions need a folder to be written to");
    if (e->options->partition || names_folder(e->options, n))
        return with_tables(e, write_folder, err);
    if (n != 1 && strcmp(e->options->format, "ndjson") != 0)
        return tk_err_set(err, TK_EUSAGE, "several tables as %s need a folder to be written to",
                          e->options->format);
    return with_tables(e, write_output, err);
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
