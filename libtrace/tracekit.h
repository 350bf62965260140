/*
 * tracekit.h: read saved performance captures (Unreal Engine .utrace, Tracy .tracy) without engine or viewer.
 *
 * The way through the library:
 *
 *   tk_open()        opens a capture (a path, or standard input) and finds out what it is
 *   tk_query_run()   answers questions: each answer is a table, streamed in rows to a sink
 *   tk_result_...    a sink that keeps the rows, to sort, cut and walk them
 *   tk_writer_...    sinks that write: CSV, TSV, JSON, NDJSON, Markdown, aligned text
 *   tk_close()
 *
 * Rules that hold everywhere:
 *   - Functions return TK_OK (0) or TK_ITEM (1) for success, a negative enum tk_status for failure. Failures
 * put their causes, innermost first, into the caller's struct tk_err (which may be NULL).
 *   - The library never exits, prints or aborts. A damaged capture is not a failure: all that can be read is
 *     read, and tk_health() and the table `health` say what is wrong and where.
 *   - Texts are bytes with an encoding and are not NUL-terminated unless said. Pointers handed out are
 * borrowed; the comment says for how long.
 *   - One struct tk_trace must not be used by two threads at one time; different ones may.
 *   - Structs that callers fill begin with `size`; set it to sizeof, zero the rest (TK_INIT does both).
 *
 * Version 0.x: nothing is promised before 1.0.
 */
#ifndef TRACEKIT_H
#define TRACEKIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(TK_API)
#define TK_API __attribute__((visibility("default")))
#elif !defined(TK_API)
#define TK_API
#endif

#define TK_VERSION_MAJOR 0
#define TK_VERSION_MINOR 1
#define TK_VERSION_PATCH 0
#define TK_VERSION       "0.1.0"

/* Version of the library that runs, "0.1.0". Static. */
TK_API const char *tk_version(void);

/* The versions of the libraries it runs with, "lz4 1.9.4, zstd 1.5.4, ...". Static. */
TK_API const char *tk_version_libraries(void);

/* Zero-initialises a struct that begins with `size`. */
#define TK_INIT(type) ((type){.size = sizeof(type)})

/* ---- errors ----------------------------------------------------------------------------------------------
 */

enum tk_status {
    TK_ITEM = 1,       /* there is one more */
    TK_OK = 0,         /* done, or there is no more */
    TK_EUSAGE = -1,    /* the request makes no sense */
    TK_EMATCH = -2,    /* a filter, table or column matches nothing */
    TK_EIO = -3,       /* the input cannot be read */
    TK_EFORMAT = -4,   /* the input is no capture, or one that cannot be read at all */
    TK_EOUTPUT = -5,   /* the output cannot be written */
    TK_EPIPE = -6,     /* whoever reads the output has gone */
    TK_ENOMEM = -7,    /* memory is out */
    TK_ELIMIT = -8,    /* a named limit does not allow it */
    TK_EDAMAGE = -9,   /* strict: the capture is damaged */
    TK_ECANCELED = -10 /* a callback asked to stop */
};

#define TK_ERR_CAUSES 6
#define TK_ERR_TEXT   384

/* A status and its causes, innermost first: lower case, no full stop, NUL-terminated. */
struct tk_err {
    int code;
    unsigned n;
    char text[TK_ERR_CAUSES][TK_ERR_TEXT];
};

#define TK_NO_OFFSET UINT64_MAX

/* ---- texts and values -------------------------------------------------------------------------------------
 */

enum tk_encoding {
    TK_ENC_UTF8 = 0,  /* valid UTF-8 */
    TK_ENC_BYTES = 1, /* 8-bit text that is not valid UTF-8 */
    TK_ENC_UTF16 = 2  /* UTF-16LE that is not valid */
};

/* A text: n bytes, not NUL-terminated. */
struct tk_str {
    const char *p;
    uint32_t n;
    uint8_t enc; /* enum tk_encoding */
};

