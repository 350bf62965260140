/*
 * Threads without scopes, in one line.
 */
#include "pages/thread_rows.h"

#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void forget(struct tk_indent *in)
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
    forget(in);
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
    forget(in);
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
