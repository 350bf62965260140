/*
 * Columns of answers: see columns.h.
 */
#include "view/columns.h"

#include "page/columns.h"
#include "table/cell.h"

enum { COLUMNS = 64 };

/* Of timers these, as there may be many. */
static const char *const timer_columns[] = {"timer", "working", "count", "incl", "excl",
                                            "mean",  "median",  "p95",   "p99",  "max"};

/* Columns of tables that say which timer a row is about. */
enum { NAME_AT, FILE_AT, LINE_AT, PLACE };
static const char *const place_columns[PLACE] = {"timer", "file", "line"};

int tk_view_put_rows(const struct tk_view_ask *ask, const struct tk_result *rows, size_t n, bool extra)
{
    const struct tk_table *table = tk_result_table(rows, 0, NULL);
    int at[COLUMNS];
    size_t n_at = 0;
    for (uint32_t i = 0; i < table->n_columns && n_at < COLUMNS; i++)
        if (extra || !(table->columns[i].flags & TK_COL_EXTRA))
            at[n_at++] = (int)i;
    return tk_columns_put(rows, at, n_at, n, 0, ask->m);
}

int tk_view_put_timers(const struct tk_view_ask *ask, const struct tk_result *rows, size_t n)
{
    int at[sizeof timer_columns / sizeof *timer_columns];
    size_t n_at = 0;
    for (size_t i = 0; i < sizeof timer_columns / sizeof *timer_columns; i++) {
        const int column = tk_table_column(tk_result_table(rows, 0, NULL), timer_columns[i]);
        if (column >= 0)
            at[n_at++] = column;
    }
    return tk_columns_put(rows, at, n_at, n, 0, ask->m);
}

/* The timer of the index that a row is about; -1: none. */
static int64_t timer_of(const struct tk_view_capture *c, const struct tk_cell *row, const int at[PLACE])
{
    const struct tk_cell *name = &row[at[NAME_AT]];
    if (name->kind != TK_TEXT)
        return -1;
    uint32_t timer;
    if (at[FILE_AT] >= 0 && at[LINE_AT] >= 0) {
        const struct tk_cell *file = &row[at[FILE_AT]], *line = &row[at[LINE_AT]];
        timer = tk_view_timers_at(&c->timers, c->index, tk_cell_text(name),
                                  file->kind == TK_TEXT ? tk_cell_text(file) : (struct tk_str){0},
                                  line->kind == TK_UINT ? (uint32_t)line->v.u : 0);
    } else
        timer = tk_view_timers_named(&c->timers, c->index, tk_cell_text(name));
    return timer == UINT32_MAX ? -1 : (int64_t)timer;
}

/* Which timers of the index n rows are about, as pages cut names off and several timers have the same.
 * Without an index, and of tables that are about none, null. */
void tk_view_put_timer_ids(const struct tk_view_ask *ask, const struct tk_result *rows, size_t n)
{
    const struct tk_view_capture *c = ask->capture;
    int at[PLACE];
    for (size_t i = 0; i < PLACE; i++)
        at[i] = tk_table_column(tk_result_table(rows, 0, NULL), place_columns[i]);
    if (at[NAME_AT] < 0 || tk_atomic_get(&c->state) != TK_VIEW_READY) {
        tk_markup_put(ask->m, "null");
        return;
    }
    tk_markup_put(ask->m, "[");
    for (size_t i = 0; i < n; i++)
        tk_markup_format(ask->m, "%s%lld", i ? "," : "",
                         (long long)timer_of(c, tk_result_row(rows, 0, i), at));
    tk_markup_put(ask->m, "]");
}
