/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_AGENT_AGENT_IN_H
#define TK_AGENT_AGENT_IN_H

#include "base/err.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "os/thread.h"
#include "sink/write/buffer.h"
#include "tracekit/agents.h"
#include "tracekit/captures.h"

#include <cjson/cJSON.h>

/*
 * Answers to assistants: rows as JSON, cut to a size. Texts of captures stand in `rows` alone, each cut, with
 * a note where it was.
 */

#define TK_AGENT_TEXT 400 /* bytes of a text in a row */
#define TK_AGENT_SENTENCE                                                                                    \
    "say" /* name of a last column that is no column of the answer: its text in the                          \
             first row is the sentence of the answer */

struct tk_agent_answer {
    struct tk_buffer json, scratch;
    struct tk_json writer; /* into json */
    uint64_t most, end;    /* bytes of json with the rows of all tables, and of the one that is written */
    unsigned parts;        /* tables that are still to come */
    uint64_t skip, limit;  /* rows of a table that are left out at its beginning, and that it may have */
    uint64_t skipped, displayed;
    bool full;  /* there are more rows */
    bool begun; /* the table has its columns */
    bool says;  /* it has a column with the sentence */
    char sentence[320];
    size_t n_sentence;
};

/* most: bytes of the message with the answer. TK_OK or TK_ENOMEM. */
int tk_agent_answer_begin(struct tk_agent_answer *a, uint64_t most, struct tk_err *err);

/* Begins a table of the answer; the sink that takes its rows, of one table. */
struct tk_sink tk_agent_answer_table(struct tk_agent_answer *a, const char *name);

/* Ends it, and says how to go on where rows are missing. first: the number of its first row; how: what is
 * requested with an offset, NULL where it is the same again. */
void tk_agent_answer_end(struct tk_agent_answer *a, uint64_t first, const char *how);

/* A member of the answer alongside its tables. */
void tk_agent_answer_text(struct tk_agent_answer *a, const char *name, const char *text);

/* The sentence for people that goes with the answer; without one it is how many rows there are. */
void tk_agent_answer_say(struct tk_agent_answer *a, const char *text, size_t n);

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

/* Calls with each file that is a capture or baseline, at most `most`: its path, and its name as
 * tk_agent_folders_find takes it, which is inside the path. TK_OK or what `fn` returned. */
int tk_agent_folders_list(const struct tk_agent_folders *f, unsigned most,
                          int (*fn)(void *ctx, const char *path, const char *name), void *ctx);

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
uint64_t tk_agent_limit(const struct tk_agent_work *w, uint64_t usual);

void tk_agent_add_sql(struct tk_agent_statement *s, const char *text);
void tk_agent_add_number(struct tk_agent_statement *s, uint64_t n);
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

/* A statement whose rows have a name in the answer: at most `limit`; how: with what to ask for more. */
struct tk_agent_part {
    const char *name, *sql;
    uint64_t limit;
    const char *how;
};

/* All of them, one after another. TK_OK or what failed, as of the others. */
int tk_agent_ask_parts(const struct tk_agent_work *w, const struct tk_agent_part *parts, size_t n,
                       struct tk_err *err);

/* One that was made, by the offset of the arguments. */
int tk_agent_ask_statement(const struct tk_agent_work *w, const struct tk_agent_statement *s,
                           struct tk_err *err);

/* That of the argument `statement`, or of the predefined question `ask`. */
int tk_agent_ask_sql(const struct tk_agent_work *w, struct tk_err *err);

/*
 * Tools that are no SQL.
 */

/* The captures of the folders, the newest first. TK_OK or what failed. */
int tk_agent_list(const struct tk_agent_work *w, struct tk_err *err);

/* Compares those of the arguments `baseline` and `candidate`. The same. */
int tk_agent_compare(const struct tk_agent_work *w, struct tk_err *err);

/*
 * Schemas of tools: of their arguments, which are checked before a tool runs, and of their answers, which are
 * those of schemas/mcp.schema.json. agent.c publishes both.
 */

/* The text of schemas/mcp.schema.json. */
extern const char tk_mcp_schema[];

