/*
 * A chapter of tracekit.h: SQL over captures.
 */
#ifndef TRACEKIT_SQL_H
#define TRACEKIT_SQL_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_options;
struct tk_result;
struct tk_sink;
struct tk_trace;

/* ---- 18 SQL ----
 *
 * The tables of captures as virtual tables of SQLite. Nothing is imported; conditions on time, thread, timer,
 * frame and capture select the part that is read. Names, hidden columns, functions and views are described in
 * trace-query(1).
 *
 *     struct tk_sql_options options = TK_INIT(struct tk_sql_options);
 *     rc = tk_sql_new(&sql, &options, &err);
 *     if (rc == TK_OK)
 *         rc = tk_sql_add(sql, "game.utrace", NULL, &err);
 *     if (rc == TK_OK)
 *         rc = tk_sql_run(sql, "SELECT timer, excl FROM timers ORDER BY excl DESC LIMIT 10", &sink, &err);
 *     tk_sql_free(sql);
 */

struct tk_sql;

struct tk_sql_options {
    size_t size;
    const struct tk_options
        *open;              /* how captures are opened; NULL: defaults. Borrowed with all it points to */
    int (*stop)(void *ctx); /* called every few milliseconds; non-zero ends the statement with
                               TK_ECANCELED. May be NULL */
    void *stop_ctx;
    void (*note)(void *ctx, const char *text); /* called with notes for the user, such as that a capture
                                                  has changed. May be NULL */
    void *note_ctx;
    uint64_t memory;       /* bytes of rows that joins keep in memory, the rest goes to disk; 0: 512 MB */
    bool nothing_pushed;   /* SQLite evaluates all conditions itself: same rows, slower. For tests */
    uint64_t longest_text; /* bytes; a longer text is an error of its statement. Less than 256 MB, the most,
                              which 0 is: `stop` is also reached while functions work on long texts */
};

/* Opens nothing yet; options may be NULL. Free with tk_sql_free. TK_OK, TK_EUSAGE, TK_ENOMEM. */
TK_API int tk_sql_new(struct tk_sql **out, const struct tk_sql_options *options, struct tk_err *err);

/*
 * Adds a capture or a baseline file, before the first statement. It is opened when a statement reads it.
 * Those without a schema share their tables, which have the columns capture_id and capture. One with a schema
 * has its own tables (a.timers). TK_OK; TK_EUSAGE (after a statement, or the name is taken, or too many);
 * TK_ENOMEM.
 */
TK_API int tk_sql_add(struct tk_sql *sql, const char *path, const char *schema, struct tk_err *err);

/* Adds a capture that is open under a name, likewise; nothing else may be done with it while a statement
 * runs, and it is closed after tk_sql_free. As tk_sql_add. */
TK_API int tk_sql_add_open(struct tk_sql *sql, struct tk_trace *trace, const char *name, struct tk_err *err);

/*
 * Reads what these statements will, as few times as their selections allow, and keeps the rows, so that
 * tk_sql_run answers them without reading. What is wrong with a statement is reported when it runs. TK_OK,
 * TK_ENOMEM, TK_ECANCELED, or as tk_open.
 */
TK_API int tk_sql_read_ahead(struct tk_sql *sql, const char *const *statements, size_t n, struct tk_err *err);

/*
 * Answers the read-only statements of a text. The rows of each form a table named result, result_2 and so on.
 * TK_OK; TK_EUSAGE (invalid SQL: the causes have the position and the nearest names), TK_EMATCH (an argument
 * of a table matches nothing), TK_EOUTPUT (no space on disk for temporary rows), TK_ECANCELED, or as tk_open,
 * tk_query_run and the sink.
 */
TK_API int tk_sql_run(struct tk_sql *sql, const char *text, const struct tk_sink *sink, struct tk_err *err);

/* The same with the rows in *out, a table for each statement; free with tk_result_free. */
TK_API int tk_sql_result(struct tk_result **out, struct tk_sql *sql, const char *text, struct tk_err *err);

/* How many statements of a text have rows. Literals, names and comments may hold a ';'. *ended: the last one
 * is complete, as a ';' follows it. */
TK_API size_t tk_sql_statements(const char *text, bool *ended);

/* Sends the query plan of each statement instead, and reads nothing. As tk_sql_run. */
TK_API int tk_sql_plan(struct tk_sql *sql, const char *text, const struct tk_sink *sink, struct tk_err *err);

/* How often captures were read by all statements so far. */
TK_API uint64_t tk_sql_readings(const struct tk_sql *sql);

/* The state of source i, from 0: its path (NULL after the last one), whether damage was found, whether a
 * limit left something out, whether events were lost, and the capture if it is open (may be NULL; use it only
 * for its health). Arguments that are not needed may be NULL. */
TK_API const char *tk_sql_source(const struct tk_sql *sql, size_t i, bool *damaged, bool *partial,
                                 bool *lossy, struct tk_trace **trace);

/* Predefined questions, by number; NULL after the last one. Static. */
struct tk_sql_question_text {
    const char *name, *help, *sql;
};
TK_API const struct tk_sql_question_text *tk_sql_question(size_t i);

/* NULL is allowed. */
TK_API void tk_sql_free(struct tk_sql *sql);

#ifdef __cplusplus
}
#endif

#endif
