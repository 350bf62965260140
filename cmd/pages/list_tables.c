/*
 * The list of all tables and their columns.
 */
#include "pages/list_tables.h"

#include <string.h>

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
