/*
 * tracekit.h: reads saved performance captures (Unreal Engine .utrace, Tracy .tracy and others) without
 * engine or viewer.
 *
 * This header is the manual. Each chapter begins with how its functions are used together. The comment
 * above a function describes its arguments, results, errors and lifetimes.
 *
 *   1 versions                which library this is
 *   2 errors                  what functions return, and why something failed
 *   3 texts and values        what cells of tables hold
 *   4 captures                tk_open, tk_close, and what the file is
 *   5 tables                  what can be requested, and how rows are delivered
 *   6 queries                 tk_query_run: rows are sent to a sink
 *   7 cursors                 tk_cursor_next: rows are fetched one batch at a time
 *   8 results                 keep rows, sort and shorten them, read them in any order
 *   9 writers                 rows as CSV, TSV, JSON, NDJSON, Markdown, aligned text
 *  10 exports                 a whole capture as a file for another tool
 *  11 baselines, comparisons  did it get slower, or is it noise
 *  12 trends                 what changed in a history of runs, and when
 *  13 budgets                does it meet its limits
 *  14 names and limits       did you mean
 *  15 columns                rows by column, in the Arrow C data interface
 *  16 pages                  one HTML file about captures, for people to read
 *  17 edits                  valid captures: cut, filtered, anonymised, repaired, merged
 *  18 SQL                    SQLite queries over captures; nothing is imported
 *  19 agents                 the same answers for AI assistants, through the Model Context Protocol
 *  20 views                  captures in a browser, from a server on this machine
 *
 * Chapters 1 to 9 and 14 are the stable half: from 1.0 on their content is kept in all versions with the same
 * MAJOR, so other languages can bind it. Chapters 10 to 13 and 15 to 20 are experimental and may change with
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(TRACEKIT_DLL) && !defined(TK_API)
#define TK_API __declspec(dllimport) /* programs that use tracekit.dll may define TRACEKIT_DLL */
#elif defined(__GNUC__) && !defined(_WIN32) && !defined(TK_API)
#define TK_API __attribute__((visibility("default")))
#elif !defined(TK_API)
#define TK_API
#endif

/* ---- 1 versions ----
 *
 * TK_VERSION_... describe the header that a program was compiled with, tk_version() the library that it runs
 * with. Versions are MAJOR.MINOR.PATCH. Before 1.0 each MINOR may change anything; a PATCH changes no
 * function, struct or meaning. The shared library has the soname libtracekit.so.0, and its symbols have the
 * version TRACEKIT_0.
 */

#define TK_VERSION_MAJOR 0
#define TK_VERSION_MINOR 2
#define TK_VERSION_PATCH 0
#define TK_VERSION       "0.2.0"

/* Version of the library in use, "0.2.0". Static. */
TK_API const char *tk_version(void);

/* The same as one number, MAJOR * 1000000 + MINOR * 1000 + PATCH: 2000 is 0.2.0. A program that
 * loads the library at run time compares it with its TK_VERSION_NUMBER before it calls anything else. */
#define TK_VERSION_NUMBER (TK_VERSION_MAJOR * 1000000 + TK_VERSION_MINOR * 1000 + TK_VERSION_PATCH)
TK_API uint32_t tk_version_number(void);

/* The versions of the libraries that it uses, "lz4 1.9.4, zstd 1.5.4, ...". Static. */
TK_API const char *tk_version_libraries(void);

/* Zero-initialises a struct that begins with `size`, and stores the size that this program knows. */
#define TK_INIT(type) ((type){.size = sizeof(type)})

/* ---- 2 errors ----
 *
 * A failure is a negative status and a list of causes: the first is what went wrong, each further one is what
 * failed because of it. The last one is for users, the others say why:
 *
 *     fprintf(stderr, "%s\n", tk_err_text(&err, rc));
 *     for (unsigned i = err.n; i-- > 1;)
 *         fprintf(stderr, "  %s\n", err.text[i - 1]);
 */

enum tk_status {
    TK_ITEM = 1,       /* there is one more */
    TK_OK = 0,         /* done, or there is no more */
    TK_EUSAGE = -1,    /* invalid request */
    TK_EMATCH = -2,    /* a filter, table or column matches nothing */
    TK_EIO = -3,       /* the input cannot be read */
    TK_EFORMAT = -4,   /* the input is not a capture, or cannot be read at all */
    TK_EOUTPUT = -5,   /* the output cannot be written */
    TK_EPIPE = -6,     /* the reader of the output has closed it */
    TK_ENOMEM = -7,    /* out of memory */
    TK_ELIMIT = -8,    /* a named limit was exceeded */
    TK_EDAMAGE = -9,   /* strict: the capture is damaged */
    TK_ECANCELED = -10 /* a callback requested to stop */
};

#define TK_ERR_CAUSES 6
#define TK_ERR_TEXT   384

/* A status and its causes, innermost first: lower case, no full stop, NUL-terminated. */
struct tk_err {
    int code;
    unsigned n;
    char text[TK_ERR_CAUSES][TK_ERR_TEXT];
};

/*
 * The outermost cause of a failure. Without a cause, or if err is NULL, a text for the status,
 * such as "out of memory". Lives as long as err.
 */
TK_API const char *tk_err_text(const struct tk_err *err, int status);

/*
 * For languages that cannot use the layout of structs: a struct tk_err allocated by the library, which every
 * function accepts and which can be reused; NULL when out of memory. Free with tk_err_free (NULL is allowed).
 */
TK_API struct tk_err *tk_err_new(void);
TK_API void tk_err_free(struct tk_err *err);

/* Its status; the number of its causes; cause i, where 0 is the innermost (NULL after the last one), valid
 * until the struct is used again. A NULL err has no causes. */
TK_API int tk_err_status(const struct tk_err *err);
TK_API size_t tk_err_count(const struct tk_err *err);
TK_API const char *tk_err_cause(const struct tk_err *err, size_t i);

/* ---- 3 texts and values ----
 *
 * A row is an array of cells, one per column. Each cell has its own kind, because any cell may be TK_NONE,
 * "no value"; check `kind` before using the union. Times are integers in nanoseconds (or clock cycles,
 * with TK_UNIT_CYCLES) since the start of the capture; only means are rounded. Cycles from 2^63 on are of
 * kind TK_UINT. Times beyond 292 years are clamped to that; `health` lists them (`time_beyond`).
 *
 *     if (cell->kind == TK_DURATION)
 *         printf("%" PRId64 " ns\n", cell->v.i);
 *     if (cell->kind == TK_TEXT)
 *         fwrite(cell->v.p, 1, cell->n, stdout);
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
    TK_NONE = 0, /* no value */
    TK_BOOL,     /* u */
    TK_INT,      /* i */
    TK_UINT,     /* u */
    TK_HEX,      /* u: an address, pointer or hash */
    TK_REAL32,   /* r, with single precision */
    TK_REAL,     /* r */
    TK_TIME,     /* i: a point in time, in the unit of the table */
    TK_DURATION, /* i: a duration, in the unit of the table */
    TK_MEAN,     /* r: a mean of durations, in the unit of the table */
    TK_SIZE,     /* u: bytes */
    TK_TEXT,     /* p, n bytes, enc */
    TK_BYTES,    /* p, n bytes */
    TK_ARRAY,    /* p: n packed little-endian elements of kind `elem` and `width` bytes each, unaligned */
    TK_LIST,     /* p: n struct tk_cell */
    TK_RECORD    /* p: struct tk_record */
};

/* One value. What it points to is valid as long as the rows that it belongs to. */
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

/* The type of a record: its name and fields. Valid as long as the capture. */
struct tk_record_type {
    const char *name;          /* NUL-terminated */
    const struct tk_str *text; /* the same with its encoding; NULL if `name` is complete */
    uint32_t n_fields;
    const struct tk_str *fields; /* names */
    /* The value of a field; TK_NONE when it cannot be read. */
    void (*value)(const struct tk_record *rec, uint32_t field, struct tk_cell *out);
    const char *family; /* family that decodes it, NUL-terminated; NULL: none, it is only listed */
    bool named;         /* the first field is its name, which lists for people show instead of the record */
};

