/*
 * Recognises tables of one row and walks them as names and values. The formats `json`, `markdown` and `table`
 * ask it for each table.
 */
#include "sink/tables/name_value.h"

#include <string.h>

bool tk_name_value_is(const struct tk_table *table)
{
    return table->flags & TK_TABLE_SINGLE;
}

bool tk_name_value_is_record(const struct tk_table *table)
{
    return tk_name_value_is(table) && table->n_columns == 1 && table->columns[0].kind == TK_RECORD;
}

uint32_t tk_name_value_count(const struct tk_table *table, const struct tk_cell *row)
{
    if (!tk_name_value_is_record(table))
        return table->n_columns;
    return row->kind == TK_RECORD ? ((const struct tk_record *)row->v.p)->type->n_fields : 0;
}

void tk_name_value_item(const struct tk_table *table, const struct tk_cell *row, uint32_t i,
                        struct tk_str *name, struct tk_cell *value)
{
    if (tk_name_value_is_record(table)) {
        const struct tk_record *rec = row->v.p;
        *name = rec->type->fields[i];
        *value = (struct tk_cell){.kind = TK_NONE};
        rec->type->value(rec, i, value);
    } else {
        const char *column = table->columns[i].name;
        *name = (struct tk_str){.p = column, .n = (uint32_t)strlen(column)};
        *value = row[i];
    }
}

bool tk_name_value_least(const struct tk_table *table, uint32_t i)
{
    return !tk_name_value_is_record(table) && (table->columns[i].flags & TK_COL_LOWER_BOUND);
}
