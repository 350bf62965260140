/*
 * Answers to assistants: rows as JSON, cut to a size. Texts of captures stand in `rows` alone, each cut, with
 * a note where it was.
 */
#ifndef TK_AGENT_ANSWER_H
#define TK_AGENT_ANSWER_H

#include "sink/write/buffer.h"

#define TK_AGENT_TEXT 400 /* bytes of a text in a row */

struct tk_agent_answer {
    struct tk_buffer json, scratch;
    uint64_t most;  /* bytes of all tables */
    uint64_t rows;  /* of the table, so far */
    uint64_t shown; /* of them */
    bool full, first;
    bool begun; /* the table has its columns */
};

/* TK_OK or TK_ENOMEM. */
int tk_agent_answer_begin(struct tk_agent_answer *a, uint64_t most, struct tk_err *err);

/* Begins a table of the answer; the sink that takes its rows, of one table. */
struct tk_sink tk_agent_answer_table(struct tk_agent_answer *a, const char *name);

/* Ends it, and says how to ask on where rows are missing. offset: of the first row. */
void tk_agent_answer_end(struct tk_agent_answer *a, uint64_t offset);

/* A member of the answer beside its tables. */
void tk_agent_answer_text(struct tk_agent_answer *a, const char *name, const char *text);

/* Closes the object. TK_OK or what failed. */
int tk_agent_answer_close(struct tk_agent_answer *a);

void tk_agent_answer_release(struct tk_agent_answer *a);

#endif
