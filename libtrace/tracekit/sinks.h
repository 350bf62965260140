/*
 * A chapter of tracekit.h: rows on request, kept, and written.
 */
#ifndef TRACEKIT_SINKS_H
#define TRACEKIT_SINKS_H

#include "tables.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_query;
struct tk_trace;

/* ---- 7 cursors: rows on request ----
 *
 * The same query without a callback. It is answered on a thread that works only while tk_cursor_next() waits
 * for it, so nothing runs ahead, nothing is copied, and a cursor can be closed at any time.
 *
 *     rc = tk_cursor_open(&cursor, trace, &query, &err);
 *     while (rc >= TK_OK && (rc = tk_cursor_next(cursor, &table, &rows, &err)) == TK_ITEM)
 *         ...
 *     tk_cursor_close(cursor);
 */

struct tk_cursor;

/*
 * Begins to answer a query. The query and all it points to must not change until tk_cursor_close(), and the
 * capture must not be used for anything else. TK_OK or TK_ENOMEM; errors in the query are reported by
 * tk_cursor_next().
 */
TK_API int tk_cursor_open(struct tk_cursor **out, struct tk_trace *trace, const struct tk_query *query,
                          struct tk_err *err);

/*
 * The next rows, valid until the next call or the end of the cursor, and their table. TK_ITEM; TK_OK after
 * the last row; or as tk_query_run. Tables without rows are skipped.
 */
TK_API int tk_cursor_next(struct tk_cursor *cursor, const struct tk_table **table, struct tk_rows *rows,
                          struct tk_err *err);

/* Ends the query, even before the last row. NULL is allowed. */
TK_API void tk_cursor_close(struct tk_cursor *cursor);

/* ---- 8 results: a sink that keeps ----
 *
 * For rows that are sorted, shortened, or read in any order. All rows are held in memory.
 *
 *     tk_result_new(&result, &err);
 *     struct tk_sink sink = tk_result_sink(result);
 *     rc = tk_query_run(trace, &query, &sink, &err);
 *     if (rc >= 0)
 *         rc = tk_result_sort(result, 0, "excl", true, &err);
 *     tk_result_top(result, 0, 10);
 *     const struct tk_table *table = tk_result_table(result, 0, &n);
 *     for (size_t i = 0; i < n; i++)
 *         use(table, tk_result_row(result, 0, i));
 *     tk_result_free(result);
 */

struct tk_result;

/* Creates an empty result; free with tk_result_free. TK_OK or TK_ENOMEM. */
TK_API int tk_result_new(struct tk_result **out, struct tk_err *err);

/* Creates a result and answers a query into it. As tk_query_run; *out is NULL on failure. */
TK_API int tk_result_query(struct tk_result **out, struct tk_trace *trace, const struct tk_query *query,
                           struct tk_err *err);

/* The sink that fills the result, valid as long as it. Everything that cells point to is copied, including
 * records. */
TK_API struct tk_sink tk_result_sink(struct tk_result *result);

/* Packs rows from the first one on, for results that are only sorted, shortened and sent on: they take a
 * quarter of the memory or less. tk_result_row and tk_result_cell then return NULL, and tk_result_columns
 * TK_EUSAGE. Does nothing if the result has a table already. */
TK_API void tk_result_pack(struct tk_result *result);

/* The number of tables, and table number i from 0 (valid as long as the result); n_rows may be NULL. */
TK_API size_t tk_result_count(const struct tk_result *result);
TK_API const struct tk_table *tk_result_table(const struct tk_result *result, size_t table, size_t *n_rows);

/* The cells of a row (borrowed until the result is sorted or freed). */
TK_API const struct tk_cell *tk_result_row(const struct tk_result *result, size_t table, size_t row);

/* One cell of a row (likewise), or NULL if there is no such table, row or column. */
TK_API const struct tk_cell *tk_result_cell(const struct tk_result *result, size_t table, size_t row,
                                            size_t column);

/* Sorts stably by a column, which becomes the sort_by of the table. TK_OK; TK_EMATCH if there is no such
 * column; TK_ENOMEM. Empty cells come last in both directions. */
TK_API int tk_result_sort(struct tk_result *result, size_t table, const char *column, bool descending,
                          struct tk_err *err);

/* Keeps the rows that meet the conditions of a query (its `where`; of its other fields only `filtered` is
 * used). TK_OK; TK_EMATCH for a column that none of the tables has; TK_EUSAGE for an invalid condition;
 * TK_ENOMEM. */
TK_API int tk_result_where(struct tk_result *result, const struct tk_query *query, struct tk_err *err);

/* Keeps the first n rows. */
TK_API void tk_result_top(struct tk_result *result, size_t table, size_t n);

/* Puts rows with equal cells in these columns together, and keeps the first n of each such group. Groups are
 * in the order of their first rows, and the rows of a group stay in their order. TK_OK; TK_EMATCH if there is
 * no such column; TK_ENOMEM. */
TK_API int tk_result_group(struct tk_result *result, size_t table, const char *const *columns,
                           size_t n_columns, size_t n, struct tk_err *err);

