/*
 * Lanes made of rows of tables: the table of their kinds, and the reading that all of them share.
 */
#include "api/trace.h"
#include "base/err.h"
#include "query/dict.h"
#include "table/cell.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"
#include "view/index/index_in.h"

/* By kind; those without a table come of scopes. The lanes of running threads come of the rows of cores. */
static const struct tk_index_row_kind scopes_thread = {.name = "thread"}, scopes_gpu = {.name = "gpu"},
                                      scopes_work = {.name = "gpu_work"},
                                      of_cores = {.name = "running", .table = "switch_rows"};

static const struct tk_index_row_kind *const kinds[TK_INDEX_KINDS] = {
    [TK_INDEX_THREAD] = &scopes_thread,
    [TK_INDEX_GPU] = &scopes_gpu,
    [TK_INDEX_GPU_WORK] = &scopes_work,
    [TK_INDEX_CORE] = &tk_index_row_cores,
    [TK_INDEX_RUNNING] = &of_cores,
    [TK_INDEX_FENCE] = &tk_index_row_fences,
    [TK_INDEX_LOCK] = &tk_index_row_locks,
    [TK_INDEX_TASK] = &tk_index_row_tasks,
    [TK_INDEX_FILE] = &tk_index_row_files,
    [TK_INDEX_PACKAGE] = &tk_index_row_packages,
    [TK_INDEX_REQUEST] = &tk_index_row_requests,
};

const char *tk_index_kind_name(unsigned kind, const char **table)
{
    if (kind >= TK_INDEX_KINDS)
        return NULL;
    *table = kinds[kind]->table;
    return kinds[kind]->name;
}

/* ---- rows ---- */

static unsigned kind_of_table(const char *table)
{
    unsigned kind = 0;
    while (kind < TK_INDEX_KINDS && (!kinds[kind]->take || strcmp(kinds[kind]->table, table) != 0))
        kind++;
    return kind;
}

static int begin_rows(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_index_rows *r = self;
    const unsigned kind = kind_of_table(table->name);
    (void)err;
    for (size_t i = 0; kind < TK_INDEX_KINDS && i < TK_INDEX_ROW_COLUMNS; i++) {
        const char *name = kinds[kind]->columns[i];
        const int at = name ? tk_table_column(table, name) : -1;
        r->at[kind][i] = at >= 0 && at < UINT8_MAX ? (uint8_t)at : UINT8_MAX;
    }
    return TK_OK;
}

/* A cell of a row, its time as the index has it. */
static struct tk_cell cell_at(const struct tk_index *index, const struct tk_cell *row, uint8_t at)
{
    struct tk_cell cell = at == UINT8_MAX ? (struct tk_cell){.kind = TK_NONE} : row[at];
    if (cell.kind == TK_TIME)
        cell.v.i = tk_clock_of_cycles(&index->clock, cell.v.i);
    return cell;
}

static int take_row(struct tk_index_rows *r, unsigned kind, const struct tk_cell *row)
{
    struct tk_cell cells[TK_INDEX_ROW_COLUMNS];
    for (size_t i = 0; i < TK_INDEX_ROW_COLUMNS; i++)
        cells[i] = cell_at(r->index, row, r->at[kind][i]);
    return kinds[kind]->take(r, cells);
}

static int take_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_index_rows *r = self;
    const unsigned kind = kind_of_table(table->name);
    int rc = TK_OK;
    r->err = err;
    for (size_t i = 0; kind < TK_INDEX_KINDS && i < rows->n && rc == TK_OK; i++)
        rc = take_row(r, kind, rows->cells + i * table->n_columns);
    return rc;
}

/* ---- the reading ---- */

/* Tables that the capture may have rows of. */
static size_t list_tables(struct tk_trace *trace, const char *tables[TK_INDEX_KINDS])
{
    size_t n = 0;
    for (size_t i = 0; i < TK_INDEX_KINDS; i++)
        if (kinds[i]->take && tk_has_table(trace, kinds[i]->table) &&
            trace->capture->ops->may_have(trace->capture, kinds[i]->facts))
            tables[n++] = kinds[i]->table;
    return n;
}

static void release_rows(struct tk_index_rows *r)
{
    tk_map_release(&r->runner_of);
    tk_map_release(&r->lock_of);
    tk_vec_release(&r->runners);
    tk_vec_release(&r->cores);
    tk_index_spans_close(r->spans);
}

int tk_index_read_rows(struct tk_index *index, const char *folder, struct tk_err *err)
{
    const char *tables[TK_INDEX_KINDS];
    struct tk_query query = TK_INIT(struct tk_query);
    struct tk_index_rows r = {.index = index, .err = err};
    query.tables = tables;
    query.n_tables = list_tables(index->trace, tables);
    query.unit = TK_UNIT_CYCLES;
    query.by = TK_BY_EXTRA;
    query.mixed = true;
    query.in_passing = true;
    if (!query.n_tables)
        return TK_OK;
    r.spans = tk_index_spans_open(index, folder, err);
    int rc = r.spans
                 ? tk_query_run(index->trace, &query,
                                &(struct tk_sink){.self = &r, .begin = begin_rows, .rows = take_rows}, err)
                 : TK_ENOMEM;
    if (rc >= 0)
        rc = tk_index_spans_lay(r.spans, err);
    release_rows(&r);
    return rc;
}
