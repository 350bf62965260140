/*
 * Tables on their way to a writer, and the list of them.
 */
#include "pages/tables.h"

#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Show: a copy of a table's description with the wanted columns, and its rows cut to them.
 */

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

/*
 * Threads without scopes in one line, and indented names.
 */

/*
 * Indented names.
 */

#define STEP 2u /* blanks a step */

/* UINT32_MAX: there is none. */
static uint32_t place_of_indent(const struct tk_table *table, const char *name)
{
    const int at = tk_table_column(table, name);
    return at < 0 ? UINT32_MAX : (uint32_t)at;
}

static void forget_indent(struct tk_indent *in)
{
    free(in->columns);
    free(in->from);
    free(in->row);
    in->columns = NULL;
    in->from = NULL;
    in->row = NULL;
}

void tk_indent_release(struct tk_indent *in)
{
    forget_indent(in);
    free(in->name);
    in->name = NULL;
}

static bool stays(const char *name)
{
    return strcmp(name, "depth") != 0 && strcmp(name, "node_id") != 0 && strcmp(name, "parent_id") != 0;
}

static int describe_indent(struct tk_indent *in, const struct tk_table *table)
{
    size_t n = table->n_columns;
    in->columns = calloc(n, sizeof *in->columns);
    in->from = calloc(n, sizeof *in->from);
    in->row = calloc(n, sizeof *in->row);
    if (!in->columns || !in->from || !in->row)
        return TK_ENOMEM;
    in->table = *table;
    in->table.columns = in->columns;
    in->table.n_columns = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!stays(table->columns[i].name))
            continue;
        in->columns[in->table.n_columns] = table->columns[i];
        in->from[in->table.n_columns++] = i;
    }
    return TK_OK;
}

static int begin_indent(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_indent *in = self;
    forget_indent(in);
    in->timer = place_of_indent(table, "timer");
    if (in->timer == UINT32_MAX)
        in->timer = place_of_indent(table, "function");
    in->depth = place_of_indent(table, "parent_id") == UINT32_MAX || in->timer == UINT32_MAX
                    ? UINT32_MAX
                    : place_of_indent(table, "depth");
    if (in->depth == UINT32_MAX)
        return in->to->begin(in->to->self, table, err);
    int rc = describe_indent(in, table);
    return rc < 0 ? rc : in->to->begin(in->to->self, &in->table, err);
}

/* The name with blanks before it; lives until the next one. */
static int indent_name(struct tk_indent *in, struct tk_cell *cell, uint64_t depth)
{
    size_t blanks = (size_t)(depth < 4096 ? depth : 4096) * STEP, n = blanks + cell->n;
    if (cell->kind != TK_TEXT || !blanks)
        return TK_OK;
    if (n > in->name_cap) {
        char *name = realloc(in->name, n * 2);
        if (!name)
            return TK_ENOMEM;
        in->name = name;
        in->name_cap = n * 2;
    }
    memset(in->name, ' ', blanks);
    memcpy(in->name + blanks, cell->v.p, cell->n);
    cell->v.p = in->name;
    cell->n = (uint32_t)n;
    return TK_OK;
}

static int rows_indent(void *self, const struct tk_table *table, const struct tk_rows *rows,
                       struct tk_err *err)
{
    struct tk_indent *in = self;
    int rc = TK_OK;
    if (in->depth == UINT32_MAX)
        return in->to->rows(in->to->self, table, rows, err);
    for (size_t i = 0; i < rows->n && rc >= 0; i++) {
        const struct tk_cell *cells = rows->cells + i * table->n_columns;
        const struct tk_rows one = {.n = 1, .cells = in->row};
        for (uint32_t k = 0; k < in->table.n_columns; k++) {
            in->row[k] = cells[in->from[k]];
            if (in->from[k] == in->timer && rc >= 0)
                rc = indent_name(in, &in->row[k], cells[in->depth].v.u);
        }
        if (rc >= 0)
            rc = in->to->rows(in->to->self, &in->table, &one, err);
    }
    return rc;
}

static int end_indent(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_indent *in = self;
    return in->to->end(in->to->self, in->depth == UINT32_MAX ? table : &in->table, err);
}

struct tk_sink tk_indent_sink(struct tk_indent *in, const struct tk_sink *to)
{
    *in = (struct tk_indent){.to = to, .depth = UINT32_MAX};
    return (struct tk_sink){.self = in, .begin = begin_indent, .rows = rows_indent, .end = end_indent};
}

#define NAMED 8u /* so many are named, the others counted */

static const struct tk_cell *cell_of(const struct tk_result *result, size_t index, size_t row,
                                     const char *column)
{
    const int at = tk_table_column(tk_result_table(result, index, NULL), column);
    return at < 0 ? NULL : tk_result_cell(result, index, row, (size_t)at);
}

static bool has_some(const struct tk_result *result, size_t index, size_t row, const char *column)
{
    const struct tk_cell *cell = cell_of(result, index, row, column);
    return cell && cell->kind == TK_UINT && cell->v.u > 0;
}

/* Rows up to the last one with scopes. */
static size_t count_busy(const struct tk_result *result, size_t index, size_t n)
{
    while (n && !has_some(result, index, n - 1, "scopes") && !has_some(result, index, n - 1, "open"))
        n--;
    return n;
}