/* Named values. Borrowed, as the rows that it belongs to. */
struct tk_record {
    const struct tk_record_type *type;
    const void *impl; /* the library's */
};

/*
 * The same without the layout of the struct. Numbers of all kinds are converted: tk_cell_int and tk_cell_uint
 * return the nearest integer that they can represent (reals are truncated, NaN is 0). For cells that are not
 * numbers they return 0, and tk_cell_real returns NaN.
 */
TK_API enum tk_kind tk_cell_kind(const struct tk_cell *cell);
TK_API int64_t tk_cell_int(const struct tk_cell *cell);
TK_API uint64_t tk_cell_uint(const struct tk_cell *cell);
TK_API double tk_cell_real(const struct tk_cell *cell);

/* The bytes of a TK_TEXT or TK_BYTES, and their number in *n; NULL and 0 for other kinds. Valid as long as
 * the cell. The second function returns the encoding of a TK_TEXT. */
TK_API const char *tk_cell_bytes(const struct tk_cell *cell, size_t *n);
TK_API enum tk_encoding tk_cell_encoding(const struct tk_cell *cell);

/* ---- 4 captures ----
 *
 * tk_open() identifies the file and reads its headers and definitions. Everything else is read by queries,
 * each of which may read the capture again. Information about the whole capture is in tables, too: `capture`,
 * `session`, `threads`, `channels`, `health`. A query for `health` reads everything, so an empty table means
 * that the capture is intact.
 *
 *     struct tk_options options = TK_INIT(struct tk_options);
 *     options.jobs = 4;
 *     rc = tk_open(&trace, "game.utrace.zst", &options, &err);
 *     ...
 *     if (tk_damaged(trace))
 *         ...                          after the queries: faults are found where they are read
 *     tk_close(trace);
 */

struct tk_trace;

