/*
 * Row filter: the conditions of a query, bound to the columns of a table.
 */
#include "base/text/glob.h"
#include "query/select.h"
#include "table/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tk_row_filter_part {
    struct tk_condition condition;
    uint32_t column; /* of the full table */
    bool field;      /* `column` has records, and one of their fields is meant */
};

static bool is_named(const char *name, const char *p, size_t n)
{
    return strlen(name) == n && memcmp(name, p, n) == 0;
}

static uint32_t column_of(const struct tk_table *full, const struct tk_condition *c)
{
    const char *name = c->column;
    size_t n = c->n_column;
    if (is_named("duration", name, n)) { /* as people write it: the column is `dur` in all tables */
        name = "dur";
        n = 3;
    }
    uint32_t i = 0;
    while (i < full->n_columns && !is_named(full->columns[i].name, name, n))
        i++;
    return i;
}

static uint32_t records_of(const struct tk_table *full)
{
    uint32_t i = 0;
    while (i < full->n_columns && full->columns[i].kind != TK_RECORD)
        i++;
    return i;
}

/* A table that stands alongside the others of a query, whatever these are, is meant only where it is named.
 */
static bool is_meant(const struct tk_table *full, const struct tk_query *query, const struct tk_condition *c)
{
    if (c->table)
        return is_named(full->name, c->table, c->n_table);
    return !tk_projection_whole(full, query);
}

static bool has_column(const struct tk_table *full, const struct tk_condition *c)
{
    return column_of(full, c) < full->n_columns || records_of(full) < full->n_columns;
}

static int no_column(const struct tk_table *full, const struct tk_condition *c, struct tk_err *err)
{
    char names[TK_ERR_TEXT / 2] = "", old[64];
    size_t n = 0;
    snprintf(old, sizeof old, "%.*s", (int)(c->n_column < 60 ? c->n_column : 60), c->column);
    if (tk_column_now(old))
        return tk_err_set(err, TK_EMATCH, "table '%s' has no column '%s'; since 0.2 it is %s", full->name,
                          old, tk_column_now(old));
    for (uint32_t i = 0; i < full->n_columns && n < sizeof names - 1; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", full->columns[i].name);
    return tk_err_set(err, TK_EMATCH, "table '%s' has no column '%.*s'; it has %s%s", full->name,
                      (int)(c->n_column < 60 ? c->n_column : 60), c->column, names,
                      n >= sizeof names ? "..." : "");
}

static int check_column(const struct tk_row_filter *f, const struct tk_column *column,
                        const struct tk_query *query, const struct tk_condition *c, struct tk_err *err)
{
    if (column->flags & TK_COL_GROUP && !(query->by & TK_BY_THREAD))
        return tk_err_set(err, TK_EUSAGE, "condition '%s': column '%s' has values only by thread", c->text,
                          column->name);
    return tk_condition_check(c, column->kind, f->cycles, err);
}

static int bind_condition(struct tk_row_filter *f, const struct tk_table *full, const struct tk_query *query,
                          const struct tk_condition *c, struct tk_err *err)
{
    struct tk_row_filter_part part = {.condition = *c, .column = column_of(full, c)};
    int rc = TK_OK;
    if (part.column == full->n_columns) {
        part.column = records_of(full);
        part.field = true;
    } else {
        rc = check_column(f, &full->columns[part.column], query, c, err);
    }
    f->mask |= UINT64_C(1) << part.column;
    f->parts[f->n++] = part;
    return rc;
}

int tk_row_filter_init(struct tk_row_filter *f, const struct tk_table *full, const struct tk_query *query,
                       struct tk_err *err)
{
    int rc = TK_OK;
    *f = (struct tk_row_filter){.cycles = query->unit == TK_UNIT_CYCLES};
    if (query->n_where == 0)
        return TK_OK;
    f->parts = calloc(query->n_where, sizeof *f->parts);
    if (!f->parts)
        return tk_err_nomem(err, "the conditions of a query");
    for (size_t i = 0; i < query->n_where && rc == TK_OK; i++) {
        struct tk_condition c;
        rc = tk_condition_parse(&c, query->where[i], err);
        if (rc == TK_OK && is_meant(full, query, &c) && has_column(full, &c))
            rc = bind_condition(f, full, query, &c, err);
    }
    return rc;
}

void tk_row_filter_release(struct tk_row_filter *f)
{
    free(f->parts);
    *f = (struct tk_row_filter){0};
}

static bool field_holds(const struct tk_row_filter_part *part, const struct tk_cell *cell, bool cycles)
{
    const struct tk_condition *c = &part->condition;
    struct tk_cell value = {0};
    if (cell->kind == TK_RECORD) {
        const struct tk_record *record = cell->v.p;
        for (uint32_t i = 0; i < record->type->n_fields; i++) {
            const struct tk_str *name = &record->type->fields[i];
            if (name->n != c->n_column || memcmp(name->p, c->column, name->n) != 0)
                continue;
            record->type->value(record, i, &value);
            return tk_condition_holds(c, &value, cycles);
        }
    }
    return false; /* it has no such field: nothing is said of it */
}

static bool part_holds(const struct tk_row_filter_part *part, const struct tk_cell *cell, bool cycles)
{
    return part->field ? field_holds(part, cell, cycles) : tk_condition_holds(&part->condition, cell, cycles);
}

bool tk_row_filter_pass(struct tk_row_filter *f, const struct tk_cell *row)
{
    bool passes = true;
    for (size_t i = 0; i < f->n && passes; i++)
        passes = part_holds(&f->parts[i], &row[f->parts[i].column], f->cycles);
    f->rows++;
    f->kept += passes;
    return passes;
}

int tk_row_filter_check(const struct tk_query *query, const struct tk_table *const *tables, size_t n,
                        struct tk_err *err)
{
    for (size_t i = 0; i < query->n_where; i++) {
        struct tk_condition c;
        const struct tk_table *meant = NULL;
        bool any = false;
        int rc = tk_condition_parse(&c, query->where[i], err);
        if (rc < 0)
            return rc;
        for (size_t k = 0; k < n; k++) {
            const bool is = is_meant(tables[k], query, &c);
            meant = is && !meant ? tables[k] : meant;
            any |= is && has_column(tables[k], &c);
        }
        if (!meant)
            return tk_err_set(err, TK_EMATCH, "condition '%s' names a table that is not requested",
                              query->where[i]);
        if (!any)
            return no_column(meant, &c, err);
    }
    return TK_OK;
}
