/*
 * Plans: what of a statement's conditions a table takes over. xBestIndex writes one as a text, which EXPLAIN
 * QUERY PLAN shows, and xFilter reads it back:
 *
 *     start>=! start<! thread@! timer=? table:scopes group:timer by:thread columns:12=start,thread
 *
 * A term is a column, an operator (= < <= > >=, @ for a list) and whether its value is the same throughout
 * the statement (!) or may be another one each time (?). The names of the columns are for people
 * (plan_text.h).
 */
#ifndef TK_SQL_TABLES_PLAN_H
#define TK_SQL_TABLES_PLAN_H

#include "sql/tables/shape.h"

#define TK_SQL_TERMS 24

enum tk_sql_operator { TK_SQL_EQ, TK_SQL_LT, TK_SQL_LE, TK_SQL_GT, TK_SQL_GE, TK_SQL_IN };

struct tk_sql_term {
    uint32_t column;
    enum tk_sql_operator op;
    bool constant;
};

struct tk_sql_plan {
    struct tk_sql_term terms[TK_SQL_TERMS]; /* one for each value, in order */
    unsigned n;
    bool join;      /* a term is not constant */
    uint32_t group; /* column whose equal values come together; UINT32_MAX: rows come as they are */
    bool down;      /* the greatest value first */
    bool by_thread;
    uint64_t used; /* columns of the shape, as SQLite gives them */
};

/* Fills in the answer of xBestIndex. SQLITE_OK, SQLITE_CONSTRAINT (an argument is not known yet),
 * SQLITE_NOMEM. */
int tk_sql_plan_make(const struct tk_sql_shape *shape, sqlite3_index_info *info, uint64_t rows, bool no_push);

/* Reads back what it wrote. */
void tk_sql_plan_read(struct tk_sql_plan *plan, const struct tk_sql_shape *shape, const char *text);

#endif
