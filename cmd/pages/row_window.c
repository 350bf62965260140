/*
 * Some of the rows of a table: see row_window.h.
 */
#include "pages/row_window.h"

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
