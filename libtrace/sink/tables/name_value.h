/*
 * Tables of one row, which are written as a list of names and values; used by the formats `json`, `markdown`
 * and `table`. If the only column is a record, its fields are that list.
 */
#ifndef TK_SINK_TABLES_NAME_VALUE_H
#define TK_SINK_TABLES_NAME_VALUE_H

#include "tracekit.h"

bool tk_name_value_is(const struct tk_table *table);

/* Is it single, and its only column a record? */
bool tk_name_value_is_record(const struct tk_table *table);

/* Number of names and values in its row. */
uint32_t tk_name_value_count(const struct tk_table *table, const struct tk_cell *row);

/* One of them. The name is borrowed from the table or the record. */
void tk_name_value_item(const struct tk_table *table, const struct tk_cell *row, uint32_t i,
                        struct tk_str *name, struct tk_cell *value);

/* Is it a lower bound? */
bool tk_name_value_least(const struct tk_table *table, uint32_t i);

#endif
