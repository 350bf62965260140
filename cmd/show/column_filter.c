/*
 * Show: a copy of a table's description with the wanted columns, and its rows cut to them.
 */
#include "show/column_filter.h"

#include <stdlib.h>
#include <string.h>

struct shown {
    struct tk_table table;
    struct tk_column *columns; /* owned, as the others */
    uint32_t *from;
    struct tk_cell *row;
};

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

static bool choose_column_filter(struct shown *s, const struct tk_table *full,
                                 const struct tk_column_filter *show)
{
    size_t n = full->n_columns + 1;
    *s = (struct shown){.table = *full,
                        .columns = calloc(n, sizeof *s->columns),
                        .from = calloc(n, sizeof *s->from),
                        .row = calloc(n, sizeof *s->row)};
    if (!s->columns || !s->from || !s->row)
        return false;
    s->table.columns = s->columns;
    s->table.n_columns = 0;
    for (uint32_t i = 0; i < full->n_columns; i++) {
        struct tk_column *column = &s->columns[s->table.n_columns];
        if (is_left_out(show, &full->columns[i]))
            continue;
        *column = full->columns[i];
        if (is_listed(show->least, column->name))
            column->flags |= TK_COL_LOWER_BOUND;
        s->from[s->table.n_columns++] = i;
    }
    return true;
}

static int send_rows(const struct shown *s, const struct tk_result *result, size_t table,
                     const struct tk_sink *sink, struct tk_err *err)
{
    size_t n_rows;
    int rc = TK_OK;
    tk_result_table(result, table, &n_rows);
    for (size_t i = 0; i < n_rows && rc >= 0; i++) {
        const struct tk_cell *cells = tk_result_row(result, table, i);
        struct tk_rows rows = {.n = 1, .cells = s->row};
        for (uint32_t k = 0; k < s->table.n_columns; k++)
            s->row[k] = cells[s->from[k]];
        rc = sink->rows(sink->self, &s->table, &rows, err);
    }
    return rc;
}

int tk_column_filter_table(const struct tk_result *result, size_t table, const struct tk_column_filter *show,
                           const struct tk_sink *sink, struct tk_err *err)
{
    struct shown s;
    int rc = TK_ENOMEM;
    if (choose_column_filter(&s, tk_result_table(result, table, NULL), show)) {
        rc = sink->begin(sink->self, &s.table, err);
        if (rc >= 0)
            rc = send_rows(&s, result, table, sink, err);
        if (rc >= 0)
            rc = sink->end(sink->self, &s.table, err);
    }
    free(s.columns);
    free(s.from);
    free(s.row);
    return rc;
}