/* The schema of what a tool takes, as a member or with NULL alone. */
void tk_agent_put_input(struct tk_json *j, const char *name, const struct tk_agent_tool *tool);

/* What it answers, without the columns that schemas/mcp.schema.json has. TK_OK or TK_ENOMEM. */
int tk_agent_put_output(struct tk_json *j, const char *name, const struct tk_agent_tool *tool,
                        struct tk_err *err);

/* Whether arguments (an object, or NULL) are of the kinds that the tool takes; null counts as not given.
 * TK_OK, TK_EUSAGE (says which, and what the tool takes), TK_ENOMEM. */
int tk_agent_check(const struct tk_agent_tool *tool, const cJSON *arguments, struct tk_err *err);

/*
 * Messages of the protocol, each put behind what the buffer has.
 */

void tk_agent_put_failure(struct tk_buffer *b, const cJSON *id, int code, const char *text);
void tk_agent_put_nothing(struct tk_buffer *b, const cJSON *id);
void tk_agent_put_initialized(struct tk_buffer *b, const cJSON *id, const cJSON *params);

/* TK_OK or TK_ENOMEM. */
int tk_agent_put_tools(struct tk_buffer *b, const cJSON *id, struct tk_err *err);

/* What a tool has answered, or why it failed. */
void tk_agent_put_answer(struct tk_buffer *b, const cJSON *id, const struct tk_agent_answer *answer);
void tk_agent_put_error(struct tk_buffer *b, const cJSON *id, const struct tk_err *err, int status);

/* token: of the request whose tool works. */
void tk_agent_put_progress(struct tk_buffer *b, const cJSON *token, double seconds, const char *message);

/*
 * Calls of tools, from the request to its answer.
 */

struct tk_agent_call;

struct tk_agent_calls {
    struct tk_os_monitor lock;
    bool ready;
    struct tk_agent_call *first; /* under the lock */
};

struct tk_agent_call {
    struct tk_agent_calls *calls;
    struct tk_agent_call *next; /* under the lock of the calls */
    struct tk_atomic cancelled;
    cJSON *request; /* owned; the others are inside it */
    const cJSON *id, *arguments, *token;
    const struct tk_agent_tool *tool;
    const struct tk_agent_options *options;
    const struct tk_agent_folders *folders;
    void (*put)(void *to, const char *line, size_t n); /* takes progress; NULL: nobody does */
    void *put_to;
    double begun, said;   /* when the tool began, and when there was progress last: seconds */
    uint64_t done, total; /* bytes of what is read */
    bool late;            /* it has taken too long */
};

/* TK_OK or TK_ENOMEM. Release what failed, too. */
int tk_agent_calls_init(struct tk_agent_calls *calls, struct tk_err *err);
void tk_agent_calls_release(struct tk_agent_calls *calls);

/* Takes over the request. NULL without memory. */
struct tk_agent_call *tk_agent_call_new(struct tk_agent_calls *calls, cJSON *request,
                                        const struct tk_agent_tool *tool);
void tk_agent_call_free(struct tk_agent_call *call);

/* The call with the id of a request stops, or does not begin. */
void tk_agent_calls_cancel(struct tk_agent_calls *calls, const cJSON *id);

/* Puts what its tool answers, or nothing where it was cancelled. TK_OK or TK_ENOMEM. */
int tk_agent_call_work(struct tk_agent_call *call, struct tk_buffer *b, struct tk_err *err);

/*
 * Requests.
 */

enum { TK_AGENT_REQUEST = 1 << 20 }; /* bytes of the longest */

struct tk_agent {
    struct tk_agent_folders folders;
    struct tk_agent_options options;
    struct tk_agent_calls calls;
};

/* Puts what answers a request at once, or else makes *call, to be worked on and freed. TK_OK or TK_ENOMEM. */
int tk_agent_take(struct tk_agent *a, const char *text, size_t n, struct tk_buffer *b,
                  struct tk_agent_call **call, struct tk_err *err);

/*
 * The tool that judges a capture by rules.
 */

/* That of the argument `capture`. TK_OK or what failed. */
int tk_agent_rules(const struct tk_agent_work *w, struct tk_err *err);

/* What is said of a capture in which damage was found. */
extern const char tk_agent_damage[];

#endif
