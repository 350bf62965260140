/*
 * Projects a table to the columns of a query. It sits between the rows of a builder and a sink.
 */
#include "table/projection.h"

#include "base/text/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64 };

static uint32_t find_projection(const struct tk_table *full, const char *name)
{
    uint32_t i = 0;
    while (i < full->n_columns && strcmp(full->columns[i].name, name) != 0)
        i++;
    return i;
}

static int no_column(const struct tk_table *full, const char *name, struct tk_err *err)
{
    struct tk_nearest_search near;
    char what[80];
    tk_nearest_begin(&near, name);
    for (uint32_t i = 0; i < full->n_columns; i++)
        tk_nearest_offer(&near, full->columns[i].name, strlen(full->columns[i].name));
    snprintf(what, sizeof what, "column of table '%s'", full->name);
    return tk_nearest_fail(&near, what, full->n_columns, err);
}

static void take_projection(struct tk_projection *p, const struct tk_table *full, uint32_t column)
{
    p->from[p->table.n_columns] = column;
    p->columns[p->table.n_columns++] = full->columns[column];
    p->mask |= UINT64_C(1) << column;
}

static int take_asked(struct tk_projection *p, const struct tk_table *full, const struct tk_query *query,
                      struct tk_err *err)
{
    for (size_t i = 0; i < query->n_columns; i++) {
        uint32_t column = find_projection(full, query->columns[i]);
        if (column == full->n_columns)
            return no_column(full, query->columns[i], err);
        if (p->mask >> column & 1)
            return tk_err_set(err, TK_EUSAGE, "column '%s' is asked for twice", query->columns[i]);
        take_projection(p, full, column);
    }
    return TK_OK;
}

static void take_usual(struct tk_projection *p, const struct tk_table *full, const struct tk_query *query)
{
    uint8_t hidden = query->by & TK_BY_EXTRA ? 0 : TK_COL_EXTRA;
    uint8_t shown = query->by & TK_BY_HUMAN ? TK_COL_HUMAN_ONLY : 0;
    if (!(query->by & TK_BY_THREAD))
        hidden |= TK_COL_GROUP;
    for (uint32_t i = 0; i < full->n_columns; i++) {
        uint8_t flags = full->columns[i].flags;
        if (!(flags & hidden & (flags & shown ? ~TK_COL_EXTRA : UINT8_MAX)))
            take_projection(p, full, i);
    }
}

bool tk_projection_whole(const struct tk_table *full, const struct tk_query *query)
{
    bool first = query->n_tables < 2 || strcmp(query->tables[0], full->name) == 0;
    return full->flags & (first ? TK_TABLE_WHOLE : TK_TABLE_WHOLE | TK_TABLE_AFTER) && query->n_tables > 1;
}

int tk_projection_init(struct tk_projection *p, const struct tk_table *full, const struct tk_query *query,
                       struct tk_err *err)
{
    int rc = TK_OK;
    *p = (struct tk_projection){.table = *full};
    p->table.n_columns = 0;
    p->table.unit = query->unit;
    if (full->n_columns > MOST_COLUMNS)
        return tk_err_set(err, TK_ELIMIT, "table '%s' has more than %d columns", full->name, MOST_COLUMNS);
    p->table.columns = p->columns = calloc(full->n_columns + 1, sizeof *p->columns);
    p->from = calloc(full->n_columns + 1, sizeof *p->from);
    if (!p->columns || !p->from)
        rc = tk_err_nomem(err, "the columns of a table");
    else if (query->n_columns && !tk_projection_whole(full, query))
        rc = take_asked(p, full, query, err);
    else
        take_usual(p, full, query);
    if (rc == TK_OK && full->sort_by && find_projection(&p->table, full->sort_by) == p->table.n_columns)
        p->table.sort_by = NULL;
    if (rc < 0)
        tk_projection_release(p);
    return rc;
}

void tk_projection_release(struct tk_projection *p)
{
    free(p->columns);
    free(p->from);
    *p = (struct tk_projection){0};
}
