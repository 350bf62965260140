/*
 * Readings: one question answered by one source, row after row as they are decoded, or as a whole into a
 * store.
 */
#ifndef TK_SQL_TABLES_READING_H
#define TK_SQL_TABLES_READING_H

#include "sql/tables/store.h"
#include "sql/tables/question.h"

struct tk_sql_reading {
    struct tk_sql_connection *c; /* borrowed, like the source and the question */
    struct tk_sql_source *source;
    const struct tk_sql_question *question;
    size_t handle;
    struct tk_cursor *cursor; /* owned; NULL: the source has no such table, or nothing is asked */
    const struct tk_table *table;
    struct tk_rows rows;
    size_t at;
    uint8_t place[TK_SQL_COLUMNS]; /* own column -> cell in the row */
};

/* Begins to read. It is to be closed, also after a failure. TK_OK or what failed. */
int tk_sql_reading_open(struct tk_sql_reading *r, struct tk_sql_connection *c, struct tk_sql_source *source,
                        const struct tk_sql_shape *shape, const struct tk_sql_question *question,
                        struct tk_err *err);

/* The next row: *cells, of which place[] tells the columns. They live until the next call. TK_ITEM, TK_OK, or
 * what failed. */
int tk_sql_reading_next(struct tk_sql_reading *r, const struct tk_cell **cells, struct tk_err *err);

void tk_sql_reading_close(struct tk_sql_reading *r);

/* All rows of the question in a store, which is found from now on. TK_OK or what failed. */
int tk_sql_reading_keep(struct tk_sql_store **out, struct tk_sql_connection *c, struct tk_sql_source *source,
                        const struct tk_sql_shape *shape, const struct tk_sql_question *question,
                        const char *key, struct tk_err *err);

#endif
