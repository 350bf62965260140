/*
 * Answers to SQL: statements of a file, and their rows in the format and to the place that was asked for.
 */
#ifndef TK_CMD_SQL_QUERY_ANSWER_H
#define TK_CMD_SQL_QUERY_ANSWER_H

#include "run/report.h"

struct tk_query_answer {
    const char *program;
    struct tk_sql *sql;
    const struct tk_out_args *out;
    const char *format;
    enum tk_unit unit; /* of times */
    bool plan, quiet;  /* plan: what would be done instead; quiet: warns of nothing */
    bool lost;         /* set where the format could not hold all values */
};

/* Reads a file of statements, "-" is standard input: *text is to be freed. true, or false with a sentence. */
bool tk_query_text_read(const char *path, char **text, char message[TK_OPT_MESSAGE]);

/* Writes the answers to statements. TK_OK or what failed. */
int tk_query_answer(struct tk_query_answer *a, const char *statements, struct tk_err *err);

#endif
