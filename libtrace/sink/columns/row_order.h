/*
 * The order of the rows of a group: scopes, which come in order of their ends, by thread and start. Writers
 * of Parquet take the rows in it.
 */
#ifndef TK_SINK_PARQUET_ROW_ORDER_H
#define TK_SINK_PARQUET_ROW_ORDER_H

#include "sink/columns/group.h"

#define TK_NO_COLUMN UINT32_MAX

struct tk_row_order {
    uint32_t by[2];        /* columns; TK_NO_COLUMN: as the rows came */
    uint32_t *rows, *next; /* owned: room for `cap` rows each */
    uint64_t *keys;        /* owned */
    size_t cap;
};

/* Which columns a table is ordered by. Nothing to be released yet. */
void tk_row_order_init(struct tk_row_order *o, const struct tk_table *table);
void tk_row_order_release(struct tk_row_order *o);

/* Puts the rows of a group in order, by o->rows. TK_ITEM; TK_OK: they stay as they came; TK_ENOMEM. */
int tk_row_order_rows(struct tk_row_order *o, const struct tk_group *g, struct tk_err *err);

#endif
