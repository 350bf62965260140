/*
 * Summaries of runs: what a baseline holds of each of them, as Parquet in a folder of many runs. A run has
 * folders of its own in it, whose names are made of its bytes, so that whoever does it again replaces it.
 */
#include "base/err.h"
#include "base/given.h"
#include "compare/baseline/baseline.h"
#include "compare/baseline/listing.h"
#include "sink/tables/table_folder.h"
#include "table/sink.h"
#include "tracekit/runs.h"

#include <inttypes.h>
#include <stdio.h>

/* Rows without their first column, the number of the run, which says nothing among those of others. */
struct without {
    const struct tk_sink *to;
    struct tk_table table;
};

static int rows_without(void *self, const struct tk_table *table, const struct tk_rows *rows,
                        struct tk_err *err)
{
    const struct without *w = self;
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc >= 0; i++)
        rc = tk_sink_row(w->to, &w->table, rows->cells + i * table->n_columns + 1, err);
    return rc;
}

static int send_table(const struct tk_listing *listing, const struct tk_base_run *run,
                      const struct tk_sink *to, struct tk_err *err)
{
    struct without w = {to, listing->table};
    const struct tk_sink sink = {.self = &w, .rows = rows_without};
    w.table.columns++;
    w.table.n_columns--;
    int rc = tk_sink_begin(to, &w.table, err);
    if (rc >= 0)
        rc = listing->rows(run, 1, &listing->table, &sink, err);
    return rc < 0 ? rc : tk_sink_end(to, &w.table, err);
}

static int write_run(const struct tk_base_run *run, const char *path, struct tk_err *err)
{
    struct tk_folder *folder;
    char name[24]; /* no digits alone, which readers would take for numbers */
    snprintf(name, sizeof name, "run-%016" PRIx64, run->hash);
    const struct tk_partition partition = {"run", name};
    int rc = tk_folder_open(&folder, path, "parquet", true, &partition, true, NULL, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_folder_sink(folder);
    for (size_t i = 0; tk_listings[i] && rc >= 0; i++)
        rc = send_table(tk_listings[i], run, &sink, err);
    if (rc >= 0)
        return tk_folder_commit(folder, err);
    tk_folder_discard(folder);
    return rc;
}

int tk_baseline_summarize(const struct tk_baseline *baseline, const char *path, struct tk_err *err)
{
    TK_GIVEN(err, baseline, path);
    int rc = TK_OK;
    for (size_t i = 0; i < baseline->runs.n && rc >= 0; i++)
        rc = write_run(baseline->runs.v[i], path, err);
    return rc;
}