/* Sends all tables to another sink, in order. TK_OK, TK_ENOMEM or what a hook returned. */
TK_API int tk_result_replay(const struct tk_result *result, const struct tk_sink *sink, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_result_free(struct tk_result *result);

/* ---- 9 writers: sinks that write ----
 *
 *     rc = tk_output_open(&out, "timers.csv", false, &err);
 *     if (rc == TK_OK)
 *         rc = tk_writer_new(&writer, "csv", out, NULL, &err);
 *     ...
 *     struct tk_sink sink = tk_writer_sink(writer);
 *     rc = tk_query_run(trace, &query, &sink, &err);
 *     if (rc == TK_OK)
 *         rc = tk_writer_finish(writer, &err);
 *     tk_writer_free(writer);
 *     if (rc == TK_OK)
 *         rc = tk_output_commit(out, &err);    now the file exists
 *     else
 *         tk_output_discard(out);              no file remains
 */

struct tk_output;

/*
 * An output: path "-" is standard output (not closed). A file is written under a temporary name and
 * renamed by tk_output_commit; without that call no file remains. Files whose name ends in .gz, .zst or .lz4
 * are compressed. An existing file is replaced only with `force`; of a symbolic link the link is replaced,
 * not the file that it leads to. TK_OK, TK_EOUTPUT, TK_ENOMEM.
 */
TK_API int tk_output_open(struct tk_output **out, const char *path, bool force, struct tk_err *err);

/* From now on `stop` is called before each write to the system; if it returns non-zero, the write fails with
 * TK_ECANCELED. */
TK_API void tk_output_stop(struct tk_output *out, int (*stop)(void *ctx), void *ctx);

/* From now on control characters of terminals are escaped, also in formats for programs. */
TK_API void tk_output_escape(struct tk_output *out);

/* Appends bytes; TK_OK, TK_EOUTPUT, TK_EPIPE or TK_ECANCELED. The last tenth of the free space of a disk
 * is never used: TK_EOUTPUT. */
TK_API int tk_output_write(struct tk_output *out, const void *p, size_t n, struct tk_err *err);

/* Flushes, gives the file its final name, and frees the output. TK_OK, TK_EOUTPUT or TK_EPIPE. */
TK_API int tk_output_commit(struct tk_output *out, struct tk_err *err);

/* Discards what was written and frees the output. NULL is allowed. */
TK_API void tk_output_discard(struct tk_output *out);

/*
 * Files that get their names together, all of them or none. They are written in a folder of their own in
 * that of `alongside`, or of the first file (NULL), and few of them are open at a time. TK_OK or TK_ENOMEM.
 */
struct tk_output_set;
TK_API int tk_output_set_new(struct tk_output_set **set, const char *alongside, struct tk_err *err);

/* As tk_output_open, for a file of a set (borrowed). tk_output_commit then completes the file, and the set
 * gives it its name. */
TK_API int tk_output_set_open(struct tk_output **out, struct tk_output_set *set, const char *path, bool force,
                              struct tk_err *err);

/* Gives all files their names, that of the first one last: who waits for it finds the others. What was there
 * before is put back when one fails. All are committed or discarded before. Frees. TK_OK, TK_EOUTPUT or
 * TK_ENOMEM. */
TK_API int tk_output_set_commit(struct tk_output_set *set, struct tk_err *err);

/* Throws away what is committed, and frees. NULL is allowed. */
TK_API void tk_output_set_discard(struct tk_output_set *set);

struct tk_writer_options {
    size_t size;
    unsigned width;   /* `table`: columns of the terminal; 0: as wide as needed */
    bool colour;      /* `table` */
    bool exact;       /* `table`: numbers in full instead of human units */
    bool plain_ascii; /* `table`: no characters outside ASCII */
    bool no_header;   /* csv, tsv */
    bool crlf;        /* csv, tsv */
    bool bom;         /* csv, tsv */
    bool guard;       /* csv, tsv: keep spreadsheets from treating texts as formulas */
    bool tagged;      /* ndjson: each row begins with the name of its table */
    bool fit;         /* `table`: leave out columns that do not fit the width, and name them below the rows */
    const char *compress; /* parquet, arrow, arrows: "zstd" or "none"; NULL: parquet "zstd", else "none" */
    bool as_they_come;  /* parquet: keep the order of rows; otherwise scopes are sorted by thread and start in
                           each row group */
    const char *source; /* parquet, arrow, arrows: name of the capture, for the metadata; NULL: none */
    /* Called when a table ends, for each column with values that its type cannot represent, as
       tk_writer_lost counts them. NULL: nothing is called. */
    void (*lost)(void *ctx, const char *table, const char *column, uint64_t values);
    void *ctx;
};

struct tk_writer;

/*
 * The formats: "table" (aligned), "plot" (drawn), "text" (one line per row, in order of arrival), "csv",
 * "tsv", "json", "ndjson", "markdown"; for one table "parquet", "arrow" (the IPC file; to a pipe the stream),
 * "arrows" (the stream). Those three are binary, and their times are nanoseconds or cycles. NULL-terminated,
 * static.
 */
TK_API const char *const *tk_writer_formats(void);

/* Creates a sink that writes a format to an output (borrowed); opt may be NULL. TK_OK; TK_EMATCH for an
 * unknown format; TK_ENOMEM. Free with tk_writer_free. */
TK_API int tk_writer_new(struct tk_writer **writer, const char *format, struct tk_output *out,
                         const struct tk_writer_options *opt, struct tk_err *err);

/* The sink of the writer, valid as long as it. */
TK_API struct tk_sink tk_writer_sink(struct tk_writer *writer);

/* Writes the end of the document, after the last table. TK_OK, TK_EOUTPUT, TK_EPIPE or TK_ENOMEM. */
TK_API int tk_writer_finish(struct tk_writer *writer, struct tk_err *err);

/* How many values of a column (by its index in the last table) the column type in parquet, arrow or arrows
 * cannot represent: they are null there. 0 in all other formats. */
TK_API uint64_t tk_writer_lost(const struct tk_writer *writer, size_t column);

/* How many whole numbers of a column, counted as there, are beyond 2^53 in a column of reals of parquet,
 * arrow or arrows, and have lost digits: the nearest real stands there. 0 in all other formats. */
TK_API uint64_t tk_writer_rounded(const struct tk_writer *writer, size_t column);

/* Frees the writer, but not its output. NULL is allowed. */
TK_API void tk_writer_free(struct tk_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
