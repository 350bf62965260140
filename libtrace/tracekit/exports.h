/*
 * A chapter of tracekit.h: captures as files of other tools, and rows by column.
 */
#ifndef TRACEKIT_EXPORTS_H
#define TRACEKIT_EXPORTS_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_query;
struct tk_result;
struct tk_rows;
struct tk_run_info;
struct tk_table;
struct tk_trace;
struct tk_writer_options;

/* ---- 10 exports: captures as files that other tools read ----
 *
 *     struct tk_export_options options = TK_INIT(struct tk_export_options);
 *     struct tk_query query = TK_INIT(struct tk_query);
 *     options.format = "sqlite";
 *     options.path = "game.db";
 *     rc = tk_export_run(trace, &query, &options, &err);
 */

/* Options of the presets of zones (`tracy`). */
struct tk_export_zones {
    size_t size;
    bool self;               /* exclusive time */
    bool unwrap;             /* a row for each zone */
    bool raw;                /* quote nothing; numbers and texts as the other tool writes them */
    bool match_case;         /* of the filter */
    const char *filter;      /* only zones whose name contains this; NULL: all */
    const char *separator;   /* between cells; NULL: a comma */
    unsigned truncated_mean; /* percentile, 1 to 99, of two more columns; 0: none */
};

struct tk_export_options {
    size_t size;
    const char *format; /* one of tk_export_formats() */
    const char *path;   /* "-": standard output; a folder for several tables as csv, tsv, parquet or
                           arrow, and for pictures */
    bool force;         /* replace an existing output */
    const struct tk_writer_options *writer; /* csv, tsv, ndjson, parquet, arrow, arrows; may be NULL */
    bool args;                              /* chrome, perfetto: texts and source locations of items */
    bool per_thread;                        /* folded, pprof: keep threads separate */
    const char *weight;    /* folded, flamegraph: "time" (own, also for NULL), "count", "bytes", "samples";
                              pprof: NULL or "samples" */
    bool index;            /* sqlite: indexes for time, threads and timers */
    bool append;           /* sqlite: add to an existing database */
    const char *name;      /* of the capture: sqlite, presets; NULL: none */
    const char *spool_dir; /* for temporary files; NULL: TMPDIR or /tmp */
    const char *preset;    /* one of tk_export_presets(), whose tables the query names; NULL: none. The format
                              is then NULL, "csv" or "tsv" */
    const struct tk_export_zones *zones; /* presets of zones; may be NULL */
    const char *const *counters;         /* presets: patterns for names of counters */
    size_t n_counters;
    size_t top;           /* presets: rows of tables of sums; 0: all */
    const char *sort;     /* tables: "start": scopes in order of start; NULL: as they come */
    uint64_t split_bytes; /* chrome: several files of about so many bytes, numbered; 0: one */
    int64_t split_ns;     /* chrome: several files of so many nanoseconds each, numbered; 0: one */
    /* Called after the output is complete, for each table with rows that the format cannot hold (see
       TK_TABLE_EACH). NULL: such rows are neither counted nor read. */
    void (*left_out)(void *ctx, const char *table, uint64_t rows);
    /* Called when a table ends, for each column of doubles that whole numbers beyond 2^53 were rounded in.
       NULL: they are not counted. */
    void (*rounded)(void *ctx, const char *table, const char *column, uint64_t values);
    void *ctx;
    bool escape;                    /* csv, tsv, ndjson, folded, JSON to a terminal: as tk_output_escape */
    const struct tk_run_info *info; /* sqlite: facts about the run; NULL: none */
    bool strip_paths;               /* tksym: source files without their folders */
    bool *already; /* sqlite: set to true, with nothing added, if the database has the capture already; may
                      be NULL */
    const char
        *partition; /* parquet, arrow, arrows: the name of the capture. Tables go to TABLE/capture=NAME/
                       part-0.FORMAT in a folder that may hold those of others; NULL: TABLE.FORMAT */
    bool empty;     /* csv, tsv in a folder: also files of tables without rows */
};

struct tk_export_format {
    const char *name, *help;
    bool tables; /* writes the tables of the query, or all if it names none; otherwise pictures, or scopes,
                    counters and marks as a timeline, whatever the tables */
};

/* The export formats; the last one has no name. Static. */
TK_API const struct tk_export_format *tk_export_formats(void);

/* The exact layout of another tool's files. */
struct tk_export_preset {
    const char *name, *help;
    const char *const *tables; /* those that it has, NULL-terminated */
};

/* The presets, NULL-terminated. Static. */
TK_API const struct tk_export_preset *const *tk_export_presets(void);

/*
 * Writes what the query requests. Without tables, table formats get all tables except `events`, which repeats
 * the content of the others. TK_OK; TK_EMATCH (unknown format), TK_EUSAGE, TK_EOUTPUT, TK_EPIPE, or as
 * tk_query_run. A failed export leaves no output.
 */
