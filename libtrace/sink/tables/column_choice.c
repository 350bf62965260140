/*
 * Chooses which columns fit on a terminal, and the colours of cells. The format `table` asks it before it
 * lays out a table.
 */
#include "sink/tables/column_choice.h"

#include <math.h>
#include <string.h>

#define RED     "\x1b[31m"
#define MAGENTA "\x1b[35m" /* yellow cannot be read on white */

enum {
    KEEP_EMPTY = 1,
    KEEP_ZERO,
    KEEP_NUMBER = TK_LAYOUT_SPARE,
    KEEP_SPARE = TK_LAYOUT_OPTIONAL,
    KEEP_OTHER,
    KEEP_TIME = TK_LAYOUT_TIME
};

#define NAMES      2  /* texts that tell rows apart: never left out */
#define READ_WIDTH 40 /* of what people read, unless it is shorter */

bool tk_column_choice_is_id(const char *name)
{
    static const char *const names[] = {"rank", "line", "sort_hint", "serial", "packets", "unmatched"};
    const size_t n = strlen(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return n > 3 && strcmp(name + n - 3, "_id") == 0;
}

/* A text that people read, rather than a name. */
static bool is_read(const struct tk_column *column)
{
    static const char *const names[] = {"text", "message", "path", "url", "help", "cause"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (column->kind == TK_TEXT && strcmp(column->name, names[i]) == 0)
            return true;
    return false;
}

/* A text on the row as a whole, which few rows have. */
static bool is_apart(const struct tk_column *column)
{
    return column->kind == TK_TEXT && strcmp(column->name, "cause") == 0;
}

/* NaN: it is no number. */
static double number_of_column_choice(const struct tk_cell *c)
{
    switch (c->kind) {
    case TK_BOOL:
    case TK_UINT:
    case TK_SIZE:
        return (double)c->v.u;
    case TK_INT:
    case TK_DURATION:
        return (double)c->v.i;
    case TK_REAL:
    case TK_REAL32:
    case TK_MEAN:
        return c->v.r;
    default:
        return NAN;
    }
}

static bool is_empty(const struct tk_cell *c)
{
    return c->kind == TK_NONE || (c->kind == TK_TEXT && c->n == 0);
}

static uint8_t keep_of(const struct tk_result *rows, const struct tk_column *columns, uint32_t column)
{
    const bool spare = columns[column].flags & TK_COL_OPTIONAL;
    size_t n;
    bool empty = true, zero = true;
    tk_result_table(rows, 0, &n);
    for (size_t i = 0; i < n && zero; i++) {
        const struct tk_cell *c = &tk_result_row(rows, 0, i)[column];
        empty &= is_empty(c);
        zero &= is_empty(c) || number_of_column_choice(c) == 0;
    }
    if (empty || zero)
        return empty ? KEEP_EMPTY : KEEP_ZERO;
    return tk_column_choice_is_id(columns[column].name) ? KEEP_NUMBER : spare ? KEEP_SPARE : KEEP_OTHER;
}

static double greatest_of(const struct tk_result *rows, int column)
{
    double greatest = 0;
    size_t n;
    tk_result_table(rows, 0, &n);
    for (size_t i = 0; i < n && column >= 0; i++)
        greatest = fmax(greatest, number_of_column_choice(&tk_result_row(rows, 0, i)[column]));
    return greatest;
}

void tk_column_choice_measure(struct tk_column_choice *look, struct tk_layout *layout,
                              const struct tk_table *table, const struct tk_result *rows)
{
    unsigned names = 0, texts = 0;
    look->by = table->sort_by ? tk_table_column(table, table->sort_by) : -1;
    look->greatest = greatest_of(rows, look->by);
    for (uint32_t i = 0; i < table->n_columns; i++) {
        struct tk_layout_column *c = &layout->columns.v[i];
        c->keep = keep_of(rows, table->columns, i);
        const bool name = table->columns[i].kind == TK_TEXT && c->keep == KEEP_OTHER && names < NAMES;
        const bool read = is_read(&table->columns[i]) && c->keep == KEEP_OTHER;
        if (name || read || (int)i == look->by)
            c->keep = TK_LAYOUT_KEEP;
        c->wraps = read;
        c->apart = read && is_apart(&table->columns[i]);
        c->least = read && !texts ? READ_WIDTH : 0;
        texts += read;
        names += name && !read;
    }
    for (uint32_t i = 0; i < table->n_columns && texts; i++) /* people ask when a text was written */
        if (table->columns[i].kind == TK_TIME && layout->columns.v[i].keep == KEEP_OTHER)
            layout->columns.v[i].keep = KEEP_TIME;
}

const char *tk_column_choice_colour(const struct tk_column_choice *look, const struct tk_table *table,
                                    uint32_t column, const struct tk_cell *cell)
{
    const double v = number_of_column_choice(cell);
    if (cell->kind == TK_BOOL)
        return v > 0 && strcmp(table->columns[column].name, "damage") == 0 ? RED : NULL;
    if (v == 0)
        return TK_COLUMN_CHOICE_FAINT;
    if ((int)column != look->by || !(look->greatest > 0))
        return NULL;
    return v >= look->greatest / 2 ? RED : v >= look->greatest / 10 ? MAGENTA : NULL;
}