static void name_idle(const struct tk_result *result, size_t index, size_t from, size_t n,
                      const char *program)
{
    char start[64], rest[64];
    snprintf(start, sizeof start, "threads: %zu without scopes: ", n - from);
    tk_message_begin(program, TK_MESSAGE_NOTE);
    tk_message_put(start, strlen(start));
    for (size_t row = from; row < n && row < from + NAMED; row++) {
        const struct tk_cell *name = cell_of(result, index, row, "thread");
        tk_message_put(", ", row > from ? 2 : 0);
        tk_message_put(name ? name->v.p : "", name && name->kind == TK_TEXT ? name->n : 0);
    }
    snprintf(rest, sizeof rest, " and %zu more", n - from > NAMED ? n - from - NAMED : 0);
    tk_message_put(rest, n - from > NAMED ? strlen(rest) : 0);
    tk_message_end();
}

void tk_idle_threads_fold(struct tk_result *result, size_t index, const char *program)
{
    size_t n;
    if (strcmp(tk_result_table(result, index, &n)->name, "threads") != 0)
        return;
    const size_t busy = count_busy(result, index, n);
    if (busy == 0 || busy == n)
        return;
    name_idle(result, index, busy, n, program);
    tk_result_top(result, index, busy);
}

/*
 * The list of all tables and their columns.
 */

enum { TABLE, COLUMN, KIND, UNIT, DISPLAYED, HELP, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TABLE] = {"table", TK_TEXT, 0, NULL, "name of the table"},
    [COLUMN] = {"column", TK_TEXT, 0, NULL, "name of the column; none in the line that describes the table"},
    [KIND] = {"kind", TK_TEXT, 0, NULL, "what its values are"},
    [UNIT] = {"unit", TK_TEXT, 0, NULL, "unit of its values"},
    [DISPLAYED] = {"shown", TK_TEXT, 0, NULL,
                   "when it is not always shown: asked (in --columns), by thread (--by)"},
    [HELP] = {"help", TK_TEXT, 0, NULL, "what it says"},
};

static const struct tk_table list = {
    .name = "tables", .help = "all tables and their columns", .columns = columns, .n_columns = COLUMNS};

static struct tk_cell text_list_tables(const char *s)
{
    if (!s)
        return (struct tk_cell){.kind = TK_NONE};
    return (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(s), .v.p = s};
}

static const char *kind_name(uint8_t kind)
{
    static const char *const names[] = {
        [TK_NONE] = "none",         [TK_BOOL] = "bool",     [TK_INT] = "integer",  [TK_UINT] = "integer",
        [TK_HEX] = "hex",           [TK_REAL32] = "real",   [TK_REAL] = "real",    [TK_TIME] = "time",
        [TK_DURATION] = "duration", [TK_MEAN] = "duration", [TK_SIZE] = "integer", [TK_TEXT] = "text",
        [TK_BYTES] = "bytes",       [TK_ARRAY] = "array",   [TK_LIST] = "list",    [TK_RECORD] = "record",
    };
    return kind < sizeof names / sizeof *names ? names[kind] : "none";
}

static const char *unit_name(const struct tk_column *c)
{
    if (c->kind == TK_TIME || c->kind == TK_DURATION || c->kind == TK_MEAN)
        return "--unit";
    return c->kind == TK_SIZE ? "bytes" : c->unit;
}

static int send_row(const struct tk_sink *sink, const struct tk_table *table, const struct tk_column *c,
                    struct tk_err *err)
{
    struct tk_cell row[COLUMNS] = {
        [TABLE] = text_list_tables(table->name), [HELP] = text_list_tables(table->help)};
    struct tk_rows rows = {.n = 1, .cells = row};
    if (c) {
        row[COLUMN] = text_list_tables(c->name);
        row[KIND] = text_list_tables(kind_name(c->kind));
        row[UNIT] = text_list_tables(unit_name(c));
        row[DISPLAYED] = text_list_tables(c->flags & TK_COL_GROUP   ? "by thread"
                                          : c->flags & TK_COL_EXTRA ? "asked"
                                                                    : NULL);
        row[HELP] = text_list_tables(c->help);
    }
    return sink->rows(sink->self, &list, &rows, err);
}

static bool is_requested(const struct tk_opt_list *requested, const char *name)
{
    for (size_t i = 0; i < requested->n; i++)
        if (strcmp(requested->v[i], name) == 0)
            return true;
    return requested->n == 0;
}

int tk_list_tables(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    size_t n;
    const struct tk_table *const *tables = tk_tables(&n);
    const struct tk_opt_list *requested = ctx;
    int rc = sink->begin(sink->self, &list, err);
    (void)trace;
    for (size_t i = 0; i < n && rc >= 0; i++) {
        if (!is_requested(requested, tables[i]->name))
            continue;
        rc = send_row(sink, tables[i], NULL, err);
        for (uint32_t k = 0; k < tables[i]->n_columns && rc >= 0; k++)
            rc = send_row(sink, tables[i], &tables[i]->columns[k], err);
    }
    return rc >= 0 ? sink->end(sink->self, &list, err) : rc;
}
