/*
 * Cursors of virtual tables: which rows come, and from where: as they are decoded, from rows that are kept,
 * or put together by a column.
 */
#ifndef TK_SQL_TABLES_CURSOR_H
#define TK_SQL_TABLES_CURSOR_H

#include "sql/tables/grouped.h"
#include "sql/tables/reading.h"

struct tk_sql_table {
    sqlite3_vtab base; /* the first member */
    struct tk_sql_connection *c;
    struct tk_sql_group *group;
    struct tk_sql_shape shape;
    TK_VEC(struct tk_sql_seen {
        char *key; /* owned */
        uint64_t statement;
    })
    seen;      /* questions that were read as they are decoded */
    bool owns; /* the connection is of this table alone */
};

enum tk_sql_from { TK_SQL_FROM_NOWHERE, TK_SQL_FROM_READING, TK_SQL_FROM_STORE, TK_SQL_FROM_GROUPS };

struct tk_sql_cursor {
    sqlite3_vtab_cursor base; /* the first member */
    struct tk_sql_table *table;
    struct tk_sql_plan plan;
    const char *planned; /* the text that `plan` was read from */
    struct tk_sql_given given[TK_SQL_TERMS];
    size_t next;                  /* source to go on with */
    size_t n_asked, n_missed;     /* sources that were, and of these those that have not what is asked for */
    bool noted;                   /* that one has it, where the end of the statement says so */
    struct tk_sql_source *source; /* of the row */
    enum tk_sql_from from;
    bool end;
    uint64_t row; /* number of the row of the source, from 1 */
    /* rows as they are decoded */
    struct tk_sql_question question;
    struct tk_sql_reading reading;
    const struct tk_cell *cells;
    struct tk_sql_scratch scratch;
    /* rows that are kept */
    struct tk_sql_store *store;
    struct tk_sql_order *order; /* NULL: all rows in order of their numbers */
    size_t at, stop;            /* places or rows still to come */
    /* groups */
    struct tk_sql_grouped *grouped; /* owned */
    const struct tk_sql_value *values_of_row;
    uint8_t slots[64]; /* column of the shape -> value of the row */
    /* frames */
    const struct tk_sql_frames *frames;
    size_t hint;
};

/* Begins with the first row. TK_OK or what failed. */
int tk_sql_cursor_begin(struct tk_sql_cursor *cur, const char *plan, int n, sqlite3_value **values,
                        struct tk_err *err);

/* Goes to the next row, or sets `end`. TK_OK or what failed. */
int tk_sql_cursor_next(struct tk_sql_cursor *cur, struct tk_err *err);

/* The value of a column of the shape. TK_OK or what failed. */
int tk_sql_cursor_value(struct tk_sql_cursor *cur, uint32_t column, struct tk_sql_value *out,
                        struct tk_err *err);

/* The same as the answer to SQLite. */
int tk_sql_cursor_answer(struct tk_sql_cursor *cur, uint32_t column, sqlite3_context *to, struct tk_err *err);

int64_t tk_sql_cursor_rowid(struct tk_sql_cursor *cur);

/* Frees what it holds. */
void tk_sql_cursor_release(struct tk_sql_cursor *cur);

#endif