TK_API int tk_export_run(struct tk_trace *trace, const struct tk_query *query,
                         const struct tk_export_options *options, struct tk_err *err);

/*
 * Several captures in one output of tables, one after another: each row begins with `capture`, the name, and
 * in tables with times `wall_clock`, when it begins, in nanoseconds since 1970 (empty where the capture does
 * not say when it was recorded). The views of a database have both behind their other columns. With
 * options.partition each capture is a part of the data set, by its own name.
 *
 *     rc = tk_export_join_open(&join, &query, &options, &err);
 *     while (rc == TK_OK && (trace = next(&name)))
 *         rc = tk_export_join_add(join, trace, name, &err);
 *     rc = tk_export_join_close(join, rc == TK_OK, &err);
 */
struct tk_export_join;

/* What query and options point to stays as it is until the end. TK_OK; TK_EUSAGE for formats without tables,
 * presets and cycles; TK_EOUTPUT; TK_ENOMEM. */
TK_API int tk_export_join_open(struct tk_export_join **out, const struct tk_query *query,
                               const struct tk_export_options *options, struct tk_err *err);

/* Adds a capture, which is used for nothing else meanwhile; name may be NULL. As tk_export_run; after a
 * failure there is nothing left to do but close. */
TK_API int tk_export_join_add(struct tk_export_join *join, struct tk_trace *trace, const char *name,
                              struct tk_err *err);

/* Completes the output, or with `keep` false leaves none, and frees; databases and data sets that others were
 * in before keep what was added. NULL is allowed. TK_OK, TK_EOUTPUT, TK_EPIPE, TK_ENOMEM; TK_ECANCELED if
 * nothing was added. */
TK_API int tk_export_join_close(struct tk_export_join *join, bool keep, struct tk_err *err);

/* The same with only these options: for languages that cannot use the layout of structs. query may be NULL:
 * everything. */
TK_API int tk_export_file(struct tk_trace *trace, const struct tk_query *query, const char *format,
                          const char *path, bool force, struct tk_err *err);

/*
 * Writes a comparison of two captures, `trace` next to `other`, in the layout of options.preset, which must
 * have one for that. Only the tables of the query are used. As tk_export_run.
 */
TK_API int tk_export_pair(struct tk_trace *trace, struct tk_trace *other, const struct tk_query *query,
                          const struct tk_export_options *options, struct tk_err *err);

/* ---- 15 columns ----
 *
 * Rows by column, in the C data interface of Apache Arrow
 * (https://arrow.apache.org/docs/format/CDataInterface.html), which pandas, Polars, DuckDB and others use
 * without copying. A table is a struct with a child for each column, which may hold nulls (TK_NONE):
 *
 *     TK_BOOL                        b   boolean
 *     TK_INT, TK_TIME, TK_DURATION       l   int64
 *     TK_UINT, TK_HEX, TK_SIZE       L   uint64
 *     TK_REAL32                      f   float
 *     TK_REAL, TK_MEAN               g   double
 *     TK_TEXT                        i   a dictionary of U, large UTF-8, each text once a batch; invalid
 *                                        bytes become U+FFFD
 *     TK_BYTES                       Z   large binary
 *     TK_ARRAY, TK_LIST, TK_RECORD   U   JSON, as the writer "json" writes it
 *
 * Times are nanoseconds, or cycles with TK_UNIT_CYCLES. A number that the type of its column cannot hold
 * becomes a null. The metadata of a field has the keys "tracekit.kind", "tracekit.unit" and "tracekit.help".
 *
 *     rc = tk_result_query(&result, trace, query, &err);
 *     if (rc == TK_OK)
 *         rc = tk_result_columns(result, 0, 0, &stream, &err);
 *     tk_result_free(result);
 *     ...                                 pass the stream on, or read it
 *     if (stream.release)
 *         stream.release(&stream);
 */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* The schema of a table, independent of it. The caller releases it. TK_OK, or TK_ENOMEM with out->release
 * NULL. */
TK_API int tk_table_schema(const struct tk_table *table, struct ArrowSchema *out, struct tk_err *err);

/* A copy of rows of a table, from tk_cursor_next() or in a sink. The caller releases it. TK_OK; TK_ENOMEM or
 * TK_ELIMIT (lists nested too deeply) with out->release NULL. */
TK_API int tk_rows_columns(const struct tk_table *table, const struct tk_rows *rows, struct ArrowArray *out,
                           struct tk_err *err);

/*
 * A copy of the rows of a table (from 0) of a result in their order, as a stream of batches of at most
 * `batch_rows` rows; 0: exactly one batch, even without rows. The stream is independent of the result, and
 * the caller releases it. As tk_rows_columns; TK_EUSAGE if there is no such table.
 */
TK_API int tk_result_columns(const struct tk_result *result, size_t table, size_t batch_rows,
                             struct ArrowArrayStream *out, struct tk_err *err);

#ifdef __cplusplus
}
#endif

#endif
