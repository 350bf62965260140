/*
 * Values as SQLite has them, made of the cells of tables. Stores keep them, the module hands them over.
 */
#ifndef TK_SQL_ROWS_VALUE_H
#define TK_SQL_ROWS_VALUE_H

#include "sink/write/buffer.h"
#include "sql/tables/connection.h"

enum tk_sql_type { TK_SQL_NULL, TK_SQL_INT, TK_SQL_REAL, TK_SQL_TEXT, TK_SQL_BLOB };

/* One value in 8 bytes beside its type; a text or blob is interned. */
union tk_sql_payload {
    int64_t i;
    double r;
    const struct tk_str *s;
};

struct tk_sql_value {
    uint8_t type; /* enum tk_sql_type */
    union tk_sql_payload v;
};

/* What composed cells are written with. */
struct tk_sql_scratch {
    struct tk_buffer json, clean;
    bool ready;
};

void tk_sql_scratch_release(struct tk_sql_scratch *s);

/*
 * What a cell is in SQL: times, counts, ids INTEGER, means and parts REAL; numbers above 2^63 - 1 are their
 * digits as TEXT, but addresses and hashes negative INTEGERs; texts that are no Unicode BLOBs; records and
 * lists JSON as TEXT. Texts are interned in the connection. TK_OK, TK_ENOMEM, TK_ELIMIT.
 */
int tk_sql_value_of(struct tk_sql_value *out, struct tk_sql_connection *c, const struct tk_cell *cell,
                    struct tk_sql_scratch *scratch, struct tk_err *err);

/* The same as the result of a column, without interning. TK_OK, TK_ENOMEM, TK_ELIMIT. */
int tk_sql_value_answer(sqlite3_context *to, const struct tk_cell *cell, struct tk_sql_scratch *scratch,
                        struct tk_err *err);

/* A value as the result of a column. */
void tk_sql_value_put(sqlite3_context *to, const struct tk_sql_value *value);

/* The order of SQLite: NULL, numbers, texts by their bytes, blobs. As strcmp. */
int tk_sql_value_order(const struct tk_sql_value *a, const struct tk_sql_value *b);

#endif
