/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_SQL_SQL_IN_H
#define TK_SQL_SQL_IN_H

#include "base/arena.h"
#include "sql/tables/connection.h"
#include "table/cell.h"
#include "tracekit/tables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What statements may do: read. Nothing is attached, written, loaded or set.
 */

/* From now on. */
void tk_sql_authorize(struct tk_sql_connection *c);

/*
 * Functions of SQL alongside those of SQLite: durations for people, percentiles, the overlap of two
 * intervals, hashes of texts, and the ones of Perfetto that convert times.
 */

/* SQLITE_OK or what failed. */
int tk_sql_functions_register(sqlite3 *db);

/* Aggregates: percentile, median and quantiles, variance, deviation, covariance, correlation and the line
 * through points, mode, values at extremes, and conditions. NULL and texts are left out of what takes
 * numbers. SQLITE_OK or what failed. */
int tk_sql_statistics_register(sqlite3 *db);

/* Tables ancestor_slice(id) and descendant_slice(id) over the view `slice`, and the function extract_arg(set,
 * key) over `args`. SQLITE_OK or what failed. */
int tk_sql_perfetto_register(sqlite3 *db);

/*
 * The plan of a statement in words: which tables are read, with which selection, and what SQLite does with
 * the rows. For --plan.
 */

/* Hands on the rows of EXPLAIN QUERY PLAN as a table `plan`: number of the step, and what it does. TK_OK or
 * what failed; SQLite's errors stay with the statement, whose last status is left in `code`. */
int tk_sql_plan_text(sqlite3_stmt *stmt, unsigned number, const struct tk_sink *sink, int *code,
                     struct tk_err *err);

/*
 * Cells of results, and the kinds of columns that only their values tell.
 */

/* Column i of the row that a statement is at, as a cell of a column of this kind (enum tk_kind; TK_NONE: not
 * known yet). Texts are copied to the arena. TK_OK, TK_ENOMEM. */
int tk_sql_result_cell(struct tk_cell *cell, struct tk_arena *texts, sqlite3_stmt *stmt, int i, uint8_t kind);

/* The kind of a column whose first n cells are cells[0], cells[stride], ...; all of them were made with
 * `known`. Where that is TK_NONE the values decide the kind: bytes among texts become texts, an integer among
 * reals stays one, and NULLs alone count as texts. of_function: known is that of the column a function is of,
 * whose mean may have a fraction. */
enum tk_kind tk_sql_result_kind(struct tk_cell *cells, size_t n, size_t stride, enum tk_kind known,
                                bool of_function);

/* Is one of the cells more than NULL? */
bool tk_sql_result_says(const struct tk_cell *cells, size_t n, size_t stride);

/*
 * Kinds of columns that SQLite does not tell: those of sums, means, extremes and percentiles of a column are
 * its own.
 */

/* Sets kind and unit of the result columns of a statement whose kind is TK_NONE to those of the columns that
 * they are made of, by sums, products with numbers and functions such as max, where that is a time, a
 * duration or bytes. sql[0..n) is the statement; it is prepared again with columns in place of formulas, and
 * not run. Where that cannot be done nothing is set. Where the SELECTs of a compound differ, columns have no
 * unit. */
void tk_sql_result_kinds(struct tk_sql_connection *c, const char *sql, size_t n, struct tk_column *columns,
                         int n_columns);

/* Is it several SELECTs, as UNION makes, or part of it? */
bool tk_sql_is_compound(const char *sql, size_t n);

/* The statement with one SELECT of each compound, the `keep`th from 0 or its last one. *most: how many the
 * largest has. Owned by SQLite; NULL: out of memory. */
char *tk_sql_keep_select(sqlite3 *db, const char *sql, size_t n, unsigned keep, unsigned *most);

/* The statement behind a WITH of the views and temporary tables that are there, those of the library where
 * one is named. Owned by SQLite; NULL: there are none, or out of memory. */
char *tk_sql_with_views(struct tk_sql_connection *c, const char *sql, size_t n);

/* Notes what a statement that was run made or dropped: a temporary table is as the SELECT that it was made
 * of. TK_OK or TK_ENOMEM. */
