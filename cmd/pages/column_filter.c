/*
 * Show: a copy of a table's description with the wanted columns, and its rows cut to them.
 */
#include "pages/column_filter.h"

#include <stdlib.h>
#include <string.h>

static bool is_listed(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static bool is_left_out(const struct tk_column_filter *show, const struct tk_column *column)
{
    bool extra = column->flags & TK_COL_EXTRA, people = column->flags & TK_COL_HUMAN_ONLY;
    return is_listed(show->hide, column->name) || (extra && (show->bare || (show->usual && !people)));
}

static void forget(struct tk_column_filtering *f)
{
    free(f->columns);
    free(f->from);
    free(f->row);
    f->columns = NULL;
    f->from = NULL;
    f->row = NULL;
}

static bool choose_column_filter(struct tk_column_filtering *f, const struct tk_table *full)
{
    size_t n = full->n_columns + 1;
    forget(f);
    f->columns = calloc(n, sizeof *f->columns);
    f->from = calloc(n, sizeof *f->from);
    f->row = calloc(n, sizeof *f->row);
    if (!f->columns || !f->from || !f->row)
        return false;
    f->table = *full;
    f->table.columns = f->columns;
    f->table.n_columns = 0;
    for (uint32_t i = 0; i < full->n_columns; i++) {
        struct tk_column *column = &f->columns[f->table.n_columns];
        if (is_left_out(f->show, &full->columns[i]))
            continue;
        *column = full->columns[i];
        if (is_listed(f->show->least, column->name))
            column->flags |= TK_COL_LOWER_BOUND;
        f->from[f->table.n_columns++] = i;
    }
    return true;
}

static int filter_begin(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_column_filtering *f = self;
    return choose_column_filter(f, table) ? f->to->begin(f->to->self, &f->table, err) : TK_ENOMEM;
}

static int filter_rows(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    struct tk_column_filtering *f = self;
    int rc = TK_OK;
    for (size_t i = 0; i < rows->n && rc >= 0; i++) {
        const struct tk_cell *cells = rows->cells + i * table->n_columns;
        const struct tk_rows one = {.n = 1, .cells = f->row};
        for (uint32_t k = 0; k < f->table.n_columns; k++)
            f->row[k] = cells[f->from[k]];
        rc = f->to->rows(f->to->self, &f->table, &one, err);
    }
    return rc;
}

static int filter_end(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_column_filtering *f = self;
    (void)table;
    return f->to->end(f->to->self, &f->table, err);
}

struct tk_sink tk_column_filter_sink(struct tk_column_filtering *f, const struct tk_column_filter *show,
                                     const struct tk_sink *to)
{
    *f = (struct tk_column_filtering){.show = show, .to = to};
    return (struct tk_sink){.self = f, .begin = filter_begin, .rows = filter_rows, .end = filter_end};
}

void tk_column_filtering_release(struct tk_column_filtering *f)
{
    forget(f);
}

int tk_column_filter_table(const struct tk_result *result, size_t table, const struct tk_column_filter *show,
                           const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_column_filtering f;
    size_t n_rows;
    const struct tk_table *full = tk_result_table(result, table, &n_rows);
    const struct tk_sink filter = tk_column_filter_sink(&f, show, sink);
    int rc = filter.begin(filter.self, full, err);
    for (size_t i = 0; i < n_rows && rc >= 0; i++) {
        const struct tk_rows one = {.n = 1, .cells = tk_result_row(result, table, i)};
        rc = filter.rows(filter.self, full, &one, err);
    }
    if (rc >= 0)
        rc = filter.end(filter.self, full, err);
    tk_column_filtering_release(&f);
    return rc;
}
