/*
 * Statements of SQL that tools make of their arguments, and the arguments.
 */
#ifndef TK_AGENT_STATEMENT_H
#define TK_AGENT_STATEMENT_H

#include "agent/tools.h"

struct tk_agent_statement {
    char text[16384];
    size_t n;
    bool failed; /* there was no room */
};

/* NULL: the argument is none, or no text. */
const char *tk_agent_text(const struct tk_agent_work *w, const char *name);

/* The number of an argument from 0 to `most`; what is no number is `usual`. */
uint64_t tk_agent_number(const struct tk_agent_work *w, const char *name, uint64_t usual, uint64_t most);
uint64_t tk_agent_offset(const struct tk_agent_work *w);

void tk_agent_add_sql(struct tk_agent_statement *s, const char *text);
void tk_agent_add_quoted(struct tk_agent_statement *s, const char *text, char quote);

/* As many rows as the arguments ask for. */
void tk_agent_add_limit(struct tk_agent_statement *s, const struct tk_agent_work *w);

/* A hidden column that is a time, where the argument has milliseconds. */
void tk_agent_add_ms(struct tk_agent_statement *s, const char *column, const cJSON *ms);

/* The selection of the arguments, as hidden columns have it. */
void tk_agent_add_selection(struct tk_agent_statement *s, const struct tk_agent_work *w);

/* A condition on a column. TK_OK or TK_EUSAGE. */
int tk_agent_add_filter(struct tk_agent_statement *s, const cJSON *filter, struct tk_err *err);

#endif
