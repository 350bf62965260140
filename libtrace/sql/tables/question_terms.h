/*
 * Terms of a plan as parts of a query: question.c makes the whole of them.
 */
#ifndef TK_SQL_TABLES_QUESTION_TERMS_H
#define TK_SQL_TABLES_QUESTION_TERMS_H

#include "sql/tables/question.h"

/* A question in the making. */
struct tk_sql_asking {
    struct tk_sql_question *q;
    struct tk_sql_connection *c;
    const struct tk_sql_shape *shape;
    struct tk_sql_source *source;
    struct tk_err *err;
};

/* Takes a term with what is given for it: an argument, and with `columns` a condition on a column that the
 * library can select by. TK_OK or what failed. */
int tk_sql_question_take(const struct tk_sql_asking *a, const struct tk_sql_term *term,
                         const struct tk_sql_given *given, bool columns);

void tk_sql_texts_release(struct tk_sql_texts *texts);

#endif
