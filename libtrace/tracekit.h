/*
 * tracekit.h: reads saved performance captures (Unreal Engine .utrace, Tracy .tracy and others) without
 * engine or viewer.
 *
 * This header is the manual, and includes its chapters, the headers in tracekit/. Each chapter begins with
 * how its functions are used together. The comment above a function describes its arguments, results, errors
 * and lifetimes.
 *
 *   1 versions                errors.h   which library this is
 *   2 errors                  errors.h   what functions return, and why something failed
 *   3 texts and values        values.h   what cells of tables hold
 *   4 captures                captures.h tk_open, tk_close, and what the file is
 *   5 tables                  tables.h   what can be requested, and how rows are delivered
 *   6 queries                 queries.h  tk_query_run: rows are sent to a sink
 *   7 cursors                 sinks.h    tk_cursor_next: rows are fetched one batch at a time
 *   8 results                 sinks.h    keep rows, sort and shorten them, read them in any order
 *   9 writers                 sinks.h    rows as CSV, TSV, JSON, NDJSON, Markdown, aligned text
 *  10 exports                 exports.h  a whole capture as a file for another tool
 *  11 baselines, comparisons  runs.h     did it get slower, or is it noise
 *  12 trends                  trends.h   what changed in a history of runs, and when
 *  13 budgets                 runs.h     does it meet its limits
 *  14 names and limits        captures.h did you mean
 *  15 columns                 exports.h  rows by column, in the Arrow C data interface
 *  16 pages                   pages.h    one HTML file about captures, for people to read
 *  17 edits                   edits.h    valid captures: cut, filtered, anonymised, repaired, merged
 *  18 SQL                     sql.h      SQLite queries over captures; nothing is imported
 *  19 agents                  agents.h   answers for AI assistants, through the Model Context Protocol
 *  20 views                   views.h    captures in a browser, from a server on this machine
 *  21 rules                   rules.h    what may be wrong in a capture: found with evidence, ruled out, not judged
 *  22 cells                   cells.h    frames by the cell of the level that they were drawn in
 *  23 metrics                 metrics.h  figures that a user defines, with the verdicts of built-in ones
 *  24 nights                  nights.h   runs as the rows of one table, and the causes of their hitches
 *
 * Chapters 1 to 9 and 14 are the stable half: from 1.0 on their content is kept in all versions with the same
 * MAJOR, so other languages can bind it. Chapters 10 to 13 and 15 to 24 are experimental and may change with
 * each MINOR. If TK_STABLE_ONLY is defined, this header declares the stable half only.
 *
 * A complete program, which prints the total time of each timer:
 *
 *     #include <inttypes.h>
 *     #include <tracekit.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         static const char *const tables[] = {"timers"}, *const columns[] = {"timer", "incl"};
 *         struct tk_query query = TK_INIT(struct tk_query);
 *         struct tk_trace *trace = NULL;
 *         struct tk_cursor *cursor = NULL;
 *         const struct tk_table *table;
 *         struct tk_rows rows;
 *         struct tk_err err = {0};
 *         query.tables = tables;
 *         query.n_tables = 1;
 *         query.columns = columns;
 *         query.n_columns = 2;
 *         int rc = argc > 1 ? tk_open(&trace, argv[1], NULL, &err) : TK_EUSAGE;
 *         if (rc == TK_OK)
 *             rc = tk_cursor_open(&cursor, trace, &query, &err);
 *         while (rc >= TK_OK && (rc = tk_cursor_next(cursor, &table, &rows, &err)) == TK_ITEM)
 *             for (size_t i = 0; i < rows.n; i++) {
 *                 const struct tk_cell *row = rows.cells + i * table->n_columns;
 *                 printf("%.*s %" PRId64 " ns\n", (int)row[0].n, (const char *)row[0].v.p, row[1].v.i);
 *             }
 *         if (rc < TK_OK)
 *             fprintf(stderr, "%s\n", tk_err_text(&err, rc));
 *         tk_cursor_close(cursor);
 *         tk_close(trace);
 *         return rc < TK_OK;
 *     }
 *
 *     cc program.c $(pkg-config --cflags --libs tracekit)
 *
 * Longer ones are in examples/ of the sources, and next to the installed documentation.
 *
 * Rules that hold everywhere:
 *   - Functions that can fail return TK_OK (0), TK_ITEM (1), or a negative enum tk_status; causes go to the
 *     caller's struct tk_err, which may be NULL. NULL for a needed pointer: TK_EUSAGE, or NULL, 0, false.
 *   - The library never exits, prints or aborts. Running out of memory is an error like any other.
 *   - A damaged capture is not a failure: everything readable is read, and tk_health() and the table
 *     `health` say what is wrong and where. Only with tk_options.strict is it TK_EDAMAGE.
 *   - Objects created by tk_..._new, _open, tk_budgets_load or tk_compare are freed by their tk_..._free
 *     or _close, which accept NULL. If the creation fails, *out is NULL. All other pointers are borrowed; the
 *     comment says for how long.
 *   - Texts are bytes with an encoding and are not NUL-terminated unless stated.
 *   - Structs that callers fill begin with `size`: TK_INIT(struct tk_query) sets it and zeroes the rest,
 *     and zero is the default of every field. A program can therefore run with a newer library whose
 *     struct has more fields. A size of 0, as without TK_INIT, is TK_EUSAGE.
 *   - The same capture and the same question give the same rows in the same order, for every number of
 *     threads.
 *
 * Threads: any thread may use any object, but only one thread at a time may use a given object. Different
 * captures, results, baselines and so on can be used at the same time. A capture has tk_options.jobs - 1
 * worker threads, which block all signals of the program. Sinks and tk_options.progress are called on the
 * thread that called the library; tk_cursor_next() calls them on a thread of its own while the caller waits.
 * There is no global state except the SIGBUS handler of tk_options.map, which is installed while such
 * captures are open.
 */
#ifndef TRACEKIT_H
#define TRACEKIT_H

#include "tracekit/captures.h"
#include "tracekit/errors.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"
#include "tracekit/tables.h"
#include "tracekit/values.h"

#include <stdio.h>

#ifndef TK_STABLE_ONLY
#include "tracekit/agents.h"
#include "tracekit/cells.h"
#include "tracekit/edits.h"
#include "tracekit/exports.h"
#include "tracekit/metrics.h"
#include "tracekit/nights.h"
#include "tracekit/pages.h"
#include "tracekit/rules.h"
#include "tracekit/runs.h"
#include "tracekit/sql.h"
#include "tracekit/trends.h"
#include "tracekit/views.h"
#endif

#endif
