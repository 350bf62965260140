/*
 * Questions: a plan with its values as a query of the library.
 */
#ifndef TK_SQL_TABLES_QUESTION_H
#define TK_SQL_TABLES_QUESTION_H

#include "sql/tables/value.h"
#include "sql/tables/plan.h"

/* The value of a term, or for a list all of its values. */
struct tk_sql_given {
    TK_VEC(sqlite3_value *) list; /* owned */
};

struct tk_sql_texts {
    TK_VEC(char *) list; /* owned, ended by NUL each */
};

struct tk_sql_question {
    struct tk_query query; /* of a reading: points into this struct, which must stay where it is */
    const char *table, *columns[64];
    struct tk_sql_texts threads, timers, regions, of;
    bool asks_names; /* names come from arguments: what matches nothing is a mistake */
    bool asks_span;  /* from or to is an argument: no row beyond it is wanted */
    bool empty;      /* no row can be meant */
    uint64_t mask;   /* own columns that are read */
};

/* Columns that have to be read for what a statement uses. */
uint64_t tk_sql_question_mask(const struct tk_sql_shape *shape, uint64_t used);

/*
 * Makes the query of a plan. given: as many as the plan has terms. all: with the terms whose values change
 * and, in tables whose rows nothing tells apart, with those on columns; else the same question for all
 * values. It is to be released, also after a failure. TK_OK or what failed.
 */
int tk_sql_question_make(struct tk_sql_question *q, struct tk_sql_connection *c,
                         const struct tk_sql_shape *shape, const struct tk_sql_plan *plan,
                         const struct tk_sql_given *given, struct tk_sql_source *source, bool all,
                         struct tk_err *err);
void tk_sql_question_release(struct tk_sql_question *q);

/* A text that is the same for the same question, whatever its columns; to be freed. NULL if out of memory.
 */
char *tk_sql_question_key(const struct tk_sql_question *q);

/* Is the source one of those that the plan asks for? */
bool tk_sql_question_wants(const struct tk_sql_shape *shape, const struct tk_sql_plan *plan,
                           const struct tk_sql_given *given, const struct tk_sql_source *source);

#endif
