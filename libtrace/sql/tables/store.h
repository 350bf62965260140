/*
 * Stores: rows of a table that were read once and are kept by column, so that joins do not read a capture
 * again for each row. They are in memory, within the budget of the connection; those that were not used for
 * longest make room, and what is more than the budget goes to a temporary file. And texts with numbers, for
 * the columns NAME_ref of the views.
 */
#ifndef TK_SQL_ROWS_STORE_H
#define TK_SQL_ROWS_STORE_H

#include "sql/tables/pieces.h"
#include "sql/tables/value.h"

#define TK_SQL_COLUMNS 64 /* most columns of a table */

/* Rows in the order of one column. */
struct tk_sql_order {
    struct tk_sql_place {
        struct tk_sql_value value;
        size_t row;
    } * places; /* owned; NULL: they are on disk */
    size_t n;
    struct tk_sql_pieces pieces;        /* of places */
    TK_VEC(struct tk_sql_value) firsts; /* the value that each piece begins with */
};

struct tk_sql_store {
    char *key; /* owned: the question without its columns */
    const struct tk_sql_source *source;
    uint64_t version; /* of the source */
    uint64_t mask;    /* columns of the table that are there */
    size_t users;     /* cursors that read it */
    uint64_t used, bytes;
    size_t n;              /* rows */
    struct tk_spill *file; /* owned; NULL: nothing is on disk */
    bool spilled;          /* rows are in `pieces` of their columns */
    struct tk_sql_kept {
        uint8_t *types; /* owned */
        union tk_sql_payload *values;
        size_t cap;
        struct tk_sql_pieces pieces; /* of values */
        struct tk_sql_order *order;  /* owned; NULL: not asked for yet */
    } columns[TK_SQL_COLUMNS];
};

/* The store of a question that has these columns, or NULL. */
struct tk_sql_store *tk_sql_store_find(struct tk_sql_connection *c, const struct tk_sql_source *s,
                                       const char *key, uint64_t mask);

/* An empty one, which is not found yet. TK_OK or TK_ENOMEM. */
int tk_sql_store_new(struct tk_sql_store **out, const struct tk_sql_source *s, const char *key, uint64_t mask,
                     struct tk_err *err);

/* Adds rows; to[i] is the column of the store for the i-th cell, at most TK_SQL_COLUMNS of them. TK_OK,
 * TK_EOUTPUT, TK_ENOMEM. */
int tk_sql_store_add(struct tk_sql_store *store, struct tk_sql_connection *c, const struct tk_rows *rows,
                     const uint8_t *to, uint32_t n_columns, struct tk_sql_scratch *scratch,
                     struct tk_err *err);

/* Makes it one that is found. TK_OK or TK_ENOMEM: then it is freed. */
int tk_sql_store_keep(struct tk_sql_store *store, struct tk_sql_connection *c, struct tk_err *err);

/* The value of a column that is there. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
static inline int tk_sql_store_value(struct tk_sql_store *store, uint32_t column, size_t row,
                                     struct tk_sql_value *out, struct tk_err *err)
{
    struct tk_sql_kept *kept = &store->columns[column];
    if (store->spilled)
        return tk_sql_pieces_get(&kept->pieces, store->file, row, out, err);
    *out = (struct tk_sql_value){kept->types[row], kept->values[row]};
    return TK_OK;
}

/* The rows in the order of a column that is there; made when it is asked for first by one of its users.
 * TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_sql_store_order(struct tk_sql_store *store, struct tk_sql_connection *c, uint32_t column,
                       struct tk_sql_order **out, struct tk_err *err);

/* The first place whose value is not below this one; with `after` the first that is above. TK_OK, TK_ENOMEM,
 * TK_EOUTPUT. */
int tk_sql_order_find(const struct tk_sql_store *store, struct tk_sql_order *order,
                      const struct tk_sql_value *value, bool after, size_t *place, struct tk_err *err);

/* The row at a place of an order. As above. */
int tk_sql_order_row(const struct tk_sql_store *store, struct tk_sql_order *order, size_t place, size_t *row,
                     struct tk_err *err);

void tk_sql_store_free(struct tk_sql_connection *c, struct tk_sql_store *store);

/* Frees all stores. */
void tk_sql_stores_release(struct tk_sql_connection *c);

/* ---- texts with numbers ---- */

/* The number of an interned text, from 1 on; 0 if out of memory. */
int64_t tk_sql_number_of(struct tk_sql_connection *c, const struct tk_str *text);

/* The text of a number, or NULL. */
const struct tk_str *tk_sql_text_of(const struct tk_sql_connection *c, int64_t number);

void tk_sql_numbers_release(struct tk_sql_connection *c);

#endif
