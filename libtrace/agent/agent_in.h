/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_AGENT_AGENT_IN_H
#define TK_AGENT_AGENT_IN_H

#include "base/err.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "sink/write/buffer.h"
#include "tracekit/captures.h"

#include <cjson/cJSON.h>

/*
 * Answers to assistants: rows as JSON, cut to a size. Texts of captures stand in `rows` alone, each cut, with
 * a note where it was.
 */

#define TK_AGENT_TEXT 400 /* bytes of a text in a row */

struct tk_agent_answer {
    struct tk_buffer json, scratch;
    struct tk_json writer; /* into json */
    uint64_t most;         /* bytes of all tables */
    uint64_t rows;         /* of the table, so far */
    uint64_t displayed;    /* of them */
    bool full;
    bool begun; /* the table has its columns */
};

/* TK_OK or TK_ENOMEM. */
int tk_agent_answer_begin(struct tk_agent_answer *a, uint64_t most, struct tk_err *err);

/* Begins a table of the answer; the sink that takes its rows, of one table. */
struct tk_sink tk_agent_answer_table(struct tk_agent_answer *a, const char *name);

/* Ends it, and says how to ask on where rows are missing. offset: of the first row. */
void tk_agent_answer_end(struct tk_agent_answer *a, uint64_t offset);

/* A member of the answer alongside its tables. */
void tk_agent_answer_text(struct tk_agent_answer *a, const char *name, const char *text);

/* Closes the object. TK_OK or what failed. */
int tk_agent_answer_close(struct tk_agent_answer *a);

void tk_agent_answer_release(struct tk_agent_answer *a);

/*
 * Folders below which files may be read: a path is followed through all links first.
 */

struct tk_agent_folders {
    TK_VEC(char *) list; /* owned, without links, without a slash at the end */
};

/* TK_OK; TK_EUSAGE (there is no such folder); TK_ENOMEM. */
int tk_agent_folders_add(struct tk_agent_folders *f, const char *path, struct tk_err *err);

/* The real path of a file, which is below one of them; a path that is not absolute is looked for in each.
 * *out is to be freed. TK_OK; TK_EUSAGE (it is not below them, or not there); TK_ENOMEM. */
int tk_agent_folders_find(const struct tk_agent_folders *f, const char *path, char **out, struct tk_err *err);

/* Calls with each file that is a capture or baseline, at most `most`. TK_OK or what `fn` returned. */
int tk_agent_folders_list(const struct tk_agent_folders *f, unsigned most,
                          int (*fn)(void *ctx, const char *path), void *ctx);

void tk_agent_folders_release(struct tk_agent_folders *f);

/*
 * Tools: the questions that assistants can ask, each with what it takes and how it is answered.
 */

/* What tools work with. */
struct tk_agent_work {
    const struct tk_agent_folders *folders;
    const struct tk_options *open;
    int (*stop)(void *ctx);
    void *stop_ctx;
    struct tk_agent_answer *answer;
    const cJSON *arguments; /* an object */
};

struct tk_agent_tool {
    const char *name, *help;
    const char *schema;   /* of its arguments: the members of `properties` */
    const char *required; /* names, as a list of JSON */
    const char *answer;   /* a definition of schemas/mcp.schema.json */
    int (*run)(const struct tk_agent_work *work, struct tk_err *err);
};

/* NULL behind the last one. */
const struct tk_agent_tool *tk_agent_tool(size_t i);

/*
 * Statements of SQL that tools make of their arguments, and the arguments.
 */

struct tk_agent_statement {
    char text[16384];
    size_t n;
    bool failed; /* there was no space */
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

/*
 * Answers of tools by SQL over the captures that the arguments name: statements are run, and their rows are
 * put into the answer.
 */

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

/*
 * The tool that compares two captures or baselines.
 */

/* Those of the arguments `baseline` and `candidate`. TK_OK or what failed. */
int tk_agent_compare(const struct tk_agent_work *w, struct tk_err *err);

/*
 * Schemas of tools: of their arguments, which are checked before a tool runs, and of their answers, which are
 * those of schemas/mcp.schema.json. agent.c publishes both.
 */

/* The text of schemas/mcp.schema.json. */
extern const char tk_mcp_schema[];

/* The schema of what a tool takes, as a member or with NULL alone. */
void tk_agent_put_input(struct tk_json *j, const char *name, const struct tk_agent_tool *tool);

/* The schema of what it answers. TK_OK or TK_ENOMEM. */
int tk_agent_put_output(struct tk_json *j, const char *name, const struct tk_agent_tool *tool,
                        struct tk_err *err);

/* Whether arguments (an object, or NULL) are of the kinds that the tool takes; null counts as not given.
 * TK_OK, TK_EUSAGE (says which, and what the tool takes), TK_ENOMEM. */
int tk_agent_check(const struct tk_agent_tool *tool, const cJSON *arguments, struct tk_err *err);

#endif