int tk_sql_result_note(struct tk_sql_connection *c, const char *sql, size_t n, struct tk_err *err);

/*
 * Functions of SQLite that compare each place of one text with all of another one. These take the sum of the
 * lengths, where SQLite's own take their product: no statement can be ended inside a function.
 */

/* instr, replace, trim, ltrim and rtrim, with the results of SQLite's. SQLITE_OK or what failed. */
int tk_sql_search_functions_register(sqlite3 *db);

/*
 * What people are used to elsewhere, and what is written here instead.
 */

/* Says what is written instead of a word of n bytes: the name of a table ('t') or function ('f'), or a word
 * of a statement ('s'). false: it is no such habit. */
bool tk_sql_habits_put(char where, const char *word, size_t n, char *out, size_t capacity);

/*
 * Statements: their rows as a table for a sink, and what is wrong with them in words.
 */

/* Answers all statements of a text, each with rows as a table `result`, `result_2`, ... plan: what each
 * would read, as `plan`, instead. TK_OK or what failed. */
int tk_sql_statement_run(struct tk_sql_connection *c, const char *text, bool plan, const struct tk_sink *sink,
                         struct tk_err *err);

/* Says what SQLite found wrong: where in the text, and which names are near. */
int tk_sql_statement_fail(struct tk_sql_connection *c, const char *text, const char *at, struct tk_err *err);

/*
 * Tokens of SQL as SQLite has them: a word, a text in quotes, a name in quotes or brackets, or one character.
 */

bool tk_sql_is_word(char c);

/* Behind spaces and comments. */
const char *tk_sql_skip_space(const char *p, const char *end);

/* The end of the token that begins at p < end. */
const char *tk_sql_token_end(const char *p, const char *end);

/* A place in a statement, and the token that begins there: a word, a text in quotes, a number, or one
 * character. */
struct tk_sql_token {
    const char *p, *end; /* p == the end of the statement: there is none */
    size_t depth;        /* how many parentheses are open in front of it */
};

/* The token at p or behind the spaces there. */
struct tk_sql_token tk_sql_token_at(const char *p, const char *end, size_t depth);

/* The one that follows. */
struct tk_sql_token tk_sql_token_next(const struct tk_sql_token *t, const char *end);

/* Is it this word, in capitals or not, or one of these? */
bool tk_sql_token_says(const struct tk_sql_token *t, const char *word);
bool tk_sql_token_says_one_of(const struct tk_sql_token *t, const char *const *words, size_t n);

/*
 * What a column of a result is made of: columns of tables, numbers, and what is done with them.
 */

enum { TK_SQL_FORMULA_STEPS = 24, TK_SQL_FORMULA_COLUMNS = 4 };

struct tk_sql_formula {
    uint8_t steps[TK_SQL_FORMULA_STEPS];
    struct tk_sql_token columns[TK_SQL_FORMULA_COLUMNS]; /* their names */
    unsigned n, n_columns, depth;
    bool negates; /* something in it has a minus in front */
    bool failed;  /* it is no such formula */
};

/* The formula of the column that begins at t. Returns what follows it, or t where it is none. */
struct tk_sql_token tk_sql_formula_parse(struct tk_sql_formula *f, struct tk_sql_token t, const char *end);

/* What is counted in a column of this kind and unit: TK_TIME, TK_DURATION, TK_SIZE, of which a difference may
 * be below 0, TK_INT for numbers without a unit, TK_NONE where that is not known. */
enum tk_kind tk_sql_formula_counted(enum tk_kind kind, const char *unit);

/* The same of the formula, by those of its columns. */
enum tk_kind tk_sql_formula_kind(const struct tk_sql_formula *f,
                                 const enum tk_kind kinds[TK_SQL_FORMULA_COLUMNS]);

/* Is it of numbers that stand in the statement alone? */
bool tk_sql_formula_is_written(const struct tk_sql_formula *f);

/* May it be below 0 where its columns are not? */
bool tk_sql_formula_subtracts(const struct tk_sql_formula *f);

#endif