enum tk_kind {
    TK_NONE = 0, /* no value here */
    TK_BOOL,     /* u */
    TK_INT,      /* i */
    TK_UINT,     /* u */
    TK_HEX,      /* u: an address, pointer or hash */
    TK_REAL32,   /* r, with single precision */
    TK_REAL,     /* r */
    TK_TIME,     /* i: a point in time, in the unit of the table */
    TK_SPAN,     /* i: a length of time, in the unit of the table */
    TK_MEAN,     /* r: a mean of lengths of time, in the unit of the table */
    TK_SIZE,     /* u: bytes */
    TK_TEXT,     /* p, n bytes, enc */
    TK_BYTES,    /* p, n bytes */
    TK_ARRAY,    /* p: n packed little-endian elements of kind `elem` and `width` bytes each, unaligned */
    TK_LIST,     /* p: n struct tk_cell */
    TK_RECORD    /* p: struct tk_record */
};

/* One value. What it points to lives as long as the rows it came in. */
struct tk_cell {
    uint8_t kind;  /* enum tk_kind */
    uint8_t enc;   /* TK_TEXT: enum tk_encoding */
    uint8_t elem;  /* TK_ARRAY: TK_INT, TK_UINT, TK_REAL32, TK_REAL, TK_BYTES (undefined numbers) */
    uint8_t width; /* TK_ARRAY: 1, 2, 4, 8; TK_INT, TK_UINT, TK_HEX: as in the capture, or 0 */
    uint32_t n;
    union {
        int64_t i;
        uint64_t u;
        double r;
        const void *p;
    } v;
};

struct tk_record;

/* What a record is: a name and its fields. Lives as long as the capture. */
struct tk_record_type {
    const char *name;          /* NUL-terminated */
    const struct tk_str *text; /* the same with its encoding; NULL when `name` says it all */
    uint32_t n_fields;
    const struct tk_str *fields; /* names */
    /* The value of a field; TK_NONE when it cannot be read. */
    void (*value)(const struct tk_record *rec, uint32_t field, struct tk_cell *out);
    const char *family; /* who understands it, NUL-terminated; NULL: nobody, it is only listed */
};

/* Named values. Borrowed like the rows it comes in. */
struct tk_record {
    const struct tk_record_type *type;
    const void *impl; /* the library's */
};

/* ---- captures ---------------------------------------------------------------------------------------------
 */

struct tk_trace;

