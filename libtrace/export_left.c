/*
 * What an export leaves out: rows of tables that its format has no place for, counted in a reading of their
 * own after it, and only where somebody wants to be told.
 */
#include "export.h"

#include "model/timeline.h"
#include "tables.h"

#include <string.h>

/* Tables whose rows are one thing each that happened. */
static const char *const families[] = {
    "frames",
    "regions",
    "bookmarks",
    "logs",
    "task_rows",
    "counter_values",
    "stat_values",
    "llm_values",
    "allocations",
    "csv_events",
    "task_counter_values",
    "csv_values",
    "switch_rows",
    "lock_rows",
    "sample_rows",
    "gpu_fences",
    "file_activity",
    "io_chunks",
    "load_requests",
    "packages",
    "net_packets",
    "net_content",
    "http",
    "cook",
    "verse",
    "screenshots",
};

enum { MOST_TABLES = sizeof families / sizeof *families };

/* Does a format that takes no tables hold the rows of this one? */
static bool has_place(const char *table, unsigned holds)
{
    const char *item;
    for (size_t i = 0; holds & TK_HOLDS_MARKS && (item = tk_timeline_table(i)); i++)
        if (strcmp(item, table) == 0)
            return true;
    return holds & TK_HOLDS_BYTES && strcmp(table, "allocations") == 0;
}

struct counts {
    uint64_t rows[MOST_TABLES];
};

static int count_rows(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    struct counts *c = self;
    (void)err;
    for (size_t i = 0; i < MOST_TABLES; i++)
        if (strcmp(families[i], table->name) == 0)
            c->rows[i] += rows->n;
    return TK_OK;
}

void tk_export_tell_left(const struct tk_export *e, unsigned holds)
{
    const struct tk_export_options *opt = e->options;
    const char *names[MOST_TABLES];
    struct counts counts = {{0}};
    const struct tk_sink sink = {.self = &counts, .rows = count_rows};
    struct tk_query query = *e->query;
    query.tables = names;
    query.n_tables = query.n_columns = 0;
    query.mixed = true;
    query.select.n_timers = 0; /* none of these has one */
    for (size_t i = 0; i < MOST_TABLES; i++)
        if (!has_place(families[i], holds) && tk_has_table(e->trace, families[i]))
            names[query.n_tables++] = families[i];
    if (!opt->left_out || !query.n_tables)
        return;
    if (tk_query_run(e->trace, &query, &sink, NULL) < 0)
        opt->left_out(opt->ctx, NULL, 0);
    for (size_t i = 0; i < MOST_TABLES; i++)
        if (counts.rows[i])
            opt->left_out(opt->ctx, families[i], counts.rows[i]);
}
