/*
 * Answers of tools by SQL over the captures that the arguments name: statements are run, and their rows are
 * put into the answer.
 */
#ifndef TK_AGENT_ASKING_H
#define TK_AGENT_ASKING_H

#include "agent/statement.h"

/* A statement whose rows have a name in the answer. */
struct tk_agent_part {
    const char *name, *sql;
};

/* All of them, one after another. TK_OK or what failed, as of the others. */
int tk_agent_ask_parts(const struct tk_agent_work *w, const struct tk_agent_part *parts, size_t n,
                       struct tk_err *err);

/* One that was made, by the offset of the arguments. */
int tk_agent_ask_statement(const struct tk_agent_work *w, const struct tk_agent_statement *s,
                           struct tk_err *err);

/* That of the argument `statement`. */
int tk_agent_ask_sql(const struct tk_agent_work *w, struct tk_err *err);

#endif