struct tk_options {
    size_t size;
    bool map;      /* read headers through memory maps: faster, but installs a SIGBUS handler that keeps a
                      shrinking      file from killing the process (other SIGBUS go to the handler that was there)
                    */
    bool strict;   /* TK_EDAMAGE at the first damage */
    unsigned jobs; /* threads that work, the caller included; 0 for one */
    const char *const *limits; /* n_limits texts "name=value" */
    size_t n_limits;
    const char *spool_dir; /* for pipes and compressed input; NULL: TMPDIR or /tmp */
    /* Called now and then with bytes done and in all (0 when unknown); non-zero cancels. May be NULL. */
    int (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *progress_ctx;
};

/*
 * Opens a capture. path "-" is standard input. Pipes and compressed inputs (.zst, .lz4, .gz, told by their
 * bytes) are unpacked to an unlinked temporary file first. opt may be NULL. TK_OK, TK_EIO, TK_EFORMAT,
 * TK_ENOMEM, TK_ELIMIT, TK_EDAMAGE, TK_EUSAGE (unknown limit).
 */
TK_API int tk_open(struct tk_trace **out, const char *path, const struct tk_options *opt, struct tk_err *err);

/* Frees everything. NULL is allowed. */
TK_API void tk_close(struct tk_trace *trace);

/* Is there damage in what was read so far? (the exit status 4 of the commands) */
TK_API bool tk_damaged(const struct tk_trace *trace);

/* Does the capture end inside a packet or record? */
TK_API bool tk_truncated(const struct tk_trace *trace);

/* Was anything recorded at all: is there at least one event? */
TK_API bool tk_empty(const struct tk_trace *trace);

/* ---- tables -----------------------------------------------------------------------------------------------
 */

struct tk_column {
    const char *name;
    uint8_t kind;     /* enum tk_kind of its cells (which may be TK_NONE) */
    uint8_t flags;    /* TK_COL_... */
    const char *unit; /* "calls", "bytes", ... ; NULL where the kind says it; times take the table's */
    const char *help; /* one sentence */
};

#define TK_COL_EXTRA  1 /* not shown unless asked for */
#define TK_COL_GROUP  2 /* part of the key of the row (shown when grouping asks for it) */
#define TK_COL_LEAST  4 /* values are lower bounds: people see ">=" */
#define TK_COL_PEOPLE 8 /* with EXTRA: shown to people unasked */

enum tk_unit { TK_UNIT_NS = 0, TK_UNIT_CYCLES, TK_UNIT_US, TK_UNIT_MS, TK_UNIT_S };

/* A described stream of rows. */
struct tk_table {
    const char *name;
    const char *help;
    const struct tk_column *columns;
    uint32_t n_columns;
    uint32_t flags;      /* TK_TABLE_... */
    enum tk_unit unit;   /* of times: cells hold cycles (TK_UNIT_CYCLES) or nanoseconds (all others) */
    const char *sort_by; /* column by which people read it, or NULL for the order of the rows */
};

#define TK_TABLE_SINGLE 1 /* exactly one row: an object rather than a list */
#define TK_TABLE_ASKED  2 /* answers a question of the query; not among all tables of an export */
#define TK_TABLE_WHOLE  4 /* has all its columns, whatever columns the query names for the other table */

/* A batch of rows; borrowed by the sink during the call. cells is row after row, n_columns each. */
struct tk_rows {
    size_t n;
    const struct tk_cell *cells;
};

/* Where tables go. Hooks that are NULL are skipped. Each returns TK_OK or a negative status, which ends the
 * run. */
struct tk_sink {
    void *self;
    int (*begin)(void *self, const struct tk_table *table, struct tk_err *err);
    int (*rows)(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err);
    int (*end)(void *self, const struct tk_table *table, struct tk_err *err);
};

/* All tables there are: *n of them, static, units as by default. */
TK_API const struct tk_table *const *tk_tables(size_t *n);

/* The table of a name, or NULL. */
TK_API const struct tk_table *tk_table_find(const char *name);

/* Can this capture answer a query for the table of that name? Tables that describe files belong to one format
 * or several. */
TK_API bool tk_has_table(const struct tk_trace *trace, const char *name);

/* ---- queries ----------------------------------------------------------------------------------------------
 */

/* What part of the capture is asked about. Lists are of patterns; an exact name is tried before the pattern.
 */
struct tk_selection {
    bool has_from, has_to;
    int64_t from_ns, to_ns; /* since the start of the capture; [from, to) */
    bool has_frames;
    uint64_t first_frame, last_frame; /* game frames, both included */
    const char *from_bookmark, *to_bookmark; /* patterns: from the first bookmark that fits, until the next
                                                one that does; NULL: not asked */
    const char *const *regions, *const *threads, *const *timers, *const *events;
    size_t n_regions, n_threads, n_timers, n_events;
};

enum tk_order { TK_ORDER_FILE = 0, TK_ORDER_SERIAL, TK_ORDER_TIME };

/* What rows are for; tables that cannot tell it apart ignore it. The table `memory` is by all of them unless
 * something is asked for. */
#define TK_BY_THREAD    1u
#define TK_BY_TAG       2u
#define TK_BY_HEAP      4u
#define TK_BY_CALLSTACK 8u
#define TK_BY_SIZE      16u
#define TK_BY_ASSET     32u
/* Table `groups`: by one of these. */
#define TK_BY_CLASS      64u
#define TK_BY_FILE       128u
#define TK_BY_REGION     256u
#define TK_BY_FRAME_TYPE 512u
#define TK_BY_EXTRA      0x80000000u /* no grouping: where no columns are named, also those not shown unasked */

/* Which allocations the tables about memory show as alive. */
struct tk_memory_query {
    bool has_at;            /* alive at a moment; else at the end */
    bool has_window;        /* only those allocated in [from, to) */
    int64_t at_ns;          /* since the start of the capture */
    int64_t from_ns, to_ns; /* likewise */
};

/* Call trees: tables `tree`, `callers`, `callees`. */
struct tk_tree_query {
    const char *callers, *callees; /* pattern of timers whose callers or callees are asked for */
    unsigned depth;                /* most steps from the root; 0: all */
    double min_share; /* of the time of all roots: less is put together as (other); 0: nothing is */
};

/* Table `hitches`: game frames that took too long. */
struct tk_hitch_query {
    int64_t budget_ns; /* frames longer than this; 0: longer than `times` medians */
    double times;      /* 0: 2 */
    unsigned reasons;  /* most rows a frame; 0: 5 */
};

struct tk_query {
    size_t size;
    const char *const *tables; /* names; several are answered in one reading where that can be */
    size_t n_tables;
    const char *const *columns; /* of the only table; NULL: the usual ones */
    size_t n_columns;
    enum tk_unit unit;
    unsigned by;         /* TK_BY_... */
    enum tk_order order; /* of events */
    struct tk_selection select;
    struct tk_memory_query memory;
    bool clip;  /* table `scopes` and timelines: scopes are cut to what is selected */
    bool mixed; /* rows of several tables may come mixed, and tables in another order: fewer readings */
    struct tk_tree_query tree;
    struct tk_hitch_query hitches;
    const char *histogram;        /* pattern of the timers that the table `histogram` is of */
    const char *const *per_frame; /* patterns of the timers of the table `per_frame` */
    size_t n_per_frame;
    uint64_t slowest; /* rows of the table `slowest`; 0: 20 */
    const char *work; /* kinds of work, as in schemas/work.txt; NULL: those */
};

/*
 * Answers a query: for each table begin, rows..., end on the sink, one table after another in the order
 * asked. The struct tk_table given to the sink has just the columns asked for and lives until the call
 * returns. TK_OK; TK_EMATCH (unknown table or column, filter that matches nothing: the causes name the
 * nearest names); TK_EUSAGE, TK_EIO, TK_ENOMEM, TK_ELIMIT, TK_EDAMAGE (strict), or what a hook returned.
 */
TK_API int tk_query_run(struct tk_trace *trace, const struct tk_query *query, const struct tk_sink *sink,
                        struct tk_err *err);

/*
 * Sends the table `health` as far as the capture was read; reads nothing. TK_OK, TK_ENOMEM or what a hook
 * returned.
 */
TK_API int tk_health(struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err);

/* ---- results: a sink that keeps
 * ---------------------------------------------------------------------------- */

struct tk_result;

/* Creates an empty result; free with tk_result_free. */
TK_API int tk_result_new(struct tk_result **out, struct tk_err *err);

/* The sink that fills it. Copies all that cells point to; records are flattened to copies too. */
TK_API struct tk_sink tk_result_sink(struct tk_result *result);

/* Number of tables, and one of them (borrowed, as long as the result). */
TK_API size_t tk_result_count(const struct tk_result *result);
TK_API const struct tk_table *tk_result_table(const struct tk_result *result, size_t table, size_t *n_rows);

/* The cells of a row (borrowed until the result is sorted or freed). */
TK_API const struct tk_cell *tk_result_row(const struct tk_result *result, size_t table, size_t row);

/* Sorts stably by a column; TK_EMATCH when there is none of the name. Empty cells come last. */
TK_API int tk_result_sort(struct tk_result *result, size_t table, const char *column, bool descending,
                          struct tk_err *err);

/* Keeps the first n rows. */
TK_API void tk_result_top(struct tk_result *result, size_t table, size_t n);

/* Sends all tables to another sink, in order. */
TK_API int tk_result_replay(const struct tk_result *result, const struct tk_sink *sink, struct tk_err *err);

TK_API void tk_result_free(struct tk_result *result);

/* ---- writers: sinks that write
 * ----------------------------------------------------------------------------- */

struct tk_output;

/*
 * An output: path "-" is standard output (not closed). A file is written beside its final name and renamed by
 * tk_output_commit; without it nothing is left. An existing file is replaced only with `force`.
 * TK_OK, TK_EOUTPUT, TK_ENOMEM.
 */
TK_API int tk_output_open(struct tk_output **out, const char *path, bool force, struct tk_err *err);

/* Appends bytes; TK_OK, TK_EOUTPUT or TK_EPIPE. */
TK_API int tk_output_write(struct tk_output *out, const void *p, size_t n, struct tk_err *err);

/* Flushes and puts the file under its name. Frees. TK_OK, TK_EOUTPUT or TK_EPIPE. */
TK_API int tk_output_commit(struct tk_output *out, struct tk_err *err);

/* Throws away what was written and frees. NULL is allowed. */
TK_API void tk_output_discard(struct tk_output *out);

struct tk_writer_options {
    size_t size;
    unsigned width;   /* columns of the terminal for `table`; 0: as wide as needed */
    bool colour;      /* `table` */
    bool exact;       /* `table`: numbers in full instead of human units */
    bool plain_ascii; /* `table`: no characters outside ASCII */
    bool no_header;   /* csv, tsv */
    bool crlf;        /* csv, tsv */
    bool bom;         /* csv, tsv */
    bool guard;       /* csv, tsv: keep spreadsheets from taking texts for formulas */
    bool tagged;      /* ndjson: each row begins with the name of its table */
};

struct tk_writer;

/*
 * Formats there are: "table" (aligned), "text" (a line per row, as they come), "csv", "tsv", "json",
 * "ndjson", "markdown". NULL-terminated, static.
 */
TK_API const char *const *tk_writer_formats(void);

/* A sink of a format onto an output (borrowed). TK_EMATCH for an unknown format. opt may be NULL. */
TK_API int tk_writer_new(struct tk_writer **writer, const char *format, struct tk_output *out,
                         const struct tk_writer_options *opt, struct tk_err *err);
TK_API struct tk_sink tk_writer_sink(struct tk_writer *writer);

/* Writes what closes the document (after the last table). */
TK_API int tk_writer_finish(struct tk_writer *writer, struct tk_err *err);
TK_API void tk_writer_free(struct tk_writer *writer);

/* ---- exports: all of a capture to files that other tools read
 * ------------------------------------------------
 */

/* What presets of zones (`tracy`) can be told. */
struct tk_export_zones {
    size_t size;
    bool self;               /* own times */
    bool unwrap;             /* a row for each zone */
    bool raw;                /* nothing is quoted; numbers and texts as the other tool has them */
    bool match_case;         /* of the filter */
    const char *filter;      /* only zones with this in their names; NULL: all */
    const char *separator;   /* between cells; NULL: a comma */
    unsigned truncated_mean; /* percentile, 1 to 99, of two more columns; 0: none */
};

struct tk_export_options {
    size_t size;
    const char *format; /* one of tk_export_formats() */
    const char *path;   /* "-": standard output; a folder for several tables as csv or tsv, and for
                           pictures */
    bool force;         /* replace what is there */
    const struct tk_writer_options *writer; /* csv, tsv, ndjson; may be NULL */
    bool args;                              /* chrome, perfetto: the texts and places that belong to items */
    bool per_thread;                        /* folded, pprof: threads are kept apart */
    const char *weight;    /* folded: "time" (own time, also for NULL), "count" or "bytes" (allocated) */
    bool index;            /* sqlite: indexes for time, threads and timers */
    bool append;           /* sqlite: add to the database that is there */
    const char *name;      /* of the capture: sqlite, presets; NULL: none */
    const char *spool_dir; /* for what waits on its way out; NULL: TMPDIR or /tmp */
    const char *preset;    /* one of tk_export_presets(), whose tables the query names; NULL: none. The format
                              is then NULL, "csv" or "tsv" */
    const struct tk_export_zones *zones; /* presets of zones; may be NULL */
    const char *const *counters;         /* presets: patterns for names of counters */
    size_t n_counters;
    size_t top;           /* presets: rows of tables of sums; 0: all */
    const char *sort;     /* tables: "start": scopes in order of their begins; NULL: as they come */
    uint64_t split_bytes; /* chrome: several files of about so many bytes, numbered; 0: one */
    int64_t split_ns;     /* chrome: several files of so many nanoseconds each, numbered; 0: one */
};

struct tk_export_format {
    const char *name, *help;
    bool tables; /* takes the tables of the query, all that can be had where it names none; else pictures, or
                    scopes, counters and marks as a timeline, whatever the tables */
};

/* Formats there are; the last one has no name. Static. */
TK_API const struct tk_export_format *tk_export_formats(void);

/* The exact layout of another tool's files. */
struct tk_export_preset {
    const char *name, *help;
    const char *const *tables; /* what there is, NULL-terminated */
};

/*
 * Writes how two captures compare in the layout of a preset that has one for that: `trace` beside `other`.
 * options.preset says which; of the query the tables count. As tk_export_run.
 */
TK_API int tk_export_pair(struct tk_trace *trace, struct tk_trace *other, const struct tk_query *query,
                          const struct tk_export_options *options, struct tk_err *err);

/* Presets there are, NULL-terminated. Static. */
TK_API const struct tk_export_preset *const *tk_export_presets(void);

/*
 * Writes what the query asks for. Without a table, table formats get every table but `events`, which says
 * what the others say once more. TK_OK; TK_EMATCH (unknown format), TK_EUSAGE, TK_EOUTPUT, TK_EPIPE, or as
 * tk_query_run. Nothing is left of an export that failed.
 */
TK_API int tk_export_run(struct tk_trace *trace, const struct tk_query *query,
                         const struct tk_export_options *options, struct tk_err *err);

/* ---- baselines and comparisons
 * --------------------------------------------------------------------------- */

struct tk_baseline;
struct tk_comparison;

/* An empty baseline; free with tk_baseline_free. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_new(struct tk_baseline **out, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_baseline_free(struct tk_baseline *baseline);

/* How many runs there are in it. */
TK_API size_t tk_baseline_count(const struct tk_baseline *baseline);

/* Is the file a baseline, by its first bytes? Standard input ("-") is never taken for one. */
TK_API bool tk_baseline_is(const char *path);

/*
 * Adds all runs of a baseline file. TK_OK; TK_EFORMAT (a newer version, a wrong checksum, cut off); TK_EUSAGE
 * (a run that is there already); TK_EIO, TK_ENOMEM, TK_ELIMIT.
 */
TK_API int tk_baseline_load(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/*
 * Reads a capture and adds it as one run; select may be NULL. As tk_query_run; TK_EMATCH without game frames,
 * TK_EUSAGE when the run is there already.
 */
TK_API int tk_baseline_add(struct tk_baseline *baseline, struct tk_trace *trace,
                           const struct tk_selection *select, struct tk_err *err);

/* What is kept of runs by tk_baseline_restrict. */
struct tk_restriction {
    size_t size;
    const char *const *regions; /* patterns; without any: all */
    size_t n_regions;
    bool no_warmup; /* without the first frames: 64, or an eighth of the run where that is less */
};

/*
 * Cuts all runs of a baseline down. TK_OK; TK_EMATCH when a run does not hold what is asked (of a capture as
 * of a file: the warm-up, and the regions of 24 names); TK_EUSAGE, TK_ENOMEM. After a failure the baseline is
 * only to be freed.
 */
TK_API int tk_baseline_restrict(struct tk_baseline *baseline, const struct tk_restriction *what,
                                struct tk_err *err);

/* Writes the file; the same runs in the same order give the same bytes. */
TK_API int tk_baseline_save(const struct tk_baseline *baseline, struct tk_output *out, struct tk_err *err);

struct tk_compare_options {
    size_t size;
    double floor_ratio; /* changes below are none; 0: 0.02, or 0.05 of two single runs without noise */
    double floor_ms;    /* ms a frame; 0: 0.02 */
    double chance;      /* of a false alarm in a kind of things; 0: 0.01 */
    uint64_t warmup;    /* frames left out at the begin of each run, rounded up to whole blocks */
    const struct tk_baseline
        *noise; /* at least four runs of one build, for the spread of runs; may be NULL */
};

/*
 * Compares the runs of two baselines; opt may be NULL. Nothing of them is used afterwards. TK_OK; TK_EMATCH
 * (nothing to compare); TK_EUSAGE (too little noise); TK_ENOMEM.
 */
TK_API int tk_compare(struct tk_comparison **out, const struct tk_baseline *baseline,
                      const struct tk_baseline *candidate, const struct tk_compare_options *opt,
                      struct tk_err *err);

/* Is there a regression; is there anything that could not be decided? */
TK_API bool tk_comparison_worse(const struct tk_comparison *comparison);
TK_API bool tk_comparison_unsure(const struct tk_comparison *comparison);

/* "text", "markdown", "json", "csv", "junit", "github", "sarif", "folded"; NULL-terminated, static. */
TK_API const char *const *tk_comparison_reports(void);

struct tk_report_options {
    size_t size;
    bool colour; /* `text` */
    size_t top;  /* `text`, `markdown`: changes of a verdict shown one by one; 0: the usual number */
};

/* Writes a report; opt may be NULL. TK_OK, TK_EMATCH (unknown kind), TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_comparison_report(const struct tk_comparison *comparison, const char *kind,
                                struct tk_output *out, const struct tk_report_options *opt,
                                struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_comparison_free(struct tk_comparison *comparison);

/* ---- budgets
 * ------------------------------------------------------------------------------------------------- */

struct tk_budgets;

/* Reads budgets (schemas/budget.schema.json) from a file. TK_OK; TK_EUSAGE (no JSON, unknown keys, wrong
 * types); TK_EIO, TK_ELIMIT, TK_ENOMEM. Free with tk_budgets_free. */
TK_API int tk_budgets_load(struct tk_budgets **out, const char *path, struct tk_err *err);

/* Checks each run of a baseline. TK_OK; TK_EMATCH when a budget fits nothing or there is no run; TK_ENOMEM.
 */
TK_API int tk_budgets_apply(struct tk_budgets *budgets, const struct tk_baseline *runs, struct tk_err *err);

/* After tk_budgets_apply: was an error level exceeded? */
TK_API bool tk_budgets_exceeded(const struct tk_budgets *budgets);

/* "text", "markdown", "json", "csv", "junit", "github", "sarif"; NULL-terminated, static. */
TK_API const char *const *tk_budgets_reports(void);

/* Writes a report. As tk_comparison_report. */
TK_API int tk_budgets_report(const struct tk_budgets *budgets, const char *kind, struct tk_output *out,
                             const struct tk_report_options *opt, struct tk_err *err);

/* Writes budgets that the runs just keep; margin 0.1: what is ten percent more is an error. */
TK_API int tk_budgets_write(const struct tk_baseline *runs, double margin, struct tk_output *out,
                            struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_budgets_free(struct tk_budgets *budgets);

/* ---- texts for people
 * --------------------------------------------------------------------------------------- */

/* The name among n that is nearest to `wanted`, or NULL when none is near. */
TK_API const char *tk_nearest(const char *wanted, const char *const *names, size_t n);

/* Limits: their number, and name, default and meaning of one. Static. */
TK_API size_t tk_limit_count(void);
TK_API void tk_limit_describe(size_t index, const char **name, uint64_t *value, const char **help);

#ifdef __cplusplus
}
#endif

#endif