struct tk_options {
    size_t size;
    bool map;      /* read headers through memory maps: faster, but installs a SIGBUS handler that keeps a
                      file that shrinks from killing the process (other SIGBUS go to the old handler) */
    bool strict;   /* TK_EDAMAGE at the first damage */
    unsigned jobs; /* number of working threads, including the caller; 0 for one */
    const char *const *limits; /* n_limits texts "name=value" */
    size_t n_limits;
    const char *spool_dir; /* for pipes and compressed input; NULL: TMPDIR or /tmp */
    /* Called regularly with the bytes done and in total (0: unknown); non-zero cancels. May be NULL. */
    int (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *progress_ctx;
    /*
     * Where to look for symbols that captures lack: n_symbols folders, symbol stores and files. Default: the
     * places in TRACEKIT_SYMBOLS; without that, the folder of the capture and the usual places of the system.
     * The list is copied when the capture is opened, and symbols are read when a table shows functions. Only
     * local files are read, never a network. `map` applies to them, too.
     */
    const char *const *symbols;
    size_t n_symbols;
    bool no_symbols; /* only those in the capture */
    bool no_inlines; /* attribute inlined calls to the enclosing function */
    /* A pattern: the scopes, else the regions, else the bookmarks and messages with a matching name are the
     * game frames, instead of the recorded ones. They are read when the capture is opened; TK_EMATCH if
     * nothing matches. NULL: the recorded frames. */
    const char *frames_from;
    /* As frames_from, for comparing runs: the unit is each occurrence of a timer or region instead of the
     * frame. Runs with different units cannot be compared. Excludes frames_from. NULL: the frame. */
    const char *per;
    /* Cache results from symbol files in the user's cache folder, in tracekit/symbols, one file per image id.
     * TRACEKIT_CACHE_SIZE limits the size in bytes, by default to 2 GiB. */
    bool cache_symbols;
    /* n_sources folders with the sources of the program, for the table `source_lines`. A path from the
     * compiler's machine denotes the file in them that shares most of its last parts. Links are not followed.
     */
    const char *const *sources;
    size_t n_sources;
    /* An index keeps answers, and what a complete reading of a .utrace learned, so that later readings read
     * only what they need. This is the path of its file, which is created if it does not match the capture,
     * or "cache" for a file in tracekit/captures of the user's cache folder, created by readings of over two
     * seconds. Answers are the same with and without it. It works only for captures opened by path. A file
     * that is neither an index nor empty is not replaced. NULL: none is used or created. */
    const char *index;
    /* For a first look: captures larger than the limit `whole_bytes` are read in part, if their format allows
     * it and they have no index. tk_in_part() says whether that happened. */
    bool in_part;
};

/*
 * Options for languages that cannot use the layout of structs: they begin with the defaults, and keep copies
 * of all values. TK_OK or TK_ENOMEM. Free with tk_options_free (NULL is allowed).
 *
 * The other functions set fields of options made by tk_options_new: tk_options_set "map", "strict",
 * "no_symbols", "no_inlines", "cache_symbols" (0 or 1) and "jobs"; tk_options_text "spool_dir";
 * tk_options_add adds a text to the lists "limits", "symbols" and "sources". TK_OK; TK_EMATCH (no such
 * field); TK_EUSAGE (a number out of range for the field); TK_ENOMEM.
 */
TK_API int tk_options_new(struct tk_options **out, struct tk_err *err);
TK_API int tk_options_set(struct tk_options *options, const char *field, int64_t value, struct tk_err *err);
TK_API int tk_options_text(struct tk_options *options, const char *field, const char *text,
                           struct tk_err *err);
TK_API int tk_options_add(struct tk_options *options, const char *field, const char *text,
                          struct tk_err *err);
TK_API void tk_options_free(struct tk_options *options);

/*
 * Opens a capture. path "-" is standard input. Pipes and compressed inputs (.zst, .lz4, .gz, detected
 * by content) are decompressed to an unlinked temporary file first. opt may be NULL. TK_OK, TK_EIO,
 * TK_EFORMAT, TK_ENOMEM, TK_ELIMIT, TK_EDAMAGE, TK_EUSAGE (unknown limit, or `index` names
 * something that is not an index), TK_EOUTPUT (the index cannot be written), TK_ECANCELED (by progress).
 */
TK_API int tk_open(struct tk_trace **out, const char *path, const struct tk_options *opt, struct tk_err *err);

/*
 * The same for n bytes at p, which are borrowed and must not change until tk_close(). Compressed data is
 * decompressed to a temporary file. n may be 0, which is not a capture.
 */
TK_API int tk_open_memory(struct tk_trace **out, const void *p, size_t n, const struct tk_options *opt,
                          struct tk_err *err);

/*
 * The same for an open file descriptor, which is borrowed and must stay open until tk_close(). A file
 * positioned at its start is read in place, and its position does not change. Anything else is read from the
 * current position to the end and copied to a temporary file, as pipes are.
 */
TK_API int tk_open_descriptor(struct tk_trace **out, int descriptor, const struct tk_options *opt,
                              struct tk_err *err);

/*
 * Reads up to n bytes at `offset` to p and stores their number in *got, 0 only at the end. Returns TK_OK or a
 * negative status. The library passes TK_ECANCELED and TK_ENOMEM on to its caller, and turns all others into
 * TK_EIO.
 */
typedef int tk_read(void *ctx, uint64_t offset, void *p, size_t n, size_t *got);

/*
 * The same for n bytes that the program provides, such as from an archive or a network. `read` and ctx are
 * used until tk_close(). `read` is called on one thread at a time, possibly one of the library's, for parts
 * in any order, and repeatedly for the same part. It must not use the capture. If it ends before n bytes, the
 * capture is damaged, like a file that was truncated while it was read.
 */
TK_API int tk_open_reader(struct tk_trace **out, tk_read *read, void *ctx, uint64_t n,
                          const struct tk_options *opt, struct tk_err *err);

/* Do the first bytes of the file identify a capture, in a format and version known at least by name? 1, 0, or
 * TK_ENOMEM. Compressed files are decompressed for that. Standard input ("-") never counts as one. */
TK_API int tk_capture_is(const char *path);

/* Closes the capture and frees it. NULL is allowed. */
TK_API void tk_close(struct tk_trace *trace);

/*
 * How many addresses displayed by tables so far were resolved by symbols, as a sentence of at most n bytes
 * with its NUL: "2 of 3 modules, 40 of 41 addresses; no file: libc.so.6". Returns 0 (no address was looked
 * up; no sentence), 1, or 2 (a file could not be used or only in part: it is damaged or of another build).
 */
TK_API int tk_symbols_tell(const struct tk_trace *trace, char *text, size_t n);

/* Was damage found in what was read so far? (exit status 4 of the commands) */
TK_API bool tk_damaged(const struct tk_trace *trace);

/* Was anything left out so far because a limit was reached? That is no damage of the capture. (exit status 4
 * of the commands, too) */
TK_API bool tk_partial(const struct tk_trace *trace);

/* Does anything read so far indicate that events were lost: missing or late serial numbers, or references
 * without a definition? That alone is not damage. */
TK_API bool tk_lossy(const struct tk_trace *trace);

/* Does the capture end inside a packet or record? */
TK_API bool tk_truncated(const struct tk_trace *trace);

/*
 * Was the capture opened in part (options.in_part)? The part that is read is described in text, of n bytes
 * with its NUL: "the first and last 256 KiB". 0: no. 1: its ends are read: queries with in_passing read its
 * end (times in `capture`, and `frames`), others its beginning; all are lower bounds. 2: queries
 * with in_passing read what precedes all events, other queries read everything.
 */
TK_API int tk_in_part(const struct tk_trace *trace, char *text, size_t n);

/* Is the capture without a single event? */
TK_API bool tk_empty(const struct tk_trace *trace);

/* ---- 5 tables ----
 *
 * All information about a capture is in tables: described columns, and rows in batches. tk_tables() and
 * `trace-stats --list` list all tables and their columns. Queries can choose columns, so look a column up by
 * name in the table that is delivered with the rows:
 *
 *     int at = tk_table_column(table, "count");
 *     for (size_t i = 0; i < rows->n; i++)
 *         use(&rows->cells[i * table->n_columns + (size_t)at]);
 */

struct tk_column {
    const char *name;
    uint8_t kind;     /* enum tk_kind of its cells (which may be TK_NONE) */
    uint8_t flags;    /* TK_COL_... */
    const char *unit; /* "calls", "bytes", ... ; NULL if the kind implies it; times use the table's */
    const char *help; /* one sentence */
};

#define TK_COL_EXTRA       1   /* not displayed unless requested */
#define TK_COL_GROUP       2   /* part of the key of the row (displayed when grouping requests it) */
#define TK_COL_LOWER_BOUND 4   /* values are lower bounds: displayed to people with ">=" */
#define TK_COL_HUMAN_ONLY  8   /* with EXTRA: displayed to people by default */
#define TK_COL_OPTIONAL    16  /* dropped first if the terminal is too narrow */
#define TK_COL_BAR         32  /* a text whose length is a value: displayed to people as a bar that fits */
#define TK_COL_PART        128 /* a share, 0 to 1: displayed to people as percent */

enum tk_unit { TK_UNIT_NS = 0, TK_UNIT_CYCLES, TK_UNIT_US, TK_UNIT_MS, TK_UNIT_S };

/* A described stream of rows. */
struct tk_table {
    const char *name;
    const char *help;
    const struct tk_column *columns;
    uint32_t n_columns;
    uint32_t flags;      /* TK_TABLE_... */
    enum tk_unit unit;   /* of times: cells hold cycles (TK_UNIT_CYCLES) or nanoseconds (all others) */
    const char *sort_by; /* column by which it is sorted for people, or NULL for the order of the rows */
    const char *none;    /* what people see if there are no rows, or NULL */
    uint32_t schema;     /* raised when its columns, rows or their meaning change; 0 counts as 1 */
};

#define TK_TABLE_SINGLE     1   /* exactly one row: an object rather than a list */
#define TK_TABLE_ON_REQUEST 2   /* answers a question of the query; not part of an export of all tables */
#define TK_TABLE_WHOLE      4   /* has all columns, even if the query names columns of another table */
#define TK_TABLE_TIMES      8   /* has times of scopes: `quality` of a selection applies to its rows */
#define TK_TABLE_EACH       16  /* each row is one event: an export that cannot hold it reports it */
#define TK_TABLE_AFTER      64  /* WHOLE unless it is the first table of the query */
#define TK_TABLE_VARIES     128 /* each format has some of its columns, which a query without columns gets */

/* A batch of rows; the sink borrows it during the call. `cells` has n_columns cells per row. */
struct tk_rows {
    size_t n;
    const struct tk_cell *cells;
};

/* The receiver of tables. Hooks that are NULL are skipped. Each returns TK_OK or a negative status, which
 * ends the query. */
struct tk_sink {
    void *self;
    int (*begin)(void *self, const struct tk_table *table, struct tk_err *err);
    int (*rows)(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err);
    int (*end)(void *self, const struct tk_table *table, struct tk_err *err);
};

/* The index of the column with this name, or -1. */
TK_API int tk_table_column(const struct tk_table *table, const char *name);

/*
 * The same without the layout of the structs: name, help, unit and number of columns of a table; name, kind,
 * flags (TK_COL_...), unit (may be NULL) and help of a column (from 0). After the last column: NULL, TK_NONE
 * and 0. Texts are valid as long as the table.
 */
TK_API const char *tk_table_name(const struct tk_table *table);
TK_API const char *tk_table_help(const struct tk_table *table);
TK_API enum tk_unit tk_table_unit(const struct tk_table *table);
TK_API size_t tk_table_width(const struct tk_table *table);
TK_API const char *tk_column_name(const struct tk_table *table, size_t column);
TK_API enum tk_kind tk_column_kind(const struct tk_table *table, size_t column);
TK_API unsigned tk_column_flags(const struct tk_table *table, size_t column);
TK_API const char *tk_column_unit(const struct tk_table *table, size_t column);
TK_API const char *tk_column_help(const struct tk_table *table, size_t column);

/* All tables: *n of them, static, with default units. */
TK_API const struct tk_table *const *tk_tables(size_t *n);

/* The table with this name, or NULL. */
TK_API const struct tk_table *tk_table_find(const char *name);

/* Can this capture answer a query for the table with this name? Tables that describe files exist only for
 * some formats. */
TK_API bool tk_has_table(const struct tk_trace *trace, const char *name);

/* ---- 6 queries ----
 *
 * A query names tables and selects a part of the capture. Its rows are sent to a struct tk_sink: your own, a
 * result (8) or a writer (9). Several tables of one query are answered in one reading of the capture if
 * possible, so request them together. Most tables stream, in memory that does not grow with the capture;
 * those whose rows must be sorted or paired first say so in their help.
 *
 *     static int count(void *self, const struct tk_table *table, const struct tk_rows *rows,
 *                      struct tk_err *err)
 *     {
 *         *(size_t *)self += rows->n;
 *         return TK_OK;                a negative status would end the query
 *     }
 *
 *     static const char *const tables[] = {"scopes"}, *const threads[] = {"GameThread"};
 *     struct tk_query query = TK_INIT(struct tk_query);
 *     query.tables = tables;
 *     query.n_tables = 1;
 *     query.select.threads = threads;
 *     query.select.n_threads = 1;
 *     rc = tk_query_run(trace, &query, &(struct tk_sink){.self = &n, .rows = count}, &err);
 *
 * A pattern is a name with the wildcards * and ?, or several with | between them. A pattern without capital
 * letters ignores case.
 */

/* The selected part of the capture. Lists contain patterns; an exact name is tried before the pattern.
 */
struct tk_selection {
    bool has_from, has_to;
    int64_t from_ns, to_ns; /* since the start of the capture; [from, to) */
    bool has_frames;
    uint64_t first_frame, last_frame; /* game frames, both included; not the time between frames */
    const char *frame_list; /* of these frames only those listed, such as "100,233,350-360"; NULL: all */
    const char *from_bookmark, *to_bookmark; /* patterns: from the first matching bookmark until the next
                                                matching one; NULL: no bound */
    const char *const *regions, *const *threads, *const *timers, *const *events;
    size_t n_regions, n_threads, n_timers, n_events;
    bool unmatched; /* threads and timers that match nothing are not an error: they select nothing */
    const uint32_t *thread_ids; /* n_thread_ids: of the threads that match `threads` only these, where several
                                   share a name (needs `threads`); 0: all. GPU queues need none */
    size_t n_thread_ids;
};

enum tk_order { TK_ORDER_FILE = 0, TK_ORDER_SERIAL };

/* How rows are grouped; tables without that grouping ignore it. The table `memory` is grouped by all that it
 * knows unless at least one of them is requested. */
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
#define TK_BY_LABEL      1024u /* text of the metadata of scopes */
#define TK_BY_FUNCTION   2048u /* memory: of the first frame that is not an allocator; also TK_BY_FILE */
#define TK_BY_MODULE     4096u /* memory: likewise */
#define TK_BY_HUMAN      0x40000000u /* no grouping: without named columns, also those for people */
#define TK_BY_EXTRA      0x80000000u /* no grouping: without named columns, also TK_COL_EXTRA */

/* Which allocations the memory tables count as alive. */
struct tk_memory_query {
    bool has_at;            /* alive at a moment; else at the end */
    bool has_window;        /* only those allocated in [from, to) */
    int64_t at_ns;          /* since the start of the capture */
    int64_t from_ns, to_ns; /* likewise */
};

/* Call trees: tables `tree`, `callers`, `callees`, and by samples `sample_tree`, `sample_callers`,
 * `sample_callees`. */
struct tk_tree_query {
    const char *callers,
        *callees;   /* pattern of the timers or functions whose callers or callees are requested */
    unsigned depth; /* maximum steps from the root; 0: all */
    double
        min_share; /* share of the time or samples of all roots; less is combined as (other); 0: nothing is */
};

/* Table `hitches`: game frames that took too long. */
struct tk_hitch_query {
    int64_t budget_ns; /* frames longer than this; 0: longer than `times` times the median */
    double times;      /* 0: 2 */
    unsigned reasons;  /* maximum rows per frame; 0: 5 */
};

struct tk_query {
    size_t size;
    const char *const *tables; /* names; several are answered in one reading if possible */
    size_t n_tables;
    const char *const *columns; /* of a single table; NULL: the default columns */
    size_t n_columns;
    enum tk_unit unit;
    unsigned by;         /* TK_BY_... */
    enum tk_order order; /* of events */
    struct tk_selection select;
    struct tk_memory_query memory;
    bool clip;  /* table `scopes` and timelines: clip scopes to the selection */
    bool mixed; /* rows of several tables may be interleaved, and tables reordered: fewer readings */
    struct tk_tree_query tree;
    struct tk_hitch_query hitches;
    const char *histogram;        /* pattern of the timers of the table `histogram` */
    const char *const *per_frame; /* patterns of the timers of the table `per_frame` */
    size_t n_per_frame;
    uint64_t slowest; /* rows of the table `slowest`; 0: 20 */
    const char *work; /* kinds of work, in the form of schemas/work.txt; NULL: that file */
    bool in_passing;  /* health, ledger: of what other tables read; otherwise everything is read for them */
    /* Conditions on rows: only rows that meet all of them are sent. "dur>5ms", "text~stream",
       "verbosity<=warning", "logs.category=LogNet*": a column, prefixed by its table if several have it; one
       of = != < <= > >= ~ (contains) !~; a value. Texts are matched as patterns, times need a unit, and an
       empty value matches empty cells. Tables without the column are sent whole, if another one has it. */
    const char *const *where;
    size_t n_where;
    /* Called at the end of each table to which conditions applied: how many of its rows met them. May be
     * NULL. */
    void (*filtered)(void *ctx, const char *table, uint64_t kept, uint64_t rows);
    void *filtered_ctx;
    uint64_t top_hitches; /* table `hitches`: only this many, the longest; 0: all */
    bool worst_first;     /* likewise: longest first, implied by top_hitches; otherwise in frame order */
    /* Memory: patterns of the names of allocator functions, one per line, instead of the built-in ones; lines
     * that begin with # are comments. NULL: the built-in ones. */
    const char *allocators;
    const char *source_of; /* pattern of the functions of the table `source_lines` */
};

/*
 * A query for languages that cannot use the layout of structs, like tk_options_new. All functions that take a
 * query accept it.
 *
 * Fields are named after the members of struct tk_query and of its structs. tk_query_add: "tables",
 * "columns", "regions", "threads", "timers", "events", "per_frame", "where". tk_query_text: "from_bookmark",
 * "frame_list", "to_bookmark", "histogram", "callers", "callees", "work", "allocators", "source_of".
 * tk_query_real: "min_share", "times". tk_query_set: "unit", "by", "order", "clip", "mixed", "in_passing",
 * "slowest", "depth", "budget_ns", "reasons", "top_hitches", "worst_first", "from_ns", "to_ns",
 * "first_frame", "last_frame", "memory_at_ns", "memory_from_ns", "memory_to_ns". Setting a bound enables it,
 * as has_from does; for frames and the memory window setting the upper bound does.
 */
TK_API int tk_query_new(struct tk_query **out, struct tk_err *err);
TK_API int tk_query_set(struct tk_query *query, const char *field, int64_t value, struct tk_err *err);
TK_API int tk_query_real(struct tk_query *query, const char *field, double value, struct tk_err *err);
TK_API int tk_query_text(struct tk_query *query, const char *field, const char *text, struct tk_err *err);
TK_API int tk_query_add(struct tk_query *query, const char *field, const char *text, struct tk_err *err);
TK_API void tk_query_free(struct tk_query *query);

/*
 * Answers a query: calls begin, rows..., end of the sink for each table, one after another in the requested
 * order. The struct tk_table given to the sink has only the requested columns and is valid until this
 * function returns. TK_OK; TK_EMATCH (unknown table or column, filter that matches nothing: the causes name
 * the nearest names); TK_EUSAGE, TK_EIO, TK_ENOMEM, TK_ELIMIT, TK_EDAMAGE (strict), or what a hook returned.
 */
TK_API int tk_query_run(struct tk_trace *trace, const struct tk_query *query, const struct tk_sink *sink,
                        struct tk_err *err);

/*
 * Sends the table `health` as far as the capture was read, and reads nothing itself. Until a query has read
 * the events it has a row of the kind not_read, which is not a fault. TK_OK, TK_ENOMEM or what a hook
 * returned.
 */
TK_API int tk_health(struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err);

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

#ifndef TK_STABLE_ONLY

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

struct tk_run_info; /* see 11 */

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
 * Writes a comparison of two captures, `trace` next to `other`, in the layout of options.preset, which must
 * have one for that. Only the tables of the query are used. As tk_export_run.
 */
TK_API int tk_export_pair(struct tk_trace *trace, struct tk_trace *other, const struct tk_query *query,
                          const struct tk_export_options *options, struct tk_err *err);

/*
 * Sends the differences between two captures row by row: `name` is one of tk_difference_tables(). The query
 * selects a part of both and how memory is grouped; its tables and columns are ignored. As tk_query_run;
 * TK_EMATCH: no such table, or a capture lacks the data for it. On failure *side is the capture concerned: 0
 * the base, 1 the candidate.
 *
 *     memory_difference    memory_growth of both side by side
 *     sample_difference    shares of samples by function, with the p-value of the difference
 */
TK_API int tk_difference_run(struct tk_trace *base, struct tk_trace *candidate, const char *name,
                             const struct tk_query *query, const struct tk_sink *sink, unsigned *side,
                             struct tk_err *err);

/* Their names, NULL-terminated. Static. */
TK_API const char *const *tk_difference_tables(void);

/* ---- 11 baselines and comparisons ----
 *
 * A baseline holds what is compared of one or more runs, in some kilobytes per run. It is made from captures,
 * or read from a file. Two baselines are compared:
 *
 *     tk_baseline_new(&base, &err);
 *     rc = tk_baseline_add(base, old_trace, NULL, &err);      once per run; then the capture can be closed
 *     ...
 *     rc = tk_compare(&comparison, base, candidate, NULL, &err);
 *     if (rc == TK_OK && tk_comparison_regressed(comparison))
 *         rc = tk_comparison_rows(comparison, &sink, &err);
 *
 * The significance of a change follows from the spread between runs, so use several runs per side if
 * possible.
 */

struct tk_baseline;
struct tk_comparison;

/* An empty baseline; free with tk_baseline_free. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_new(struct tk_baseline **out, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_baseline_free(struct tk_baseline *baseline);

/* The number of its runs. */
TK_API size_t tk_baseline_count(const struct tk_baseline *baseline);

/* Do the first bytes of the file identify a baseline? 1, 0, or TK_ENOMEM. Standard input ("-") and pipes,
 * which cannot be read twice, never count as one. */
TK_API int tk_baseline_is(const char *path);

/*
 * Adds all runs of a baseline file. TK_OK; TK_EFORMAT (a newer version, a wrong checksum, cut off);
 * TK_EUSAGE (a run that it has already); TK_EIO, TK_ENOMEM, TK_ELIMIT.
 */
TK_API int tk_baseline_load(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/*
 * The same for use with tk_history_add() only, but many times faster: of runs written by this version or
 * later only the values that histories hold are read. Such runs cannot be written (TK_EUSAGE) and have no
 * timers for anything else. The rest of the file is not checked.
 */
TK_API int tk_baseline_load_values(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/*
 * Reads a capture and adds it as one run; select may be NULL. As tk_query_run; TK_EMATCH without game
 * frames, TK_EUSAGE if the baseline has the run already.
 */
TK_API int tk_baseline_add(struct tk_baseline *baseline, struct tk_trace *trace,
                           const struct tk_selection *select, struct tk_err *err);

/* Moves all runs of another baseline to the end of this one. TK_OK; TK_EUSAGE (a run that it has already),
 * TK_ENOMEM: runs that were not moved stay in `from`, except that one. */
TK_API int tk_baseline_join(struct tk_baseline *baseline, struct tk_baseline *from, struct tk_err *err);

/*
 * Renames threads and timers of all runs by a file (schemas/map.schema.json), to the names that they have in
 * the runs to compare with. TK_OK; TK_EUSAGE (not such a file, or it gives two timers the same name);
 * TK_EMATCH if no run has one of the names, in which case the others are renamed; TK_EIO, TK_ELIMIT,
 * TK_ENOMEM. After any other failure the baseline can only be freed.
 */
TK_API int tk_baseline_rename(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/* The parts of runs that tk_baseline_restrict keeps. */
struct tk_restriction {
    size_t size;
    const char *const *regions; /* patterns; none: all */
    size_t n_regions;
    bool no_warmup; /* drop the first frames: 64, or an eighth of the run if that is less */
};

/*
 * Restricts all runs of a baseline. TK_OK; TK_EMATCH if a run does not store what is requested (all runs
 * store the warm-up and the regions of up to 24 names); TK_EUSAGE, TK_ENOMEM. After a failure the baseline
 * can only be freed.
 */
TK_API int tk_baseline_restrict(struct tk_baseline *baseline, const struct tk_restriction *what,
                                struct tk_err *err);

/* After that: how many region names a run had no space for, which the patterns may therefore have missed; 0
 * if exact names were given. tk_baseline_add with the regions selected leaves none out. */
TK_API size_t tk_baseline_lost_regions(const struct tk_baseline *baseline);

/* Did the recording of a run lose events? As tk_lossy of its capture. */
TK_API bool tk_baseline_lossy(const struct tk_baseline *baseline);

/* Writes the file; the same runs in the same order give the same bytes. TK_OK, TK_EOUTPUT, TK_EPIPE,
 * TK_ELIMIT (more timers and frames than a file can hold), TK_ENOMEM. */
TK_API int tk_baseline_save(const struct tk_baseline *baseline, struct tk_output *out, struct tk_err *err);

/* A fact about a run that its capture may not record. */
struct tk_run_key {
    const char *name, *help;
};

/* The known keys, by number from 0; NULL after the last one. Static. Any other lower-case word can be a key,
 * too. */
TK_API const struct tk_run_key *tk_run_key_at(size_t i);

struct tk_run_info;

/*
 * Reads facts about runs: words "KEY=VALUE", and names of JSON files, each with one object whose values are
 * texts, numbers or booleans. The last value of a key wins. TK_OK; TK_EUSAGE (invalid word, a value of
 * several lines, an invalid time); TK_EIO, TK_ELIMIT, TK_ENOMEM. Free with tk_run_info_free.
 */
TK_API int tk_run_info_new(struct tk_run_info **out, const char *const *words, size_t n, struct tk_err *err);

/* The number of facts; the key and the value of one, in order of the keys. Borrowed. */
TK_API size_t tk_run_info_count(const struct tk_run_info *info);
TK_API const struct tk_str *tk_run_info_item(const struct tk_run_info *info, size_t i,
                                             const struct tk_str **value);

/* NULL is allowed. */
TK_API void tk_run_info_free(struct tk_run_info *info);

/* Adds the facts to all runs from number `first` on. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_say(struct tk_baseline *baseline, size_t first, const struct tk_run_info *info,
                           struct tk_err *err);

/* A fact about a run (number from 0) by its key: as it was given, or else as its capture states it; "capture"
 * is its file name, and "size" its bytes. NULL: unknown. Borrowed. */
TK_API const struct tk_str *tk_baseline_about(const struct tk_baseline *baseline, size_t run,
                                              const char *key);

/* Gives a run the name of its capture, the last part of a path. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_name(struct tk_baseline *baseline, size_t run, const char *path, struct tk_err *err);

/* Moves the runs that this baseline lacks from another one, frees the others, and counts those moved. TK_OK
 * or TK_ENOMEM: runs that were not moved stay in `from`. */
TK_API int tk_baseline_merge(struct tk_baseline *baseline, struct tk_baseline *from, size_t *moved,
                             struct tk_err *err);

/* Removes a run (number from 0) and frees it. */
TK_API void tk_baseline_drop(struct tk_baseline *baseline, size_t run);

/* The tables of baselines, whose first column is the number of the run: `runs`, which describes each run, and
 * frames, timers, durations, gpu, counters, memory, loading, log. By number; NULL after the last one. Static,
 * times in nanoseconds. */
TK_API const struct tk_table *tk_baseline_table(size_t i);

/*
 * Writes these tables of each run as Parquet to a folder of many runs, as
 * TABLE/run=run-CONTENT/part-0.parquet, where CONTENT is the column of that name of the table `runs`. It
 * replaces the number of the run. A run that exists is replaced. TK_OK, TK_EOUTPUT, TK_ENOMEM.
 */
TK_API int tk_baseline_summarize(const struct tk_baseline *baseline, const char *path, struct tk_err *err);

/* Sends one of these tables for all runs. TK_OK, TK_EMATCH (no such table), or what a hook returned. */
TK_API int tk_baseline_rows(const struct tk_baseline *baseline, const char *table, const struct tk_sink *sink,
                            struct tk_err *err);

/*
 * Keeps the runs of a history that `like` can be compared with, and frees the rest: those of a branch or
 * commit (exact name) with the application, platform and machine of the runs of `like`, as far as both sides
 * know them; of these the newest, and those of the same build and commit. TK_OK; TK_EMATCH (none; the cause
 * says what there is); TK_ENOMEM.
 */
TK_API int tk_baseline_base_of(struct tk_baseline *history, const struct tk_baseline *like, const char *what,
                               struct tk_err *err);

/*
 * Checks that runs have the expected content: "frames", "gpu", "counters", "memory", "loading", "timers", a
 * minimum length ("60s", "500ms", "2min"), or "channel:NAME", an enabled channel or a preset of channels.
 * `lacks` is called for each run and word that is not met, with what the run has instead. TK_OK; TK_EUSAGE
 * (unknown word).
 */
TK_API int tk_baseline_expect(const struct tk_baseline *baseline, const char *const *words, size_t n,
                              void (*lacks)(void *ctx, size_t run, const char *word, const char *instead),
                              void *ctx, struct tk_err *err);

struct tk_baseline_edit;

/*
 * Begins to change a baseline file: waits until no other process changes it, and reads it if it exists.
 * tk_baseline_edit_runs() returns its runs, which can be changed. tk_baseline_edit_end() replaces the whole
 * file if `keep` is set, and releases the lock. Readers see the old file or the new one. TK_OK; as
 * tk_baseline_load; TK_EOUTPUT (the folder cannot be written).
 */
TK_API int tk_baseline_edit_begin(struct tk_baseline_edit **out, const char *path, struct tk_err *err);
TK_API struct tk_baseline *tk_baseline_edit_runs(struct tk_baseline_edit *edit);
TK_API int tk_baseline_edit_end(struct tk_baseline_edit *edit, bool keep, struct tk_err *err);

/*
 * Writes each run to its own file in a folder, which is created if needed: TIME-CONTENT.tkb, with the time of
 * the run, or `when` (seconds since 1970) if that is unknown. A run that exists, under any time, is not
 * changed; *added counts the new runs. Needs no lock: two processes that write the same run use the same
 * name. TK_OK, TK_EIO, TK_EOUTPUT, TK_ELIMIT, TK_ENOMEM.
 */
TK_API int tk_baseline_keep(const struct tk_baseline *baseline, const char *folder, int64_t when,
                            size_t *added, struct tk_err *err);

struct tk_compare_options {
    size_t size;
    double floor_ratio; /* ignore changes below; 0: 0.02, or 0.05 for two single runs without noise */
    double floor_ms;    /* ignore changes of fewer ms per frame; 0: no such floor */
    double chance;      /* of a false alarm per kind of series; 0: 0.006, or 0.003 if one side is a single run
                           (0.006 for two single runs without noise) */
    uint64_t warmup;    /* frames skipped at the start of each run, rounded up to whole blocks */
    const struct tk_baseline *noise; /* at least four runs of one build, to measure the spread; may be NULL */
    bool mixed; /* runs of several applications or platforms may be compared; else TK_EMATCH names them */
    bool ignore_common; /* a shift of 5 % or more shared by all timers is not a regression */
    double floor_frame; /* ignore changes below this share of the median frame; 0: 0.001 */
    bool allow_short;   /* compare candidates that are much shorter than the baseline or crashed */
};

/*
 * Compares the runs of two baselines, which are not used afterwards; opt may be NULL. TK_OK;
 * TK_EMATCH (nothing to compare); TK_EUSAGE (too little noise); TK_ENOMEM.
 */
TK_API int tk_compare(struct tk_comparison **out, const struct tk_baseline *baseline,
                      const struct tk_baseline *candidate, const struct tk_compare_options *opt,
                      struct tk_err *err);

/*
 * Excludes accepted regressions from the verdict, by a file (schemas/accepted.schema.json). They are still
 * reported. `now` is in seconds since 1970; entries whose end date is before it no longer apply. TK_OK;
 * TK_EUSAGE (not such a file); TK_EIO, TK_ELIMIT, TK_ENOMEM.
 */
TK_API int tk_comparison_accept(struct tk_comparison *comparison, const char *path, int64_t now,
                                struct tk_err *err);

/* How many regressions were excluded from the verdict. */
TK_API size_t tk_comparison_accepted(const struct tk_comparison *comparison);

/* Is there a regression, or a run that cannot be compared; is there anything that could not be decided? */
TK_API bool tk_comparison_regressed(const struct tk_comparison *comparison);
TK_API bool tk_comparison_inconclusive(const struct tk_comparison *comparison);

/* Are the runs of the candidate complete? Not if one has less than 90 % of the frames and of the time of the
 * baseline's median run, or ended in a recorded crash or fatal error. Always true if `allow_short` was
 * given. */
TK_API bool tk_comparison_comparable(const struct tk_comparison *comparison);

/*
 * Sends the table `changes`: one row per compared value, by kind, verdict and size of the change.
 * Columns: kind, name, thread, verdict, unit, baseline, candidate, ratio, low, high, p, renamed_to,
 * because_of, metric, path, raw_ratio. TK_OK or what a hook returned.
 */
TK_API int tk_comparison_rows(const struct tk_comparison *comparison, const struct tk_sink *sink,
                              struct tk_err *err);

/* "text", "markdown", "json", "csv", "junit", "github", "sarif", "folded", "html"; NULL-terminated, static.
 */
TK_API const char *const *tk_comparison_reports(void);

struct tk_report_options {
    size_t size;
    bool colour;      /* `text` */
    size_t top;       /* `text`, `markdown`: changes listed per verdict; 0: the default number */
    unsigned width;   /* `text` of comparisons: columns of the terminal; 0: do not wrap */
    bool plain_ascii; /* `text` of comparisons: no characters outside ASCII except in names */
    bool guard;       /* `csv`: keep spreadsheets from treating texts as formulas */
    bool plot;        /* `text` of trends: draw values as a plot of several lines */
};

/* Writes a report; opt may be NULL. TK_OK, TK_EMATCH (unknown kind), TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_comparison_report(const struct tk_comparison *comparison, const char *kind,
                                struct tk_output *out, const struct tk_report_options *opt,
                                struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_comparison_free(struct tk_comparison *comparison);

/* ---- 12 trends: what changed in a history of runs ----
 *
 * A history holds one value per run and series: percentiles of frame times, timers, memory and so on, of runs
 * in order. It is made from baselines or from numbers. A trend is the list of its changes: at which night
 * (the runs of one build), by how much, and how certain.
 *
 *     tk_history_new(&history, &err);
 *     rc = tk_history_read(history, "folder", &err);          runs.csv, series.csv, values.csv
 *     or for each file
 *         rc = tk_history_add(history, baseline, path, &err);
 *     rc = tk_history_sort(history, TK_ORDER_TIME, &err);     not after tk_history_read
 *     rc = tk_trend_find(&trend, history, NULL, &err);
 *     if (rc == TK_OK && tk_trend_regressed(trend))
 *         rc = tk_trend_report(trend, "text", out, NULL, &err);
 */

struct tk_history;
struct tk_trend;

/* An empty history; free with tk_history_free. TK_OK or TK_ENOMEM. */
TK_API int tk_history_new(struct tk_history **out, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_history_free(struct tk_history *history);

/* The number of its runs. */
TK_API size_t tk_history_count(const struct tk_history *history);

/*
 * Reads the files runs.csv, series.csv and values.csv of a folder into an empty history. TK_OK; TK_EFORMAT
 * with file and line; TK_EIO, TK_ELIMIT, TK_ENOMEM. After a failure the history can only be freed.
 */
TK_API int tk_history_read(struct tk_history *history, const char *folder, struct tk_err *err);

/*
 * Adds the values of all runs of a baseline, which is not used afterwards. Runs that the history has already
 * are left out and named in reports. `name` is the name of its runs. TK_OK or TK_ENOMEM.
 */
TK_API int tk_history_add(struct tk_history *history, const struct tk_baseline *baseline, const char *name,
                          struct tk_err *err);

enum tk_history_order {
    TK_ORDER_TIME, /* time of recording; by name unless it is known for every run */
    TK_ORDER_NAME,
    TK_ORDER_GIVEN
};

/* Orders the runs that were added, and groups those of one build. TK_OK or TK_ENOMEM. */
TK_API int tk_history_sort(struct tk_history *history, enum tk_history_order order, struct tk_err *err);

struct tk_trend_options {
    size_t size;
    double chance;     /* of a false change in a history without changes; 0: 0.05 */
    double floor;      /* ignore changes below this ratio; 0: 0.01 */
    double alarm;      /* changes with a lower p-value are regressions; 0: 0.001 */
    const char *since; /* name, file, build or number of a run: all changes since then that still hold count;
                          NULL: only the newest change of each series */
    bool likely;       /* drifts and probable changes count, too */
};

/*
 * Finds changes; opt may be NULL. The history is borrowed until the trend is freed. TK_OK; TK_EMATCH (no
 * runs, or no run matches `since`); TK_EUSAGE, TK_ENOMEM.
 */
TK_API int tk_trend_find(struct tk_trend **out, const struct tk_history *history,
                         const struct tk_trend_options *opt, struct tk_err *err);

/* Excludes accepted changes from the verdict, by a file as of tk_comparison_accept. They are still reported.
 * `since` in the file is compared with the time of the first run with the change. As
 * tk_comparison_accept. */
TK_API int tk_trend_accept(struct tk_trend *trend, const char *path, int64_t now, struct tk_err *err);

/* Is the newest change of a series a regression? */
TK_API bool tk_trend_regressed(const struct tk_trend *trend);

/* "text", "markdown", "json", "csv", "junit", "html"; NULL-terminated, static. */
TK_API const char *const *tk_trend_reports(void);

/* Writes a report. As tk_comparison_report. */
TK_API int tk_trend_report(const struct tk_trend *trend, const char *kind, struct tk_output *out,
                           const struct tk_report_options *opt, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_trend_free(struct tk_trend *trend);

/* ---- 13 budgets ----
 *
 *     rc = tk_budgets_load(&budgets, "budget.json", &err);
 *     if (rc == TK_OK)
 *         rc = tk_budgets_apply(budgets, runs, NULL, &err);   runs: a baseline
 *     if (rc == TK_OK && tk_budgets_exceeded(budgets))
 *         rc = tk_budgets_report(budgets, "text", out, NULL, &err);
 *     tk_budgets_free(budgets);
 */

struct tk_budgets;

/* Reads budgets (schemas/budget.schema.json) from a file. TK_OK; TK_EUSAGE (not JSON, unknown keys, wrong
 * types); TK_EIO, TK_ELIMIT, TK_ENOMEM. Free with tk_budgets_free. */
TK_API int tk_budgets_load(struct tk_budgets **out, const char *path, struct tk_err *err);

/* For captures added to the baseline from now on, the values of the budgets are known frame by frame: their
 * worst place is then a frame, and otherwise a block of frames. The budgets must stay valid while captures
 * are added. Baseline files do not store these values. */
TK_API void tk_baseline_watch(struct tk_baseline *baseline, const struct tk_budgets *budgets);

struct tk_budget_options {
    size_t size;
    bool mixed; /* runs of several applications or platforms may be checked; else TK_EMATCH names them */
    bool allow_short;                   /* check runs that ended in a crash, too */
    const struct tk_baseline *baseline; /* budgets for added cost: runs without it. Borrowed; may be NULL */
};

/* Checks each run of a baseline; opt may be NULL. A budget that names something no run has gets the verdict
 * `missing`. TK_OK; TK_EMATCH if there is no run, or runs are of several programs; TK_ELIMIT as
 * tk_baseline_save; TK_ENOMEM. */
TK_API int tk_budgets_apply(struct tk_budgets *budgets, const struct tk_baseline *runs,
                            const struct tk_budget_options *opt, struct tk_err *err);

/* After tk_budgets_apply: did no run end in a recorded crash or fatal error? Always true if
 * `allow_short` was given. */
TK_API bool tk_budgets_comparable(const struct tk_budgets *budgets);

/* After tk_budgets_apply: was an error level exceeded? */
TK_API bool tk_budgets_exceeded(const struct tk_budgets *budgets);

/* After tk_budgets_apply: how many budgets name something that no run has; and the reason for one of them
 * (from 0): "there is no timer 'X'; the nearest: 'Y'". Borrowed. */
TK_API size_t tk_budgets_missing(const struct tk_budgets *budgets);
TK_API const char *tk_budgets_missing_why(const struct tk_budgets *budgets, size_t i);

/* After tk_budgets_apply: as tk_baseline_lost_regions, for budgets whose region is a pattern. */
TK_API size_t tk_budgets_lost_regions(const struct tk_budgets *budgets);

/* "text", "markdown", "json", "csv", "junit", "github", "sarif", "html"; NULL-terminated, static. */
TK_API const char *const *tk_budgets_reports(void);

/* Writes a report. As tk_comparison_report. */
TK_API int tk_budgets_report(const struct tk_budgets *budgets, const char *kind, struct tk_output *out,
                             const struct tk_report_options *opt, struct tk_err *err);

/* Writes budgets that the runs just meet; margin 0.1: the error level is ten percent higher. TK_OK; TK_EMATCH
 * without a run; TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_budgets_write(const struct tk_baseline *runs, double margin, struct tk_output *out,
                            struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_budgets_free(struct tk_budgets *budgets);

#endif /* TK_STABLE_ONLY */

/* ---- 14 names and limits ---- */

/*
 * A text as messages show it: control sequences for terminals and commands for CI runners are escaped. Writes
 * at most `space` bytes without a NUL, complete characters only; returns their number.
 */
TK_API size_t tk_text_show(char *out, size_t capacity, const char *text, size_t n);

/* The name among n that is nearest to `wanted`, or NULL when none is near. */
TK_API const char *tk_nearest(const char *wanted, const char *const *names, size_t n);

/* The number of limits; name, default (UINT64_MAX: none) and meaning of limit `index`, from 0. Static;
 * arguments that are not needed may be NULL. */
TK_API size_t tk_limit_count(void);
TK_API void tk_limit_describe(size_t index, const char **name, uint64_t *value, const char **help);

/* Would tk_open() accept these limits? TK_OK, TK_EUSAGE. */
TK_API int tk_limit_check(const char *const *limits, size_t n, struct tk_err *err);

#ifndef TK_STABLE_ONLY

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
 *     TK_TEXT                        U   large UTF-8; invalid bytes become U+FFFD
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

/* ---- 16 pages: one HTML file about captures ----
 *
 * A page needs no server and loads nothing: style, script and data are inside it. Its tables are plain HTML,
 * which is readable even where scripts and styles are blocked; the script adds plots.
 *
 *     rc = tk_page_new(&page, NULL, &err);
 *     if (rc == TK_OK)
 *         rc = tk_page_add(page, trace, &query, "game.utrace", &err);    once per capture; then close it
 * then if (rc == TK_OK) rc = tk_page_write(page, out, &err); tk_page_free(page);
 */

struct tk_page;

struct tk_page_options {
    size_t size;
    const char *title; /* of the file; NULL: the name of the first capture */
    int64_t budget_ns; /* a line in the plot of frame times; 0: none */
    bool no_logs;      /* leave out log messages */
};

/* An empty page; options may be NULL. TK_OK; TK_EUSAGE; TK_ENOMEM. Free with tk_page_free, which takes NULL.
 */
TK_API int tk_page_new(struct tk_page **out, const struct tk_page_options *options, struct tk_err *err);
TK_API void tk_page_free(struct tk_page *page);

/*
 * Adds the content of a capture, which is read several times. Of the query only the selection, the hitches
 * and the kinds of work are used; query may be NULL. `name` is the name of the capture, displayed without
 * folders. As tk_query_run; after a failure the page contains nothing of the capture.
 */
TK_API int tk_page_add(struct tk_page *page, struct tk_trace *trace, const struct tk_query *query,
                       const char *name, struct tk_err *err);

/* Writes the file; the same captures give the same bytes. TK_OK, TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_page_write(const struct tk_page *page, struct tk_output *out, struct tk_err *err);
/* ---- 17 edits: valid captures from captures ----
 *
 *     const char *drop[] = {"memory", "Logging.*"};
 *     struct tk_edit_options options = TK_INIT(struct tk_edit_options);
 *     options.path = "small.utrace";
 *     options.drop = drop;
 *     options.n_drop = 2;
 *     rc = tk_edit_run(trace, NULL, &options, NULL, &err);
 *
 * Damaged captures are read as far as possible, and the result is intact. The result records the edit in an
 * event that other readers ignore, unless nothing had to be changed: then it is a copy.
 */

struct tk_edit_options {
    size_t size;
    const char *path; /* "-": standard output. Its ending chooses compression, as for tk_output_open() */
    bool force;       /* replace an existing output */
    bool dry_run;     /* nothing is written */
    /* Topics ("memory", "logs"), and patterns "Logger.Event" (for a .tracy topics, and letters of Tracy's
       update -s: "lmpMicsCS"): events to keep (none: all), and of those the
       ones to drop. The clock, threads and channels are always kept. */
    const char *const *keep, *const *drop;
    size_t n_keep, n_drop;
    const char
        *compress; /* "raw", "lz4", "lz4hc:1" to "lz4hc:12": packets of a .utrace; "zstd:-5" to "zstd:22" (not
                      0), "lz4", "lz4hc:1" to "lz4hc:12": blocks of a .tracy; NULL: as they are */
    /* Replace texts of these classes by pseudonyms ("paths,users"; "": all but names of timers; "all"); NULL:
       none. The result is searched for the texts, and is not written if one is found. */
    const char *anonymise;
    const char *const *keep_text; /* patterns of texts to keep */
    size_t n_keep_text;
    const char *key;  /* a file: with one key a text always gets the same pseudonym; NULL: random */
    unsigned streams; /* of a .tracy: 1 to 255; 0: as in the capture */
    bool close;       /* end scopes (zones) without an end at the last time of the capture */
};

/*
 * Writes an edited capture. `sink`, which may be NULL, gets the table `edit`: the events of each type, and
 * how many are kept; for a dry run that anonymises also `kept`, the texts that are kept. Of `select`, which
 * may be NULL, the times are used (everything between the first and the last of them is kept) and the threads
 * (scopes, logs, samples and times on cores of others are dropped). TK_OK; TK_EMATCH (a topic or pattern
 * matches nothing); TK_EUSAGE (options, or not possible for this capture); TK_EOUTPUT, TK_EPIPE, or as
 * tk_query_run. A failed edit leaves no output.
 */
TK_API int tk_edit_run(struct tk_trace *trace, const struct tk_selection *select,
                       const struct tk_edit_options *options, const struct tk_sink *sink, struct tk_err *err);

enum tk_merge_times {
    TK_MERGE_CLOCK, /* shifted by the wall-clock start of each program, in whole seconds; unchanged if that is
                       unknown or more than a day apart */
    TK_MERGE_KEEP   /* unchanged */
};

/*
 * Writes up to 128 captures as one. Damaged ones are repaired first. Captures of Tracy must be of 0.9 or
 * later, and the result has the newest of their versions. Threads, locks, memory pools and addresses of
 * different programs are kept separate; facts about the computer or program, such as the host, are those of
 * the first. Captures of Unreal Engine must be parts of one recording, by session and clock, of protocols 5
 * to 7: cut out of one capture, or recorded one after the other, in any order. Of the options path, force,
 * compress and (for Tracy) streams are used; `times` is for Tracy. TK_OK; TK_EUSAGE (options, or captures
 * that cannot be merged); TK_ELIMIT (more than one file can hold); TK_EOUTPUT, TK_EPIPE, or as tk_query_run.
 * A failed merge leaves no output.
 */
TK_API int tk_edit_merge(struct tk_trace *const *traces, size_t n, enum tk_merge_times times,
                         const struct tk_edit_options *options, struct tk_err *err);

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

/*
 * Answers the read-only statements of a text. The rows of each form a table named result, result_2 and so on.
 * TK_OK; TK_EUSAGE (invalid SQL: the causes have the position and the nearest names), TK_EMATCH (an argument
 * of a table matches nothing), TK_EOUTPUT (no space on disk for temporary rows), TK_ECANCELED, or as tk_open,
 * tk_query_run and the sink.
 */
TK_API int tk_sql_run(struct tk_sql *sql, const char *text, const struct tk_sink *sink, struct tk_err *err);

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

/* ---- 19 agents: answers for assistants ----
 *
 * The Model Context Protocol: JSON-RPC requests, one per line, and an answer to each. `tracekit mcp` connects
 * it to standard input and output. Captures are only read, and only those in the given folders can be
 * accessed.
 *
 *     rc = tk_agent_new(&agent, &options, &err);
 *     while (rc == TK_OK && getline(...) > 0) {
 *         rc = tk_agent_answer(agent, line, n, &answer, &n_answer, &err);
 *         ...
 *         tk_agent_free_text(answer);
 *     }
 *     tk_agent_free(agent);
 */

struct tk_agent;

struct tk_agent_options {
    size_t size;
    const char *const *folders; /* n_folders: what may be read */
    size_t n_folders;
    uint64_t answer_bytes;         /* maximum bytes of rows per answer; 0: 24 KB */
    const struct tk_options *open; /* how captures are opened; NULL: defaults. Borrowed */
    int (*stop)(void *ctx);        /* non-zero ends the current answer. May be NULL */
    void *stop_ctx;
};

/* TK_OK; TK_EUSAGE (no such folder); TK_ENOMEM. Free with tk_agent_free (NULL is allowed). */
TK_API int tk_agent_new(struct tk_agent **out, const struct tk_agent_options *options, struct tk_err *err);
TK_API void tk_agent_free(struct tk_agent *agent);

/* Answers a request of n arbitrary bytes: *answer has *n_answer bytes without a line break, or is NULL if the
 * request has no answer. Free with tk_agent_free_text (NULL is allowed). TK_OK or TK_ENOMEM. */
TK_API int tk_agent_answer(struct tk_agent *agent, const char *request, size_t n, char **answer,
                           size_t *n_answer, struct tk_err *err);
TK_API void tk_agent_free_text(char *text);

/* ---- 20 views: captures looked at in a browser ----
 *
 * A server that listens on 127.0.0.1 only, and a page that shows every scope of captures of any size. Without
 * the token at the end of the address the server answers nothing, and pages of other sites cannot access it.
 * Only the captures that were added are ever read.
 *
 *     rc = tk_view_new(&view, &options, &err);
 *     if (rc == TK_OK)
 *         rc = tk_view_add(view, "game.utrace", &err);
 *     if (rc == TK_OK) {
 *         printf("%s\n", tk_view_address(view));
 *         rc = tk_view_run(view, &err);            until options.stop is non-zero
 *     }
 *     tk_view_free(view);
 */

struct tk_view;

struct tk_view_options {
    size_t size;
    unsigned port;            /* 0: any that is free */
    const char *const *hosts; /* n_hosts further names under which a browser may reach it, "name:port", such
                                 as for a forwarded port. Borrowed */
    size_t n_hosts;
    int64_t idle_ns; /* end after this time without a request; 0: never */
    const struct tk_options
        *open;              /* how captures are opened; NULL: defaults. Borrowed with all it points to */
    int (*stop)(void *ctx); /* called regularly; non-zero ends tk_view_run. May be NULL */
    void *stop_ctx;
    /* For captures that grow while they are viewed: called several times a second for capture i, stores the
     * size of its file in *bytes. TK_ITEM: more may come; TK_OK: it has ended; negative: it is gone. The page
     * shows new data. NULL: captures do not grow, and one that does counts as replaced. */
    int (*grown)(void *ctx, size_t i, uint64_t *bytes);
    void *grown_ctx;
    void (*note)(void *ctx, const char *text); /* called with notes for the user, such as that a capture
                                                  was replaced. May be NULL */
    void *note_ctx;
};

/* Listens; options may be NULL. TK_OK; TK_EIO (the port is taken); TK_EUSAGE; TK_ENOMEM. Free with
 * tk_view_free (NULL is allowed). */
TK_API int tk_view_new(struct tk_view **out, const struct tk_view_options *options, struct tk_err *err);
TK_API void tk_view_free(struct tk_view *view);

/* Adds a capture, which must be a regular file; several are displayed one below the other. As tk_open;
 * TK_EUSAGE (too many, or tk_view_run was called). */
TK_API int tk_view_add(struct tk_view *view, const char *path, struct tk_err *err);

/* "http://127.0.0.1:PORT/#TOKEN". Lives as long as the view. */
TK_API const char *tk_view_address(const struct tk_view *view);

/* Answers requests until it is stopped or idle for too long: TK_OK; TK_EUSAGE (no capture), TK_EIO,
 * TK_ENOMEM. Call it once: afterwards nothing is read, and the captures are available from tk_view_trace. */
TK_API int tk_view_run(struct tk_view *view, struct tk_err *err);

/* After tk_view_run: capture i, from 0 in the order in which they were added, for its state (tk_damaged,
 * tk_partial, tk_lossy), and its path in *path. NULL after the last one. Both are borrowed until
 * tk_view_free. */
TK_API struct tk_trace *tk_view_trace(const struct tk_view *view, size_t i, const char **path);

#endif /* TK_STABLE_ONLY */

#ifdef __cplusplus
}
#endif

#endif
