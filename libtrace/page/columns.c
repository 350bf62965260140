/*
 * Columns: see columns.h.
 */
#include "page/columns.h"

#include "page/names.h"
#include "sink/write/human.h"
#include "sink/write/value.h"
#include "table/cell.h"

static bool is_text(const struct tk_column *column)
{
    const struct tk_cell cell = {.kind = column->kind};
    return column->kind == TK_HEX || !tk_value_is_number(&cell);
}

/* Bytes of a rate or a mean are shown as those of a size. */
static unsigned kind_of(const struct tk_column *column)
{
    if (is_text(column))
        return TK_TEXT;
    return column->kind == TK_REAL && column->unit && strcmp(column->unit, "bytes") == 0 ? TK_SIZE
                                                                                         : column->kind;
}

/* The number of the text of a cell, -1 where it has none, -2 if out of memory. */
static int64_t number_of(struct tk_markup *m, struct tk_names *names, const struct tk_cell *cell,
                         const struct tk_column *column)
{
    struct tk_str text;
    if (cell->kind == TK_NONE)
        return -1;
    if (cell->kind == TK_TEXT) {
        text = tk_cell_text(cell);
    } else {
        struct tk_human human = {.unit = TK_UNIT_NS};
        tk_human_column(&human, column);
        m->piece.n = 0;
        tk_human_cell(&m->piece, cell, &human);
        text = (struct tk_str){.p = m->piece.p, .n = (uint32_t)m->piece.n};
    }
    const int64_t number = tk_names_number(names, text);
    return number < 0 ? -2 : number;
}

static int put_cells(struct tk_markup *m, struct tk_names *names, const struct tk_result *rows, size_t n,
                     int at)
{
    const struct tk_column *column = &tk_result_table(rows, 0, NULL)->columns[at];
    const bool text = is_text(column);
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *cell = &tk_result_row(rows, 0, i)[at];
        const int64_t number = text ? number_of(m, names, cell, column) : 0;
        if (number == -2)
            return TK_ENOMEM;
        if (i)
            tk_buffer_char(&m->out, ',');
        if (text)
            tk_buffer_i64(&m->out, number);
        else
            tk_markup_json_number(m, cell);
    }
    return TK_OK;
}

static int put_column(struct tk_markup *m, struct tk_names *names, const struct tk_result *rows, size_t n,
                      int at)
{
    const struct tk_column *column = &tk_result_table(rows, 0, NULL)->columns[at];
    tk_markup_format(m, "{\"name\":\"%s\",\"kind\":%u,\"part\":%d,\"title\":", column->name, kind_of(column),
                     (column->flags & TK_COL_PART) != 0);
    tk_markup_json_text(m, (struct tk_str){.p = column->help, .n = (uint32_t)strlen(column->help)}, SIZE_MAX);
    tk_markup_put(m, ",\"cells\":[");
    const int rc = put_cells(m, names, rows, n, at);
    tk_markup_put(m, "]}");
    return rc;
}

int tk_columns_put(const struct tk_result *rows, const int *at, size_t n_at, size_t n, size_t names_most,
                   struct tk_markup *m)
{
    struct tk_names names = {0};
    int rc = TK_OK;
    tk_markup_format(m, "{\"rows\":%zu,\"columns\":[", n);
    for (size_t i = 0; i < n_at && rc == TK_OK; i++) {
        if (i)
            tk_markup_put(m, ",");
        rc = put_column(m, &names, rows, n, at[i]);
    }
    tk_markup_put(m, "],\"names\":");
    tk_names_put(&names, names_most, m);
    tk_markup_put(m, "}");
    tk_names_release(&names);
    return rc;
}
