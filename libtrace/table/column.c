/*
 * Columns by their names. See tracekit.h.
 */
#include "tracekit.h"

#include <string.h>

int tk_table_column(const struct tk_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return (int)i;
    return -1;
}
