/*
 * What an export leaves out: rows of tables that its format has no place for, counted in a reading of their
 * own after it, and only where somebody wants to be told.
 */
#include "export.h"

#include "base/err.h"
#include "tables.h"

#include <string.h>

/* Tables whose rows are one thing each that happened, and who holds them beside the formats of tables. */
static const struct {
    const char *name;
    unsigned held; /* TK_HOLDS_... */
} families[] = {
    {"frames", TK_HOLDS_MARKS},
    {"regions", TK_HOLDS_MARKS},
    {"bookmarks", TK_HOLDS_MARKS},
    {"logs", TK_HOLDS_MARKS},
    {"task_rows", TK_HOLDS_MARKS},
    {"counter_values", TK_HOLDS_MARKS},
    {"stat_values", TK_HOLDS_MARKS},
    {"llm_values", TK_HOLDS_MARKS},
    {"allocations", TK_HOLDS_BYTES},
    {"task_counter_values", TK_HOLDS_MARKS},
    {"csv_events", TK_HOLDS_MARKS},
    {"csv_values", TK_HOLDS_MARKS},
    {"switch_rows", 0},
    {"lock_rows", 0},
    {"sample_rows", 0},
    {"gpu_fences", TK_HOLDS_MARKS},
    {"file_activity", 0},
    {"io_chunks", 0},
    {"load_requests", 0},
    {"packages", 0},
    {"net_packets", 0},
    {"net_content", 0},
    {"http", 0},
    {"cook", 0},
    {"verse", 0},
    {"screenshots", 0},
};

enum { MOST_TABLES = sizeof families / sizeof *families };

struct counts {
    uint64_t rows[MOST_TABLES];
};

static int count_rows(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    struct counts *c = self;
    (void)err;
    for (size_t i = 0; i < MOST_TABLES; i++)
        if (strcmp(families[i].name, table->name) == 0)
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
        if (!(families[i].held & holds) && tk_has_table(e->trace, families[i].name))
            names[query.n_tables++] = families[i].name;
    if (!opt->left_out || !query.n_tables)
        return;
    if (tk_query_run(e->trace, &query, &sink, NULL) < 0)
        opt->left_out(opt->ctx, NULL, 0);
    for (size_t i = 0; i < MOST_TABLES; i++)
        if (counts.rows[i])
            opt->left_out(opt->ctx, families[i].name, counts.rows[i]);
}
