/*
 * Warnings from rows.
 */
#include "pages/out.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <string.h>

static bool is_mine(const struct tk_table *table)
{
    return strcmp(table->name, TK_WARNINGS_TABLE) == 0;
}

static int begin_warnings(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_warnings *w = self;
    return is_mine(table) || !w->to->begin ? TK_OK : w->to->begin(w->to->self, table, err);
}

static const struct tk_cell *cell_of(const struct tk_table *table, const struct tk_cell *row,
                                     const char *name)
{
    static const struct tk_cell none = {.kind = TK_NONE};
    const int at = tk_table_column(table, name);
    return at < 0 ? &none : &row[at];
}

/* Rounded times are worth a row, but no warning. */
static bool is_harmless(const struct tk_table *table, const struct tk_cell *row)
{
    const struct tk_cell *kind = cell_of(table, row, "kind");
    return kind->kind == TK_TEXT && kind->n == 7 && memcmp(kind->v.p, "overlap", 7) == 0;
}

static void print_text(const struct tk_cell *c)
{
    if (c->kind == TK_TEXT)
        tk_message_put(c->v.p, c->n);
}

static void print_row(const struct tk_warnings *w, const struct tk_table *table, const struct tk_cell *row)
{
    const struct tk_cell *subject = cell_of(table, row, "subject"), *total = cell_of(table, row, "total");
    tk_message_begin(w->program, TK_MESSAGE_WARNING);
    fputs("warning: ", stderr);
    print_text(cell_of(table, row, "kind"));
    if (subject->kind == TK_TEXT) {
        fputs(" '", stderr);
        print_text(subject);
        fputc('\'', stderr);
    }
    fputs(": ", stderr);
    print_text(cell_of(table, row, "text"));
    uint64_t count = cell_of(table, row, "count")->v.u;
    bool timed = total->kind == TK_DURATION && table->unit != TK_UNIT_CYCLES;
    if (count > 1 && timed)
        fprintf(stderr, " (%" PRIu64 " times, %.3f ms in all)", count, (double)total->v.i / 1e6);
    else if (timed)
        fprintf(stderr, " (%.3f ms)", (double)total->v.i / 1e6);
    else if (count > 1)
        fprintf(stderr, " (%" PRIu64 " times)", count);
    tk_message_end();
}

static int rows_warnings(void *self, const struct tk_table *table, const struct tk_rows *rows,
                         struct tk_err *err)
{
    const struct tk_warnings *w = self;
    if (!is_mine(table))
        return w->to->rows ? w->to->rows(w->to->self, table, rows, err) : TK_OK;
    for (size_t i = 0; i < rows->n; i++)
        if (!is_harmless(table, rows->cells + i * table->n_columns))
            print_row(w, table, rows->cells + i * table->n_columns);
    return TK_OK;
}

static int end_warnings(void *self, const struct tk_table *table, struct tk_err *err)
{
    const struct tk_warnings *w = self;
    return is_mine(table) || !w->to->end ? TK_OK : w->to->end(w->to->self, table, err);
}

struct tk_sink tk_warnings_sink(struct tk_warnings *warn)
{
    return (struct tk_sink){
        .self = warn, .begin = begin_warnings, .rows = rows_warnings, .end = end_warnings};
}
