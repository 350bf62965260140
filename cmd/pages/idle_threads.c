/*
 * Threads without scopes, in one line. See idle_threads.h.
 */
#include "pages/idle_threads.h"

#include "terminal/message.h"

#include <stdio.h>
#include <string.h>

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
