/*
 * Rows that are facts of the format, on their way to a table: times are converted, rows outside of the
 * selection are left out. See format_rows.h.
 */
#include "query/format_rows.h"

#include "base/wrap.h"
#include "query/context_cells.h"

#include <stdlib.h>
#include <string.h>

struct rows {
    const struct tk_query_context *view;
    const struct tk_table *table;
    uint32_t thread_id, thread; /* columns that are filled from the fact's thread; NO_COLUMN: none */
};

#define NO_COLUMN UINT32_MAX

static uint32_t column_of(const struct tk_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->n_columns; i++) {
        if (strcmp(table->columns[i].name, name) == 0)
            return i;
    }
    return NO_COLUMN;
}

static int open_format_rows(const struct tk_query_context *view, const struct tk_builder *builder,
                            uint64_t wanted, void **self, struct tk_err *err)
{
    (void)wanted;
    struct rows *r = calloc(1, sizeof *r);
    if (!r)
        return tk_err_nomem(err, "rows");
    *r = (struct rows){.view = view,
                       .table = builder->table,
                       .thread_id = column_of(builder->table, "thread_id"),
                       .thread = column_of(builder->table, "thread")};
    *self = r;
    return TK_OK;
}

static bool is_selected_format_rows(const struct rows *r, const struct tk_fact *fact)
{
    const struct tk_select *select = r->view->select;
    const struct tk_fact_row *row = &fact->u.row;
    if (fact->kind != TK_FACT_ROW || row->table != r->table)
        return false;
    if (row->has_time && !tk_select_touches(select, fact->time, row->end))
        return false;
    return fact->thread == TK_NO_THREAD || tk_select_thread(select, r->view->dict, fact->thread);
}

/* A length that is measured from a point in time of the row is the difference of what is shown. */
static struct tk_cell span(const struct rows *r, const struct tk_cell *cells, const struct tk_cell *cell)
{
    if (cell->n == 0 || cell->n > r->table->n_columns || cells[cell->n - 1].kind != TK_TIME)
        return tk_query_context_span(r->view, cell->v.i);
    int64_t begin = cells[cell->n - 1].v.i;
    return tk_query_context_between(r->view, begin, tk_wrap_add(begin, cell->v.i));
}

static void fill_format_rows(const struct rows *r, const struct tk_fact *fact, struct tk_cell *row)
{
    const struct tk_cell *cells = fact->u.row.cells;
    for (uint32_t i = 0; i < r->table->n_columns; i++) {
        if (cells[i].kind == TK_TIME)
            row[i] = tk_query_context_time(r->view, cells[i].v.i);
        else if (cells[i].kind == TK_DURATION)
            row[i] = span(r, cells, &cells[i]);
        else
            row[i] = cells[i];
    }
    if (r->thread_id != NO_COLUMN)
        row[r->thread_id] = tk_query_context_thread_id(fact->thread);
    if (r->thread != NO_COLUMN)
        row[r->thread] = tk_query_context_thread(r->view, fact->thread);
}

static int feed_format_rows(void *self, const struct tk_batch *batch, struct tk_emit *emit,
                            struct tk_err *err)
{
    struct rows *r = self;
    (void)err;
    for (size_t i = 0; i < batch->n_facts; i++) {
        if (!is_selected_format_rows(r, &batch->facts[i]))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_format_rows(r, &batch->facts[i], row);
    }
    return tk_emit_status(emit);
}

struct tk_builder tk_rows_builder(const struct tk_table *table)
{
    return (struct tk_builder){
        .table = table,
        .facts = TK_FACT_MASK(ROW),
        .traits = TK_BUILDER_ROWS | TK_BUILDER_SERIAL | TK_BUILDER_STREAMS,
        .open = open_format_rows,
        .feed = feed_format_rows,
        .close = free,
    };
}
