/*
 * tracekit.h: read saved performance captures (Unreal Engine .utrace, Tracy .tracy) without engine or
 * viewer.
 *
 * This header is the manual. Each chapter begins with how its functions are used together; what a
 * function takes, returns and lets live stands above it.
 *
 *   1 versions                which library this is
 *   2 errors                  what functions return, and why something failed
 *   3 texts and values        what cells of tables hold
 *   4 captures                tk_open, tk_close, and what the file is
 *   5 tables                  what can be asked for, and how rows come
 *   6 queries                 tk_query_run: ask, and have rows sent
 *   7 cursors                 tk_cursor_next: ask, and take rows one batch at a time
 *   8 results                 keep rows, sort and cut them, walk them in any order
 *   9 writers                 rows as CSV, TSV, JSON, NDJSON, Markdown, aligned text
 *  10 exports                 a whole capture to a file of another tool
 *  11 baselines, comparisons  did it get slower, or is it noise
 *  12 trends                 what changed in a history of runs, and when
 *  13 budgets                does it keep its limits
 *  14 names and limits       did you mean
 *  15 columns                rows by column, as the Arrow C data interface has them
 *  16 pages                  one HTML file about captures, to be looked at
 *  17 edits                  a valid capture again, of what is to stay
 *  18 SQL                    questions in SQLite's language, over captures as they are
 *  19 agents                 the same answers for assistants, by the Model Context Protocol
 *  20 views                  captures looked at in a browser, by a server of this machine
 *
 * Chapters 1 to 9 and 14 are the stable half: what is in them stays in all versions with the same MAJOR from
 * 1.0 on, and other languages may bind it. Chapters 10 to 13, 15 to 20 are experimental and may still change
 * with each MINOR. With TK_STABLE_ONLY defined this header declares the stable half alone.
 *
 * A whole program, which prints what the scopes of each timer took in all:
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
 * Three longer ones are in examples/ of the sources and beside the documentation of an installation.
 *
 * Rules that hold everywhere:
 *   - Functions that can fail return TK_OK (0), TK_ITEM (1), or a negative enum tk_status. Their causes
 *     go to the caller's struct tk_err, which may be NULL where nobody wants to know.
 *   - The library never exits, prints or aborts. Memory that is out is an error like any other.
 *   - A damaged capture is no failure: all that can be read is read, and tk_health() and the table
 *     `health` say what is wrong and where. Only with tk_options.strict it is TK_EDAMAGE.
 *   - What is created by tk_..._new, _open, tk_budgets_load or tk_compare is freed by its own tk_..._free
 *     or _close, which take NULL; where that failed, *out is NULL. All other pointers are borrowed; the
 *     comment says for how long.
 *   - Texts are bytes with an encoding and are not NUL-terminated unless said.
 *   - Structs that callers fill begin with `size`: TK_INIT(struct tk_query) sets it and zeroes the rest,
 *     and zero is the usual value of every field. So a program can be run with a newer library whose
 *     struct has more fields. A size of 0, as without TK_INIT, is TK_EUSAGE.
 *   - The same capture and the same question give the same rows in the same order, for every number of
 *     threads.
 *
 * Threads: any thread may use any object, but one object is used by one thread at a time; different
 * captures, results, baselines, ... may be used at the same time. A capture keeps tk_options.jobs - 1
 * threads for its own work; they take none of the signals of the program. Sinks and tk_options.progress
 * are called in the thread that called the library, in tk_cursor_next() in one of its own while the caller
 * waits. There is no global state but the SIGBUS handler of tk_options.map, which is there while such
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
 * TK_VERSION_... are of the header a program was compiled with, tk_version() is of the library it runs
 * with. Versions are MAJOR.MINOR.PATCH. Before 1.0 another MINOR may change anything, and the shared
 * library has the soname libtracekit.so.0; a PATCH changes no function, struct or meaning. The symbols
 * have the version TRACEKIT_0.
 */

#define TK_VERSION_MAJOR 0
#define TK_VERSION_MINOR 2
#define TK_VERSION_PATCH 0
#define TK_VERSION       "0.2.0"

/* Version of the library that runs, "0.2.0". Static. */
TK_API const char *tk_version(void);

/* The same as one number, MAJOR * 1000000 + MINOR * 1000 + PATCH: 2000 is 0.2.0. Who loads the library while
 * it runs compares it with the TK_VERSION_NUMBER it was made for, before anything else is called. */
#define TK_VERSION_NUMBER (TK_VERSION_MAJOR * 1000000 + TK_VERSION_MINOR * 1000 + TK_VERSION_PATCH)
TK_API uint32_t tk_version_number(void);

/* The versions of the libraries it runs with, "lz4 1.9.4, zstd 1.5.4, ...". Static. */
TK_API const char *tk_version_libraries(void);

/* Zero-initialises a struct that begins with `size`, and says how large this program knows it. */
#define TK_INIT(type) ((type){.size = sizeof(type)})

/* ---- 2 errors ----
 *
 * A failure is a negative status and a list of causes: what went wrong first, then what that made
 * impossible. The last one is what to show to somebody, those before it say why:
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
    TK_EFORMAT = -4,   /* the input is no capture, or one that cannot be read at all */
    TK_EOUTPUT = -5,   /* the output cannot be written */
    TK_EPIPE = -6,     /* the reader of the output has closed it */
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

/*
 * The outermost cause of a failure, or where there is none (or err is NULL) a sentence about the status,
 * as "out of memory". Lives as long as err.
 */
TK_API const char *tk_err_text(const struct tk_err *err, int status);

/*
 * For languages that know no layout of structs: a struct tk_err of the library, which every function takes
 * and which can be used again and again; NULL when memory is out. Free with tk_err_free, which takes NULL.
 */
TK_API struct tk_err *tk_err_new(void);
TK_API void tk_err_free(struct tk_err *err);

/* Its status; how many causes it has; one of them, the innermost is 0 (NULL behind the last one), which lives
 * until the struct is used again. NULL is an error without causes. */
TK_API int tk_err_status(const struct tk_err *err);
TK_API size_t tk_err_count(const struct tk_err *err);
TK_API const char *tk_err_cause(const struct tk_err *err, size_t i);

/* ---- 3 texts and values ----
 *
 * A row is an array of cells, one a column. A cell has its kind with it, as any may be TK_NONE, "there is
 * no value here"; look at `kind` before the union. Times are integers in nanoseconds (or clock cycles,
 * with TK_UNIT_CYCLES) since the start of the capture; only means are rounded. Cycles from 2^63 on are of
 * kind TK_UINT. Nanoseconds beyond 292 years are shown as that; `health` lists them (`time_beyond`).
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
    TK_NONE = 0, /* no value here */
    TK_BOOL,     /* u */
    TK_INT,      /* i */
    TK_UINT,     /* u */
    TK_HEX,      /* u: an address, pointer or hash */
    TK_REAL32,   /* r, with single precision */
    TK_REAL,     /* r */
    TK_TIME,     /* i: a point in time, in the unit of the table */
    TK_DURATION, /* i: a length of time, in the unit of the table */
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
    bool named;         /* the first field is its name, which in a list for people stands for all of it */
};

/* Named values. Borrowed like the rows it comes in. */
struct tk_record {
    const struct tk_record_type *type;
    const void *impl; /* the library's */
};

/*
 * The same without the layout of the struct. Numbers of all kinds convert: tk_cell_int and tk_cell_uint to
 * the nearest integer that they can hold, where a real loses its fraction and NaN is 0. What is no number is
 * 0, or NaN for tk_cell_real.
 */
TK_API enum tk_kind tk_cell_kind(const struct tk_cell *cell);
TK_API int64_t tk_cell_int(const struct tk_cell *cell);
TK_API uint64_t tk_cell_uint(const struct tk_cell *cell);
TK_API double tk_cell_real(const struct tk_cell *cell);

/* The bytes of TK_TEXT and TK_BYTES, and how many in *n; NULL and 0 for other kinds. They live as long as the
 * cell. And the encoding of a TK_TEXT. */
TK_API const char *tk_cell_bytes(const struct tk_cell *cell, size_t *n);
TK_API enum tk_encoding tk_cell_encoding(const struct tk_cell *cell);

/* ---- 4 captures ----
 *
 * tk_open() reads headers and definitions and finds out what the file is; what takes long is read by
 * queries, each of which may read the capture once more. What is known of it as a whole are tables like
 * any other: `capture`, `session`, `threads`, `channels`, `health`. A query for `health` reads everything, so
 * that an empty table is one of a sound capture.
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
    unsigned jobs; /* threads that work, the caller included; 0 for one */
    const char *const *limits; /* n_limits texts "name=value" */
    size_t n_limits;
    const char *spool_dir; /* for pipes and compressed input; NULL: TMPDIR or /tmp */
    /* Called now and then with bytes done and in all (0 when unknown); non-zero cancels. May be NULL. */
    int (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *progress_ctx;
    /*
     * Where symbols are looked for that captures do not have: n_symbols folders, symbol stores and files.
     * Without any: the places in TRACEKIT_SYMBOLS; without that the folder of the capture and the usual
     * places of the system. They are read when a table shows functions, copied when the capture is opened,
     * and are files of this machine: no network is ever asked. `map` holds for them, too.
     */
    const char *const *symbols;
    size_t n_symbols;
    bool no_symbols; /* none but those of the capture */
    bool no_inlines; /* what was inlined belongs to the function that it was inlined in */
    /* A pattern: the scopes, else the regions, else the bookmarks and messages with such a name are the game
     * frames, in the place of those that the capture has. It is read for them when it is opened; TK_EMATCH
     * where nothing fits. NULL: not asked. */
    const char *frames_from;
    /* As frames_from, for runs that are compared: their unit is each occurrence of a timer or region, and not
     * the frame. Runs of different units are not compared. Goes without frames_from. NULL: not asked. */
    const char *per;
    /* Keep what files of symbols answer in the folder of the user for caches, below tracekit/symbols, a file
     * for each image id, and use what is there. TRACEKIT_CACHE_SIZE is its size in bytes, usually 2 GiB. */
    bool cache_symbols;
    /* Folders with the sources of the program, n_sources of them, for the table `source_lines`. A path of the
     * compiler's machine means the file below them that has most of its last parts; links are not followed.
     */
    const char *const *sources;
    size_t n_sources;
    /* What was answered, and what a whole reading of a .utrace found out, so that the next ones read only
     * what they need: the path of a file that is used when it fits the capture and made else, or "cache" for
     * one in the folder of the user for caches, below tracekit/captures, made by readings that took over two
     * seconds. Answers are the same with and without it. Only the name of a file is used, not what is read
     * otherwise. What is no index, nor an empty file, is not replaced. NULL: it is neither used nor made. */
    const char *index;
    /* For a first look: open a capture of more bytes than the limit `whole_bytes` in part, where its format
     * can do that, and no index of it is kept. tk_in_part() says whether it was. */
    bool in_part;
};

/*
 * Options for languages that know no layout of structs: they have the usual values, and own copies of what is
 * set in them. TK_OK or TK_ENOMEM. Free with tk_options_free, which takes NULL.
 *
 * The others set fields of options that are from tk_options_new: tk_options_set "map", "strict",
 * "no_symbols", "no_inlines", "cache_symbols" (0 or 1) and "jobs"; tk_options_text "spool_dir";
 * tk_options_add adds a text to the lists "limits", "symbols" and "sources". TK_OK; TK_EMATCH (there is no
 * such field); TK_EUSAGE (a number that the field cannot have); TK_ENOMEM.
 */
TK_API int tk_options_new(struct tk_options **out, struct tk_err *err);
TK_API int tk_options_set(struct tk_options *options, const char *field, int64_t value, struct tk_err *err);
TK_API int tk_options_text(struct tk_options *options, const char *field, const char *text,
                           struct tk_err *err);
TK_API int tk_options_add(struct tk_options *options, const char *field, const char *text,
                          struct tk_err *err);
TK_API void tk_options_free(struct tk_options *options);

/*
 * Opens a capture. path "-" is standard input. Pipes and compressed inputs (.zst, .lz4, .gz, known by
 * their bytes) are unpacked to an unlinked temporary file first. opt may be NULL. TK_OK, TK_EIO,
 * TK_EFORMAT, TK_ENOMEM, TK_ELIMIT, TK_EDAMAGE, TK_EUSAGE (unknown limit, or `index` names
 * something that is no index), TK_EOUTPUT (no index can be written there), TK_ECANCELED (by progress).
 */
TK_API int tk_open(struct tk_trace **out, const char *path, const struct tk_options *opt, struct tk_err *err);

/*
 * The same for n bytes at p, which are borrowed and must stay as they are until tk_close(). Compressed ones
 * are unpacked to a temporary file. n may be 0, which is no capture.
 */
TK_API int tk_open_memory(struct tk_trace **out, const void *p, size_t n, const struct tk_options *opt,
                          struct tk_err *err);

/*
 * The same for an open file descriptor, which is borrowed and must stay open until tk_close(). A file that
 * stands at its start is read where it lies, and its position stays; all else is read from where it stands to
 * its end and copied to a temporary file, as pipes are.
 */
TK_API int tk_open_descriptor(struct tk_trace **out, int descriptor, const struct tk_options *opt,
                              struct tk_err *err);

/*
 * Reads up to n bytes at `offset` to p: how many is *got, 0 only where there are no more. TK_OK, or a
 * negative status: TK_ECANCELED and TK_ENOMEM are what the call of the library then returns, all others are
 * TK_EIO there.
 */
typedef int tk_read(void *ctx, uint64_t offset, void *p, size_t n, size_t *got);

/*
 * The same for n bytes that the program reads itself, as from an archive or a network. `read` and ctx are
 * used until tk_close(). It is called by one thread at a time, which may be one of the library's, for parts
 * in any order, and for the same part again; it must not use the capture. Where it ends before n bytes the
 * capture is damaged, as one whose file became shorter.
 */
TK_API int tk_open_reader(struct tk_trace **out, tk_read *read, void *ctx, uint64_t n,
                          const struct tk_options *opt, struct tk_err *err);

/* Is the file a capture, by its first bytes, of a format and version that is known by name at least? 1, 0, or
 * TK_ENOMEM. Compressed ones are unpacked for that; standard input is never taken for one. */
TK_API int tk_capture_is(const char *path);

/* Frees everything. NULL is allowed. */
TK_API void tk_close(struct tk_trace *trace);

/*
 * What symbols knew of the addresses that tables have shown so far, as a sentence of at most n bytes with its
 * NUL: "2 of 3 modules, 40 of 41 addresses; no file: libc.so.6". 0: no address was looked up, and there is no
 * sentence; 1; 2: there is a file that could not be used, of another build or damaged, or damaged in part.
 */
TK_API int tk_symbols_tell(const struct tk_trace *trace, char *text, size_t n);

/* Is there damage in what was read so far? (the exit status 4 of the commands) */
TK_API bool tk_damaged(const struct tk_trace *trace);

/* Was something left out, in what was read so far, because a limit was reached? The capture is not to blame.
 * (the exit status 4 of the commands, too) */
TK_API bool tk_partial(const struct tk_trace *trace);

/* Is there a sign, in what was read so far, that events were lost: serial numbers that are missing between
 * others or come late, references to what is not defined? No damage by itself. */
TK_API bool tk_lossy(const struct tk_trace *trace);

/* Does the capture end inside a packet or record? */
TK_API bool tk_truncated(const struct tk_trace *trace);

/*
 * Was the capture opened in part (options.in_part)? What is read of it goes to text, of n bytes with its NUL:
 * "the first and last 256 KiB". 0: no. 1: its ends are. Counts are those of the beginning, times of a query
 * for the table `capture` alone those of both ends: all are lower bounds. 2: queries that are in passing read
 * what stands in front of all events, others all of it.
 */
TK_API int tk_in_part(const struct tk_trace *trace, char *text, size_t n);

/* Was anything recorded at all: is there at least one event? */
TK_API bool tk_empty(const struct tk_trace *trace);

/* ---- 5 tables ----
 *
 * Everything that is known about a capture is a table: columns that are described once, and rows in
 * batches. All tables with their columns are listed by tk_tables(), and by `trace-stats --list`. A query
 * may ask for some columns, so look columns up by their names in the table that comes with the rows:
 *
 *     int at = tk_table_column(table, "count");
 *     for (size_t i = 0; i < rows->n; i++)
 *         use(&rows->cells[i * table->n_columns + (size_t)at]);
 */

struct tk_column {
    const char *name;
    uint8_t kind;     /* enum tk_kind of its cells (which may be TK_NONE) */
    uint8_t flags;    /* TK_COL_... */
    const char *unit; /* "calls", "bytes", ... ; NULL where the kind says it; times take the table's */
    const char *help; /* one sentence */
};

#define TK_COL_EXTRA       1   /* not shown unless asked for */
#define TK_COL_GROUP       2   /* part of the key of the row (shown when grouping asks for it) */
#define TK_COL_LOWER_BOUND 4   /* values are lower bounds: people see ">=" */
#define TK_COL_HUMAN_ONLY  8   /* with EXTRA: shown to people unasked */
#define TK_COL_OPTIONAL    16  /* the first to go where a terminal is too narrow for all */
#define TK_COL_BAR         32  /* a text of signs, as many as something is long: people see a bar that fits */
#define TK_COL_PART        128 /* a part of a whole, 0 to 1: people see percent */

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
    const char *none;    /* what they read where there are no rows, or NULL */
};

#define TK_TABLE_SINGLE 1  /* exactly one row: an object rather than a list */
#define TK_TABLE_ASKED  2  /* answers a question of the query; not among all tables of an export */
#define TK_TABLE_WHOLE  4  /* has all its columns, whatever columns the query names for the other table */
#define TK_TABLE_TIMES  8  /* about times of scopes: what `quality` says of a selection holds for its rows */
#define TK_TABLE_EACH   16 /* a row is one event: an export that cannot hold it reports it */
#define TK_TABLE_AFTER  64 /* WHOLE where it is not the first table of the query */
#define TK_TABLE_VARIES                                                                                      \
    128 /* each format has some of these columns: where a query names none, it gets those */

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

/* The place of the column of a name, or -1. */
TK_API int tk_table_column(const struct tk_table *table, const char *name);

/*
 * The same without the layout of the structs: of a table its name, help, unit and number of columns; of a
 * column (from 0) its name, kind, flags (TK_COL_...), unit (may be NULL) and help. Behind the last column
 * NULL, TK_NONE and 0. Texts live as long as the table.
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

/* All tables there are: *n of them, static, units as by default. */
TK_API const struct tk_table *const *tk_tables(size_t *n);

/* The table of a name, or NULL. */
TK_API const struct tk_table *tk_table_find(const char *name);

/* Can this capture answer a query for the table of that name? Tables that describe files belong to one format
 * or several. */
TK_API bool tk_has_table(const struct tk_trace *trace, const char *name);

/* ---- 6 queries ----
 *
 * A query names tables, and what of the capture they are about. Its rows are sent to a struct tk_sink:
 * one of your own, a result (8), a writer (9). Several tables of one query are answered in one reading of
 * the capture where that can be, so ask for them together. Most tables stream, in memory that does not
 * grow with the capture; those that have to be sorted or paired first say so in their help.
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
 * A pattern is a name with * and ? in it, or several with | between them; one without a capital letter
 * matches capitals, too.
 */

/* What part of the capture is asked about. Lists are of patterns; an exact name is tried before the pattern.
 */
struct tk_selection {
    bool has_from, has_to;
    int64_t from_ns, to_ns; /* since the start of the capture; [from, to) */
    bool has_frames;
    uint64_t first_frame, last_frame; /* game frames, both included; not the time between frames */
    const char *frame_list; /* of these frames only those listed, as "100,233,350-360"; NULL: all of them */
    const char *from_bookmark, *to_bookmark; /* patterns: from the first bookmark that fits, until the next
                                                one that does; NULL: not asked */
    const char *const *regions, *const *threads, *const *timers, *const *events;
    size_t n_regions, n_threads, n_timers, n_events;
    bool unmatched; /* threads and timers that match nothing are no mistake: they select nothing */
    const uint32_t
        *thread_ids; /* n_thread_ids: of those that fit `threads`, only these, as where several
                        have a name (refused without `threads`); 0: all. Queues of GPUs need none */
    size_t n_thread_ids;
};

enum tk_order { TK_ORDER_FILE = 0, TK_ORDER_SERIAL };

/* What rows are for; tables without that distinction ignore it. The table `memory` is by all of them unless
 * one that it knows is asked for. */
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
#define TK_BY_HUMAN      0x40000000u /* no grouping: where no columns are named, also those for people */
#define TK_BY_EXTRA      0x80000000u /* no grouping: where no columns are named, also those not shown unasked */

/* Which allocations the tables about memory show as alive. */
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
        *callees;   /* pattern of timers, or of functions, whose callers or callees are asked for */
    unsigned depth; /* most steps from the root; 0: all */
    double
        min_share; /* of the time or samples of all roots: less is put together as (other); 0: nothing is */
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
    bool in_passing;  /* health, ledger: of what the other tables read; else all is read for them */
    /* Conditions on rows: only those that meet all of them are sent. "dur>5ms", "text~stream",
       "verbosity<=warning", "logs.category=LogNet*": a column, with its table in front where several have it;
       one of = != < <= > >= ~ (contains) !~; a value. Texts are compared as patterns are, times need a unit,
       no value is a cell without one. Tables without the column are sent whole, if another one has it. */
    const char *const *where;
    size_t n_where;
    /* Called at the end of each table that conditions were about: how many of its rows met them. NULL: nobody
     * is. */
    void (*filtered)(void *ctx, const char *table, uint64_t kept, uint64_t rows);
    void *filtered_ctx;
    uint64_t top_hitches; /* table `hitches`: so many of them, the longest; 0: all */
    bool worst_first; /* likewise: the longest first, which top_hitches implies; else in order of frames */
    /* Memory: functions that hand memory on for others, patterns of names, a line each, in the place of those
     * that are usual; what begins with # is left out. NULL: those. */
    const char *allocators;
    const char *source_of; /* pattern of the functions that the table `source_lines` is of */
};

/*
 * A query for languages that know no layout of structs, in the way of tk_options_new. Functions that take a
 * query take this one as any other.
 *
 * Fields have the names of the members of struct tk_query and of the structs in it. tk_query_add: "tables",
 * "columns", "regions", "threads", "timers", "events", "per_frame", "where". tk_query_text: "from_bookmark",
 * "frame_list", "to_bookmark", "histogram", "callers", "callees", "work", "allocators", "source_of".
 * tk_query_real: "min_share", "times". tk_query_set: "unit", "by", "order", "clip", "mixed", "in_passing",
 * "slowest", "depth", "budget_ns", "reasons", "top_hitches", "worst_first", "from_ns", "to_ns",
 * "first_frame", "last_frame", "memory_at_ns", "memory_from_ns", "memory_to_ns". Setting a bound asks for it,
 * as has_from does; of frames and of a window of memory the upper one does.
 */
TK_API int tk_query_new(struct tk_query **out, struct tk_err *err);
TK_API int tk_query_set(struct tk_query *query, const char *field, int64_t value, struct tk_err *err);
TK_API int tk_query_real(struct tk_query *query, const char *field, double value, struct tk_err *err);
TK_API int tk_query_text(struct tk_query *query, const char *field, const char *text, struct tk_err *err);
TK_API int tk_query_add(struct tk_query *query, const char *field, const char *text, struct tk_err *err);
TK_API void tk_query_free(struct tk_query *query);

/*
 * Answers a query: for each table begin, rows..., end on the sink, one table after another in the order
 * asked. The struct tk_table given to the sink has just the columns asked for and lives until the call
 * returns. TK_OK; TK_EMATCH (unknown table or column, filter that matches nothing: the causes name the
 * nearest names); TK_EUSAGE, TK_EIO, TK_ENOMEM, TK_ELIMIT, TK_EDAMAGE (strict), or what a hook returned.
 */
TK_API int tk_query_run(struct tk_trace *trace, const struct tk_query *query, const struct tk_sink *sink,
                        struct tk_err *err);

/*
 * Sends the table `health` as far as the capture was read; reads nothing. As long as no query went through
 * the events it has a row of the kind not_read, which stands for no fault. TK_OK, TK_ENOMEM or what a hook
 * returned.
 */
TK_API int tk_health(struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err);

/* ---- 7 cursors: rows when the caller asks for them ----
 *
 * The same query without a callback. It is answered in a thread that works only while tk_cursor_next()
 * waits for it, so nothing runs ahead, nothing is copied, and a cursor can be left at any time.
 *
 *     rc = tk_cursor_open(&cursor, trace, &query, &err);
 *     while (rc >= TK_OK && (rc = tk_cursor_next(cursor, &table, &rows, &err)) == TK_ITEM)
 *         ...
 *     tk_cursor_close(cursor);
 */

struct tk_cursor;

/*
 * Begins to answer a query. The query and all it points to must stay as they are until tk_cursor_close(),
 * and the capture must not be used for anything else. TK_OK or TK_ENOMEM; what is wrong with the query is
 * reported by tk_cursor_next().
 */
TK_API int tk_cursor_open(struct tk_cursor **out, struct tk_trace *trace, const struct tk_query *query,
                          struct tk_err *err);

/*
 * The next rows, which are there until the next call or the end of the cursor; their table likewise.
 * TK_ITEM; TK_OK after the last row; or as tk_query_run. Tables without rows do not come.
 */
TK_API int tk_cursor_next(struct tk_cursor *cursor, const struct tk_table **table, struct tk_rows *rows,
                          struct tk_err *err);

/* Ends it, also before the last row. NULL is allowed. */
TK_API void tk_cursor_close(struct tk_cursor *cursor);

/* ---- 8 results: a sink that keeps ----
 *
 * For what is to be sorted, cut, or looked at in any order. All rows are held in memory.
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

/* Creates one and answers a query into it. As tk_query_run; *out is NULL where that failed. */
TK_API int tk_result_query(struct tk_result **out, struct tk_trace *trace, const struct tk_query *query,
                           struct tk_err *err);

/* The sink that fills it, for as long as the result lives. Copies all that cells point to; records are
 * flattened to copies too. */
TK_API struct tk_sink tk_result_sink(struct tk_result *result);

/* From its first row on, rows are packed: a quarter of the memory or less, for results that are only sorted,
 * cut and sent on. tk_result_row and tk_result_cell are NULL for them, and tk_result_columns is TK_EUSAGE. Of
 * a result that has a table already nothing changes. */
TK_API void tk_result_pack(struct tk_result *result);

/* Number of tables, and one of them, the first is 0 (borrowed, as long as the result); n_rows may be NULL. */
TK_API size_t tk_result_count(const struct tk_result *result);
TK_API const struct tk_table *tk_result_table(const struct tk_result *result, size_t table, size_t *n_rows);

/* The cells of a row (borrowed until the result is sorted or freed). */
TK_API const struct tk_cell *tk_result_row(const struct tk_result *result, size_t table, size_t row);

/* One cell of a row (likewise), or NULL where there is no such table, row or column. */
TK_API const struct tk_cell *tk_result_cell(const struct tk_result *result, size_t table, size_t row,
                                            size_t column);

/* Sorts stably by a column, which is what the table is read by from then on (sort_by); TK_OK; TK_EMATCH
 * when there is none of the name; TK_ENOMEM. Empty cells come last, whatever the direction. */
TK_API int tk_result_sort(struct tk_result *result, size_t table, const char *column, bool descending,
                          struct tk_err *err);

/* Keeps the rows that meet the conditions of a query (its `where`; of the other fields `filtered` alone is
 * looked at). TK_OK; TK_EMATCH for a column that none of the tables has; TK_EUSAGE for a condition that makes
 * no sense; TK_ENOMEM. */
TK_API int tk_result_where(struct tk_result *result, const struct tk_query *query, struct tk_err *err);

/* Keeps the first n rows. */
TK_API void tk_result_top(struct tk_result *result, size_t table, size_t n);

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
 *         rc = tk_output_commit(out, &err);    now the file is there
 *     else
 *         tk_output_discard(out);              nothing is left
 */

struct tk_output;

/*
 * An output: path "-" is standard output (not closed). A file is written beside its final name and
 * renamed by tk_output_commit; without it nothing is left. What goes to a name that ends in .gz, .zst or
 * .lz4 is compressed. An existing file is replaced only with `force`. TK_OK, TK_EOUTPUT, TK_ENOMEM.
 */
TK_API int tk_output_open(struct tk_output **out, const char *path, bool force, struct tk_err *err);

/* From now on `stop` is asked before each write to the system; when it says other than 0, that fails with
 * TK_ECANCELED. */
TK_API void tk_output_stop(struct tk_output *out, int (*stop)(void *ctx), void *ctx);

/* From now on characters that could steer a terminal are escaped, as formats for programs do not do. */
TK_API void tk_output_escape(struct tk_output *out);

/* Appends bytes; TK_OK, TK_EOUTPUT, TK_EPIPE or TK_ECANCELED. Of a disk the last tenth of what was free is
 * not used up: TK_EOUTPUT. */
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
    bool fit;         /* `table`: columns that do not fit the width are left out, and named below the rows */
    const char *compress; /* parquet, arrow, arrows: "zstd" or "none"; NULL: parquet "zstd", else "none" */
    bool as_they_come;  /* parquet: rows keep their order; else scopes are sorted by thread and start in each
                           group of rows */
    const char *source; /* parquet, arrow, arrows: what the capture is called, for the metadata; NULL: none */
};

struct tk_writer;

/*
 * Formats there are: "table" (aligned), "plot" (pictures), "text" (a line per row, as they come), "csv",
 * "tsv", "json", "ndjson", "markdown"; for one table "parquet", "arrow" (the IPC file; to a pipe the stream),
 * "arrows" (the stream). Those three are binary, and their times are nanoseconds or cycles. NULL-terminated,
 * static.
 */
TK_API const char *const *tk_writer_formats(void);

/* Makes a sink of a format onto an output (borrowed); opt may be NULL. TK_OK; TK_EMATCH for an unknown
 * format; TK_ENOMEM. Free with tk_writer_free. */
TK_API int tk_writer_new(struct tk_writer **writer, const char *format, struct tk_output *out,
                         const struct tk_writer_options *opt, struct tk_err *err);

/* The sink that writes, for as long as the writer lives. */
TK_API struct tk_sink tk_writer_sink(struct tk_writer *writer);

/* Writes what closes the document (after the last table). TK_OK, TK_EOUTPUT, TK_EPIPE or TK_ENOMEM. */
TK_API int tk_writer_finish(struct tk_writer *writer, struct tk_err *err);

/* How many values of a column (by its place in the last table, from 0) the type of the column in parquet,
 * arrow or arrows does not hold: they are null there. 0 in all other formats. */
TK_API uint64_t tk_writer_lost(const struct tk_writer *writer, size_t column);

/* How many whole numbers of a column, counted as there, are beyond 2^53 in a column of reals of parquet, arrow or
 * arrows, and have lost digits: the nearest real stands there. 0 in all other formats. */
TK_API uint64_t tk_writer_rounded(const struct tk_writer *writer, size_t column);

/* Leaves the output alone. NULL is allowed. */
TK_API void tk_writer_free(struct tk_writer *writer);

#ifndef TK_STABLE_ONLY

/* ---- 10 exports: all of a capture to files that other tools read ----
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
    bool self;               /* own times */
    bool unwrap;             /* a row for each zone */
    bool raw;                /* nothing is quoted; numbers and texts as the other tool has them */
    bool match_case;         /* of the filter */
    const char *filter;      /* only zones with this in their names; NULL: all */
    const char *separator;   /* between cells; NULL: a comma */
    unsigned truncated_mean; /* percentile, 1 to 99, of two more columns; 0: none */
};

struct tk_run_info; /* see 11 */

struct tk_export_options {
    size_t size;
    const char *format; /* one of tk_export_formats() */
    const char *path;   /* "-": standard output; a folder for several tables as csv, tsv, parquet or
                           arrow, and for pictures */
    bool force;         /* replace what is there */
    const struct tk_writer_options *writer; /* csv, tsv, ndjson, parquet, arrow, arrows; may be NULL */
    bool args;                              /* chrome, perfetto: the texts and places that belong to items */
    bool per_thread;                        /* folded, pprof: threads are kept apart */
    const char *weight;    /* folded, flamegraph: "time" (own, also for NULL), "count", "bytes", "samples";
                              pprof: NULL or "samples" */
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
    const char *sort;     /* tables: "start": scopes in order of start; NULL: as they come */
    uint64_t split_bytes; /* chrome: several files of about so many bytes, numbered; 0: one */
    int64_t split_ns;     /* chrome: several files of so many nanoseconds each, numbered; 0: one */
    /* Called for each table whose rows the format cannot hold (of things that happened: TK_TABLE_EACH).
       The output is complete by then. NULL: nothing is counted, and what is only counted is not read. */
    void (*left_out)(void *ctx, const char *table, uint64_t rows);
    void *ctx;
    bool escape;                    /* csv, tsv, ndjson, folded, JSON to a terminal: as tk_output_escape */
    const struct tk_run_info *info; /* sqlite: what is said of the run; NULL: nothing */
    bool strip_paths;               /* tksym: source files without their folders */
    bool *already; /* sqlite: becomes true, and nothing is added, where the database has the capture; may be
                      NULL */
    const char
        *partition; /* parquet, arrow, arrows: the name of the capture. Tables go to TABLE/capture=NAME/
                       part-0.FORMAT in a folder that may hold those of others; NULL: TABLE.FORMAT */
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

/* Presets there are, NULL-terminated. Static. */
TK_API const struct tk_export_preset *const *tk_export_presets(void);

/*
 * Writes what the query asks for. Without a table, table formats get every table but `events`, which says
 * what the others say once more. TK_OK; TK_EMATCH (unknown format), TK_EUSAGE, TK_EOUTPUT, TK_EPIPE, or
 * as tk_query_run. Nothing is left of an export that failed.
 */
TK_API int tk_export_run(struct tk_trace *trace, const struct tk_query *query,
                         const struct tk_export_options *options, struct tk_err *err);

/*
 * Writes how two captures compare in the layout of a preset that has one for that: `trace` beside
 * `other`. options.preset says which; of the query the tables count. As tk_export_run.
 */
TK_API int tk_export_pair(struct tk_trace *trace, struct tk_trace *other, const struct tk_query *query,
                          const struct tk_export_options *options, struct tk_err *err);

/*
 * Sends how a table of two captures differs, row by row: `name` is one of tk_difference_tables(). The query
 * says what is selected of both, and how memory is grouped; its tables and columns do not count. As
 * tk_query_run; TK_EMATCH: there is no such table, or a capture has nothing that it is about. *side is then
 * the capture that a failure is about: 0 the base, 1 the candidate.
 *
 *     memory_difference    memory_growth of the one beside that of the other
 *     sample_difference    shares of samples by function, with the chance that they are the same
 */
TK_API int tk_difference_run(struct tk_trace *base, struct tk_trace *candidate, const char *name,
                             const struct tk_query *query, const struct tk_sink *sink, unsigned *side,
                             struct tk_err *err);

/* Their names, NULL-terminated. Static. */
TK_API const char *const *tk_difference_tables(void);

/* ---- 11 baselines and comparisons ----
 *
 * A baseline holds what is compared of one or many runs, in some kilobytes a run; it is made of captures,
 * or read from a file that was made of captures before. Two of them are compared:
 *
 *     tk_baseline_new(&base, &err);
 *     rc = tk_baseline_add(base, old_trace, NULL, &err);      once a run; the capture can be closed then
 *     ...
 *     rc = tk_compare(&comparison, base, candidate, NULL, &err);
 *     if (rc == TK_OK && tk_comparison_regressed(comparison))
 *         rc = tk_comparison_rows(comparison, &sink, &err);
 *
 * Whether a change means anything follows from the spread between runs, so several runs a side say
 * more than one.
 */

struct tk_baseline;
struct tk_comparison;

/* An empty baseline; free with tk_baseline_free. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_new(struct tk_baseline **out, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_baseline_free(struct tk_baseline *baseline);

/* How many runs there are in it. */
TK_API size_t tk_baseline_count(const struct tk_baseline *baseline);

/* Is the file a baseline, by its first bytes? 1, 0, or TK_ENOMEM. Standard input ("-") and pipes, which could
 * not be read once more, are never taken for one. */
TK_API int tk_baseline_is(const char *path);

/*
 * Adds all runs of a baseline file. TK_OK; TK_EFORMAT (a newer version, a wrong checksum, cut off);
 * TK_EUSAGE (a run that is there already); TK_EIO, TK_ENOMEM, TK_ELIMIT.
 */
TK_API int tk_baseline_load(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/*
 * The same for tk_history_add() alone, which it makes many times as fast: of runs that were written by a
 * program of this version or later nothing is read but what histories hold. Such runs cannot be written
 * (TK_EUSAGE), and have no timers for anything else. The rest of the file is not checked.
 */
TK_API int tk_baseline_load_values(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/*
 * Reads a capture and adds it as one run; select may be NULL. As tk_query_run; TK_EMATCH without game
 * frames, TK_EUSAGE when the run is there already.
 */
TK_API int tk_baseline_add(struct tk_baseline *baseline, struct tk_trace *trace,
                           const struct tk_selection *select, struct tk_err *err);

/* Moves all runs of another baseline behind those that are there. TK_OK; TK_EUSAGE (a run that is there
 * already), TK_ENOMEM: what was not moved stays where it is, but for that run. */
TK_API int tk_baseline_join(struct tk_baseline *baseline, struct tk_baseline *from, struct tk_err *err);

/*
 * Gives threads and timers of all runs other names, from a file (schemas/map.schema.json): what they are
 * called in runs that these are to be compared with. TK_OK; TK_EUSAGE (no such file of names, or it makes one
 * of two timers); TK_EMATCH when no run has one of the names, though those that are there are changed;
 * TK_EIO, TK_ELIMIT, TK_ENOMEM. After another failure the baseline is only to be freed.
 */
TK_API int tk_baseline_rename(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/* What is kept of runs by tk_baseline_restrict. */
struct tk_restriction {
    size_t size;
    const char *const *regions; /* patterns; without any: all */
    size_t n_regions;
    bool no_warmup; /* without the first frames: 64, or an eighth of the run where that is less */
};

/*
 * Cuts all runs of a baseline down. TK_OK; TK_EMATCH when a run does not hold what is asked (of a capture
 * as of a file: the warm-up, and the regions of 24 names); TK_EUSAGE, TK_ENOMEM. After a failure the
 * baseline is only to be freed.
 */
TK_API int tk_baseline_restrict(struct tk_baseline *baseline, const struct tk_restriction *what,
                                struct tk_err *err);

/* After that: how many names of regions a run had no room for, which the patterns did not find and may fit; 0
 * where no pattern was asked for but names. tk_baseline_add with the regions selected leaves none out. */
TK_API size_t tk_baseline_lost_regions(const struct tk_baseline *baseline);

/* Did the recording of a run lose events? As tk_lossy of its capture. */
TK_API bool tk_baseline_lossy(const struct tk_baseline *baseline);

/* Writes the file; the same runs in the same order give the same bytes. TK_OK, TK_EOUTPUT, TK_EPIPE,
 * TK_ELIMIT (timers and frames that are more than can be read again), TK_ENOMEM. */
TK_API int tk_baseline_save(const struct tk_baseline *baseline, struct tk_output *out, struct tk_err *err);

/* A thing that may be said of a run, as its capture does not hold it. */
struct tk_run_key {
    const char *name, *help;
};

/* The keys that are known, by number from 0; NULL behind the last one. Static. Any other lower-case word is a
 * key, too. */
TK_API const struct tk_run_key *tk_run_key_at(size_t i);

struct tk_run_info;

/*
 * Reads facts about runs: words "KEY=VALUE", and names of JSON files, each one object of keys with texts,
 * numbers or booleans. Of a key the last value counts. TK_OK; TK_EUSAGE (no such word, a value that is no
 * line, a time that is none); TK_EIO, TK_ELIMIT, TK_ENOMEM. Free with tk_run_info_free.
 */
TK_API int tk_run_info_new(struct tk_run_info **out, const char *const *words, size_t n, struct tk_err *err);

/* How many things are said; the key and the value of one, in the order of the keys. Borrowed. */
TK_API size_t tk_run_info_count(const struct tk_run_info *info);
TK_API const struct tk_str *tk_run_info_item(const struct tk_run_info *info, size_t i,
                                             const struct tk_str **value);

/* NULL is allowed. */
TK_API void tk_run_info_free(struct tk_run_info *info);

/* Says it of all runs from number `first` on. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_say(struct tk_baseline *baseline, size_t first, const struct tk_run_info *info,
                           struct tk_err *err);

/* What is known of a run (number from 0) by a key: what was said, else what its capture states; of "capture"
 * the name it was given, and "size" its bytes. NULL: nothing. Borrowed. */
TK_API const struct tk_str *tk_baseline_about(const struct tk_baseline *baseline, size_t run,
                                              const char *key);

/* Gives a run the name of its capture, the last part of a path. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_name(struct tk_baseline *baseline, size_t run, const char *path, struct tk_err *err);

/* Moves the runs of another baseline that are not there yet, frees the others, and counts those moved.
 * TK_OK or TK_ENOMEM: what was not moved stays where it is. */
TK_API int tk_baseline_merge(struct tk_baseline *baseline, struct tk_baseline *from, size_t *moved,
                             struct tk_err *err);

/* Takes a run (number from 0) out and frees it. */
TK_API void tk_baseline_drop(struct tk_baseline *baseline, size_t run);

/* The tables that baselines have, with the number of the run in front: `runs`, which describes each run,
 * and frames, timers, durations, gpu, counters, memory, loading, log. By number; NULL behind the last one.
 * Static, times in nanoseconds. */
TK_API const struct tk_table *tk_baseline_table(size_t i);

/*
 * Writes these tables of each run as Parquet to a folder of many runs, as
 * TABLE/run=run-CONTENT/part-0.parquet: CONTENT is that of the table `runs`. It takes the place of the
 * number of the run. A run that is there is replaced. TK_OK, TK_EOUTPUT, TK_ENOMEM.
 */
TK_API int tk_baseline_summarize(const struct tk_baseline *baseline, const char *path, struct tk_err *err);

/* Sends one of them for all runs. TK_OK, TK_EMATCH (there is no such table), or what a hook returned. */
TK_API int tk_baseline_rows(const struct tk_baseline *baseline, const char *table, const struct tk_sink *sink,
                            struct tk_err *err);

/*
 * Of a history, keeps the runs that are the base of others, and frees the rest: those of a branch or commit
 * (exactly so called) that have the application, platform and machine of the runs of `like`, as far as both
 * sides say; of these the newest, and those of the same build and commit. TK_OK; TK_EMATCH (there is none;
 * the sentence says what there is); TK_ENOMEM.
 */
TK_API int tk_baseline_base_of(struct tk_baseline *history, const struct tk_baseline *like, const char *what,
                               struct tk_err *err);

/*
 * Looks whether runs have what a recording shall have: "frames", "gpu", "counters", "memory", "loading",
 * "timers", a least length ("60s", "500ms", "2min"), or "channel:NAME", a channel that was on or a preset of
 * such. lacks is called for each run and word that is not fulfilled, with what there is instead. TK_OK;
 * TK_EUSAGE (no such word).
 */
TK_API int tk_baseline_expect(const struct tk_baseline *baseline, const char *const *words, size_t n,
                              void (*lacks)(void *ctx, size_t run, const char *word, const char *instead),
                              void *ctx, struct tk_err *err);

struct tk_baseline_edit;

/*
 * Begins to change a baseline file: waits until no other process changes it, and reads it, where it is there.
 * tk_baseline_edit_runs() are its runs, to be changed; tk_baseline_edit_end() replaces the file as a whole,
 * where `keep`, and lets others go on. A reader sees the old file or the new one. TK_OK; what
 * tk_baseline_load says, TK_EOUTPUT (the folder cannot be written).
 */
TK_API int tk_baseline_edit_begin(struct tk_baseline_edit **out, const char *path, struct tk_err *err);
TK_API struct tk_baseline *tk_baseline_edit_runs(struct tk_baseline_edit *edit);
TK_API int tk_baseline_edit_end(struct tk_baseline_edit *edit, bool keep, struct tk_err *err);

/*
 * Puts each run into a file of its own in a folder, which is made where there is none: TIME-CONTENT.tkb, of
 * the time of the run, or `when` (seconds since 1970) where that is not known. A run that is there, under
 * whatever time, stays as it is; *added counts the new runs. Needs no lock: two processes that write the
 * same run write the same name. TK_OK, TK_EIO, TK_EOUTPUT, TK_ELIMIT, TK_ENOMEM.
 */
TK_API int tk_baseline_keep(const struct tk_baseline *baseline, const char *folder, int64_t when,
                            size_t *added, struct tk_err *err);

struct tk_compare_options {
    size_t size;
    double floor_ratio; /* changes below are none; 0: 0.02, or 0.05 of two single runs without noise */
    double floor_ms;    /* nor are such of fewer ms a frame; 0: no such floor */
    double chance;   /* of a false alarm in a kind of things; 0: 0.006, or 0.003 where a side is a single run
                        (but of two single runs without noise) */
    uint64_t warmup; /* frames left out at the begin of each run, rounded up to whole blocks */
    const struct tk_baseline
        *noise; /* at least four runs of one build, for the spread of runs; may be NULL */
    bool mixed; /* runs of several applications or platforms may be compared; else TK_EMATCH names them */
    bool ignore_common; /* a change that all timers share by 5 % or more raises no alarm */
    double floor_frame; /* nor are such of less than this part of the median frame; 0: 0.001 */
    bool allow_short;   /* so may a candidate that is much shorter than the baseline or ended in a crash */
};

/*
 * Compares the runs of two baselines; opt may be NULL. Nothing of them is used afterwards. TK_OK;
 * TK_EMATCH (nothing to compare); TK_EUSAGE (too little noise); TK_ENOMEM.
 */
TK_API int tk_compare(struct tk_comparison **out, const struct tk_baseline *baseline,
                      const struct tk_baseline *candidate, const struct tk_compare_options *opt,
                      struct tk_err *err);

/*
 * Takes regressions out of the verdict that somebody has accepted, by a file (schemas/accepted.schema.json):
 * they are reported all the same. `now` is in seconds since 1970; what was accepted until before that is not
 * any more. TK_OK; TK_EUSAGE (no such file); TK_EIO, TK_ELIMIT, TK_ENOMEM.
 */
TK_API int tk_comparison_accept(struct tk_comparison *comparison, const char *path, int64_t now,
                                struct tk_err *err);

/* How many regressions were taken out of the verdict. */
TK_API size_t tk_comparison_accepted(const struct tk_comparison *comparison);

/* Is there a regression, or a run that cannot be compared; is there anything that could not be decided? */
TK_API bool tk_comparison_regressed(const struct tk_comparison *comparison);
TK_API bool tk_comparison_inconclusive(const struct tk_comparison *comparison);

/* Are the runs of the candidate whole ones? Not when one has less than 90 % of the frames and of the time of
 * the baseline (its median run), or ended in a crash or fatal error that was recorded; true in any case
 * where `allow_short` was said. */
TK_API bool tk_comparison_comparable(const struct tk_comparison *comparison);

/*
 * Sends the table `changes`: a row for each thing compared, by kind, verdict and size of the change.
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
    size_t top;       /* `text`, `markdown`: changes of a verdict shown one by one; 0: the usual number */
    unsigned width;   /* columns of the terminal for `text` of comparisons; 0: lines as long as they are */
    bool plain_ascii; /* `text` of comparisons: no characters outside ASCII but in names */
    bool guard;       /* `csv`: keep spreadsheets from taking texts for formulas */
    bool plot;        /* `text` of trends: values as a picture of several lines */
};

/* Writes a report; opt may be NULL. TK_OK, TK_EMATCH (unknown kind), TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_comparison_report(const struct tk_comparison *comparison, const char *kind,
                                struct tk_output *out, const struct tk_report_options *opt,
                                struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_comparison_free(struct tk_comparison *comparison);

/* ---- 12 trends: what changed in a history of runs ----
 *
 * A history holds one value a run and series: percentiles of frame times, timers, memory and so on, of runs
 * in order. It is made of baselines, or of numbers. A trend is what changed in it: at which night (the runs
 * of one build), by how much, and how sure that is.
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

/* How many runs there are in it. */
TK_API size_t tk_history_count(const struct tk_history *history);

/*
 * Reads the files runs.csv, series.csv and values.csv of a folder into an empty history. TK_OK; TK_EFORMAT
 * with file and line; TK_EIO, TK_ELIMIT, TK_ENOMEM. After a failure the history is only to be freed.
 */
TK_API int tk_history_read(struct tk_history *history, const char *folder, struct tk_err *err);

/*
 * Adds the values of all runs of a baseline, which is not used afterwards; runs that are there already are
 * left out, and named in reports. `name` is what its runs are called. TK_OK or TK_ENOMEM.
 */
TK_API int tk_history_add(struct tk_history *history, const struct tk_baseline *baseline, const char *name,
                          struct tk_err *err);

enum tk_history_order {
    TK_ORDER_TIME, /* when they were recorded; by name where that is not known of every run */
    TK_ORDER_NAME,
    TK_ORDER_GIVEN
};

/* Orders the runs that were added, and finds out which of them are of one build. TK_OK or TK_ENOMEM. */
TK_API int tk_history_sort(struct tk_history *history, enum tk_history_order order, struct tk_err *err);

struct tk_trend_options {
    size_t size;
    double chance;     /* of a false change in a history without changes; 0: 0.05 */
    double floor;      /* changes below are none, as a ratio; 0: 0.01 */
    double alarm;      /* changes with less of a chance to be false alarm; 0: 0.001 */
    const char *since; /* name, file, build or number of a run: all changes from it on that still hold alarm;
                          NULL: the newest change of each series */
    bool likely;       /* drifts and probable changes alarm, too */
};

/*
 * Looks for changes; opt may be NULL. The history is borrowed until the trend is freed. TK_OK; TK_EMATCH (no
 * run, or no such run as `since`); TK_EUSAGE, TK_ENOMEM.
 */
TK_API int tk_trend_find(struct tk_trend **out, const struct tk_history *history,
                         const struct tk_trend_options *opt, struct tk_err *err);

/* Takes changes out of the verdict that somebody has accepted, by the file of tk_comparison_accept: they are
 * reported all the same. `since` holds against the time of the run that a change begins with. As
 * tk_comparison_accept. */
TK_API int tk_trend_accept(struct tk_trend *trend, const char *path, int64_t now, struct tk_err *err);

/* Is the newest of it a regression? */
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

/* Reads budgets (schemas/budget.schema.json) from a file. TK_OK; TK_EUSAGE (no JSON, unknown keys, wrong
 * types); TK_EIO, TK_ELIMIT, TK_ENOMEM. Free with tk_budgets_free. */
TK_API int tk_budgets_load(struct tk_budgets **out, const char *path, struct tk_err *err);

/* Of captures that are added to the baseline from now on, what the budgets are about is known frame by frame:
 * the worst place of a budget is a frame then, and else a block of frames. The budgets stay valid as long as
 * captures are added. Files of baselines do not hold it. */
TK_API void tk_baseline_watch(struct tk_baseline *baseline, const struct tk_budgets *budgets);

struct tk_budget_options {
    size_t size;
    bool mixed; /* runs of several applications or platforms may be checked; else TK_EMATCH names them */
    bool allow_short;                   /* so may runs that ended in a crash */
    const struct tk_baseline *baseline; /* budgets for added cost: runs without it. Borrowed; may be NULL */
};

/* Checks each run of a baseline; opt may be NULL. A budget for what no run has gets the verdict `missing`.
 * TK_OK; TK_EMATCH when there is no run, or runs are of several programs; TK_ELIMIT as tk_baseline_save;
 * TK_ENOMEM. */
TK_API int tk_budgets_apply(struct tk_budgets *budgets, const struct tk_baseline *runs,
                            const struct tk_budget_options *opt, struct tk_err *err);

/* After tk_budgets_apply: did no run end in a crash or fatal error that was recorded? True in any case where
 * `allow_short` was said. */
TK_API bool tk_budgets_comparable(const struct tk_budgets *budgets);

/* After tk_budgets_apply: was an error level exceeded? */
TK_API bool tk_budgets_exceeded(const struct tk_budgets *budgets);

/* After tk_budgets_apply: how many budgets are for what no run has; and what one of them (from 0) says of
 * itself: "there is no timer 'X'; the nearest: 'Y'". Borrowed. */
TK_API size_t tk_budgets_missing(const struct tk_budgets *budgets);
TK_API const char *tk_budgets_missing_why(const struct tk_budgets *budgets, size_t i);

/* After tk_budgets_apply: as tk_baseline_lost_regions, of budgets whose region is a pattern. */
TK_API size_t tk_budgets_lost_regions(const struct tk_budgets *budgets);

/* "text", "markdown", "json", "csv", "junit", "github", "sarif", "html"; NULL-terminated, static. */
TK_API const char *const *tk_budgets_reports(void);

/* Writes a report. As tk_comparison_report. */
TK_API int tk_budgets_report(const struct tk_budgets *budgets, const char *kind, struct tk_output *out,
                             const struct tk_report_options *opt, struct tk_err *err);

/* Writes budgets that the runs just keep; margin 0.1: what is ten percent more is an error. TK_OK; TK_EMATCH
 * without a run; TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_budgets_write(const struct tk_baseline *runs, double margin, struct tk_output *out,
                            struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_budgets_free(struct tk_budgets *budgets);

#endif /* TK_STABLE_ONLY */

/* ---- 14 names and limits ---- */

/*
 * A text as messages show it: what could steer a terminal or a runner of continuous integration is escaped.
 * Writes at most `room` bytes without a NUL, whole characters only; returns how many.
 */
TK_API size_t tk_text_show(char *out, size_t room, const char *text, size_t n);

/* The name among n that is nearest to `wanted`, or NULL when none is near. */
TK_API const char *tk_nearest(const char *wanted, const char *const *names, size_t n);

/* Limits: their number, and name, default (UINT64_MAX: none) and meaning of one, the first is 0. Static; what
 * is not wanted may be NULL. */
TK_API size_t tk_limit_count(void);
TK_API void tk_limit_describe(size_t index, const char **name, uint64_t *value, const char **help);

/* Are these limits as tk_open() takes them? TK_OK, TK_EUSAGE. */
TK_API int tk_limit_check(const char *const *limits, size_t n, struct tk_err *err);

#ifndef TK_STABLE_ONLY

/* ---- 15 columns ----
 *
 * Rows by column, in the C data interface of Apache Arrow
 * (https://arrow.apache.org/docs/format/CDataInterface.html), which pandas, Polars, DuckDB and others take
 * without a copy. A table is a struct with a child for each column, which may hold nulls (TK_NONE):
 *
 *     TK_BOOL                        b   boolean
 *     TK_INT, TK_TIME, TK_DURATION       l   int64
 *     TK_UINT, TK_HEX, TK_SIZE       L   uint64
 *     TK_REAL32                      f   float
 *     TK_REAL, TK_MEAN               g   double
 *     TK_TEXT                        U   large UTF-8; U+FFFD stands for what is not valid
 *     TK_BYTES                       Z   large binary
 *     TK_ARRAY, TK_LIST, TK_RECORD   U   JSON, as the writer "json" has it
 *
 * Times are nanoseconds, or cycles with TK_UNIT_CYCLES. A number that the type of its column cannot hold
 * becomes a null. The metadata of a field has the keys "tracekit.kind", "tracekit.unit" and "tracekit.help".
 *
 *     rc = tk_result_query(&result, trace, query, &err);
 *     if (rc == TK_OK)
 *         rc = tk_result_columns(result, 0, 0, &stream, &err);
 *     tk_result_free(result);
 *     ...                                 hand the stream on, or read it
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

/* The schema of a table, which needs the table no longer. The caller releases it. TK_OK or TK_ENOMEM: then
 * out->release is NULL. */
TK_API int tk_table_schema(const struct tk_table *table, struct ArrowSchema *out, struct tk_err *err);

/* A copy of some rows of a table, as of tk_cursor_next() or of a sink. The caller releases it. TK_OK;
 * TK_ENOMEM, TK_ELIMIT (lists too deep): then out->release is NULL. */
TK_API int tk_rows_columns(const struct tk_table *table, const struct tk_rows *rows, struct ArrowArray *out,
                           struct tk_err *err);

/*
 * A copy of the rows of a table (from 0) of a result in their order, as a stream of batches of at most
 * `batch_rows` rows; 0: one batch, which is there also without a row. The stream needs the result no longer,
 * and the caller releases it. As tk_rows_columns; TK_EUSAGE where there is no such table.
 */
TK_API int tk_result_columns(const struct tk_result *result, size_t table, size_t batch_rows,
                             struct ArrowArrayStream *out, struct tk_err *err);

/* ---- 16 pages: one HTML file about captures ----
 *
 * A page needs no server and asks for nothing: style, script and data are inside of it. Its tables are plain
 * HTML, which also answers where scripts and styles are blocked; the script adds pictures.
 *
 *     rc = tk_page_new(&page, NULL, &err);
 *     if (rc == TK_OK)
 *         rc = tk_page_add(page, trace, &query, "game.utrace", &err);    once a capture; it can be closed
 * then if (rc == TK_OK) rc = tk_page_write(page, out, &err); tk_page_free(page);
 */

struct tk_page;

struct tk_page_options {
    size_t size;
    const char *title; /* of the file; NULL: the name of the first capture */
    int64_t budget_ns; /* a line in the picture of frame times; 0: none */
    bool no_logs;      /* without log messages */
};

/* An empty page; options may be NULL. TK_OK; TK_EUSAGE; TK_ENOMEM. Free with tk_page_free, which takes NULL.
 */
TK_API int tk_page_new(struct tk_page **out, const struct tk_page_options *options, struct tk_err *err);
TK_API void tk_page_free(struct tk_page *page);

/*
 * Adds what a capture holds, which is read several times. Of the query count what it selects, what a hitch
 * is, and kinds of work; query may be NULL. `name` is what the capture is called, shown without folders. As
 * tk_query_run; after a failure nothing of the capture is in the page.
 */
TK_API int tk_page_add(struct tk_page *page, struct tk_trace *trace, const struct tk_query *query,
                       const char *name, struct tk_err *err);

/* Writes the file; the same captures give the same bytes. TK_OK, TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_page_write(const struct tk_page *page, struct tk_output *out, struct tk_err *err);
/* ---- 17 edits: a valid capture again ----
 *
 *     const char *drop[] = {"memory", "Logging.*"};
 *     struct tk_edit_options options = TK_INIT(struct tk_edit_options);
 *     options.path = "small.utrace";
 *     options.drop = drop;
 *     options.n_drop = 2;
 *     rc = tk_edit_run(trace, NULL, &options, NULL, &err);
 *
 * What is damaged is read as far as it can be, and the result is sound. The result says what was done in an
 * event that other readers pass over, unless nothing had to be changed: then it is a copy.
 */

struct tk_edit_options {
    size_t size;
    const char *path; /* "-": standard output. Its ending compresses, as of tk_output_open() */
    bool force;       /* replace what is there */
    bool dry_run;     /* nothing is written */
    /* Topics ("memory", "logs"), and patterns "Logger.Event" (of a .tracy topics, and letters of Tracy's
       update -s: "lmpMicsCS"): events that stay (none: all), and of those the
       ones that do not. The clock, threads and channels always stay. */
    const char *const *keep, *const *drop;
    size_t n_keep, n_drop;
    const char
        *compress; /* "raw", "lz4", "lz4hc:1" to "lz4hc:12": packets of a .utrace; "zstd:-5" to "zstd:22" (not
                      0), "lz4", "lz4hc:1" to "lz4hc:12": blocks of a .tracy; NULL: as they are */
    /* Texts of these classes become words ("paths,users"; "": all but names of timers; "all"); NULL: none.
       The result is searched for them, and is not there if one is found. */
    const char *anonymise;
    const char *const *keep_text; /* globs of texts that stay */
    size_t n_keep_text;
    const char *key;  /* a file: with one key the same text has the same word; NULL: a random one */
    unsigned streams; /* of a .tracy: 1 to 255; 0: as many as there are */
    bool close;       /* scopes (zones) without an end get one: the last time of the capture */
};

/*
 * Writes the edit of a capture. sink, which may be NULL, gets the table `edit`: what there is of each type
 * of event, and what stays; of a dry run that anonymises also `kept`, texts that stay. Of select, which may
 * be NULL, times count: what is between the first and the last of them stays; and threads: scopes, logs,
 * samples and times on cores of others go. TK_OK; TK_EMATCH (a word names
 * nothing); TK_EUSAGE (options, or the capture has no such edits); TK_EOUTPUT, TK_EPIPE, or as tk_query_run.
 * Nothing is left of an edit that failed.
 */
TK_API int tk_edit_run(struct tk_trace *trace, const struct tk_selection *select,
                       const struct tk_edit_options *options, const struct tk_sink *sink, struct tk_err *err);

enum tk_merge_times {
    TK_MERGE_CLOCK, /* as the clock of the computer has the begin of each program, in whole seconds; as they
                       are, where these are not known or more than a day apart */
    TK_MERGE_KEEP   /* as they are in each capture */
};

/*
 * Writes several captures as one, which has what all of them have; up to 128. Those of Tracy are of 0.9 or
 * later; the result has the newest of their versions. What is damaged is mended first. Threads, locks, memory
 * pools and addresses of different programs stay apart; what is of one computer or program, as its host, is
 * that of the first. Those of Unreal Engine are pieces of one recording, by session and clock, of protocols 5
 * to 7: cut out of one capture, or recorded one after the other; in whatever order they are named. Of options
 * path, force, compress and, of Tracy, streams count; times is for Tracy. TK_OK; TK_EUSAGE (options, or
 * captures that do not go together); TK_ELIMIT (more than one file can have); TK_EOUTPUT, TK_EPIPE, or as
 * tk_query_run. Nothing is left of a merge that failed.
 */
TK_API int tk_edit_merge(struct tk_trace *const *traces, size_t n, enum tk_merge_times times,
                         const struct tk_edit_options *options, struct tk_err *err);

/* ---- 18 SQL ----
 *
 * The tables of captures as virtual tables of SQLite: nothing is imported, and conditions on time, thread,
 * timer, frame and capture become the selection of a reading. Names, hidden columns, functions and views are
 * described in trace-query(1).
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
        *open;              /* how captures are opened; NULL: as usual. Borrowed with all it points to */
    int (*stop)(void *ctx); /* asked every few milliseconds; other than 0 ends the statement with
                               TK_ECANCELED. May be NULL */
    void *stop_ctx;
    void (*note)(void *ctx, const char *text); /* gets what the user should know, as that a capture has
                                                  changed. May be NULL */
    void *note_ctx;
    uint64_t memory;     /* bytes of rows that joins keep in memory, others are on disk; 0: 512 MB */
    bool nothing_pushed; /* SQLite does all by itself: the same rows, slower. For tests */
};

/* Nothing is opened yet; options may be NULL. Free with tk_sql_free. TK_OK, TK_EUSAGE, TK_ENOMEM. */
TK_API int tk_sql_new(struct tk_sql **out, const struct tk_sql_options *options, struct tk_err *err);

/*
 * Adds a capture or a file of baselines, before the first statement. It is opened when a statement reads it.
 * Those without a schema share their tables, which have the columns capture_id and capture; one with a schema
 * has tables of its own (a.timers). TK_OK; TK_EUSAGE (it is too late, or the name is taken or too many are);
 * TK_ENOMEM.
 */
TK_API int tk_sql_add(struct tk_sql *sql, const char *path, const char *schema, struct tk_err *err);

/*
 * Answers the statements of a text, which only read. The rows of each are a table named result, result_2 and
 * so on. TK_OK; TK_EUSAGE (wrong SQL: the place and the nearest names are said), TK_EMATCH (an argument of a
 * table matches nothing), TK_EOUTPUT (rows that have to be kept find no room on the disk),
 * TK_ECANCELED, or as tk_open, tk_query_run and the sink.
 */
TK_API int tk_sql_run(struct tk_sql *sql, const char *text, const struct tk_sink *sink, struct tk_err *err);

/* Sends what SQLite would do for each of the statements instead. Nothing is read. As tk_sql_run. */
TK_API int tk_sql_plan(struct tk_sql *sql, const char *text, const struct tk_sink *sink, struct tk_err *err);

/* How many readings of captures all statements so far took. */
TK_API uint64_t tk_sql_readings(const struct tk_sql *sql);

/* What was read so far of one source, the first is 0: its path (NULL behind the last one), whether there is
 * damage, whether a limit left something out, whether events were lost, and the capture where it is open (it
 * may be NULL, and must only be asked for its health). What is not wanted may be NULL. */
TK_API const char *tk_sql_source(const struct tk_sql *sql, size_t i, bool *damaged, bool *partial,
                                 bool *lossy, struct tk_trace **trace);

/* Questions that come with the library, by number: NULL behind the last one. Static. */
struct tk_sql_question_text {
    const char *name, *help, *sql;
};
TK_API const struct tk_sql_question_text *tk_sql_question(size_t i);

/* NULL is allowed. */
TK_API void tk_sql_free(struct tk_sql *sql);

/* ---- 19 agents: answers for assistants ----
 *
 * The Model Context Protocol: requests of JSON-RPC, one a line on standard input, and an answer to each on
 * standard output; `tracekit mcp` does just that. What is asked is only read, and only files below the
 * folders that are given.
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
    uint64_t answer_bytes;         /* of the rows of an answer, at most; 0: 24 KB */
    const struct tk_options *open; /* how captures are opened; NULL: as usual. Borrowed */
    int (*stop)(void *ctx);        /* other than 0 ends what is being answered. May be NULL */
    void *stop_ctx;
};

/* TK_OK; TK_EUSAGE (there is no such folder); TK_ENOMEM. Free with tk_agent_free, which takes NULL. */
TK_API int tk_agent_new(struct tk_agent **out, const struct tk_agent_options *options, struct tk_err *err);
TK_API void tk_agent_free(struct tk_agent *agent);

/* Answers a request of n bytes, whatever they are: *answer is of *n_answer bytes without a line break, or
 * NULL for what is not answered; free with tk_agent_free_text, which takes NULL. TK_OK or TK_ENOMEM. */
TK_API int tk_agent_answer(struct tk_agent *agent, const char *request, size_t n, char **answer,
                           size_t *n_answer, struct tk_err *err);
TK_API void tk_agent_free_text(char *text);

/* ---- 20 views: captures looked at in a browser ----
 *
 * A server that listens at 127.0.0.1 alone, and a page that shows every scope of captures of any size. Who
 * does not have the token at the end of the address gets nothing of a capture, and no page of another site
 * does. Only the captures that were added are ever read.
 *
 *     rc = tk_view_new(&view, &options, &err);
 *     if (rc == TK_OK)
 *         rc = tk_view_add(view, "game.utrace", &err);
 *     if (rc == TK_OK) {
 *         printf("%s\n", tk_view_address(view));
 *         rc = tk_view_run(view, &err);            until options.stop says so
 *     }
 *     tk_view_free(view);
 */

struct tk_view;

struct tk_view_options {
    size_t size;
    unsigned port;            /* 0: any that is free */
    const char *const *hosts; /* n_hosts more names that a browser may know it by, "name:port", as where a
                                 port is forwarded. Borrowed */
    size_t n_hosts;
    int64_t idle_ns; /* it ends when nobody asked for so long; 0: it does not */
    const struct tk_options
        *open;              /* how captures are opened; NULL: as usual. Borrowed with all it points to */
    int (*stop)(void *ctx); /* asked now and then; other than 0 ends tk_view_run. May be NULL */
    void *stop_ctx;
    /* Captures grow while they are viewed: asked some times a second for capture i, the bytes of its file go
     * to *bytes. TK_ITEM: more may come; TK_OK: it has ended; negative: it is gone. The page shows what came
     * since. NULL: captures do not grow, and one that does is as good as replaced. */
    int (*grown)(void *ctx, size_t i, uint64_t *bytes);
    void *grown_ctx;
    void (*note)(void *ctx, const char *text); /* told what the user should know, as that a capture has been
                                                  replaced. May be NULL */
    void *note_ctx;
};

/* Listens; options may be NULL. TK_OK; TK_EIO (the port is taken); TK_EUSAGE; TK_ENOMEM. Free with
 * tk_view_free, which takes NULL. */
TK_API int tk_view_new(struct tk_view **out, const struct tk_view_options *options, struct tk_err *err);
TK_API void tk_view_free(struct tk_view *view);

/* Adds a capture, which has to be a file; several are shown above each other. As tk_open; TK_EUSAGE (there
 * are too many, or tk_view_run was called). */
TK_API int tk_view_add(struct tk_view *view, const char *path, struct tk_err *err);

/* "http://127.0.0.1:PORT/#TOKEN". Lives as long as the view. */
TK_API const char *tk_view_address(const struct tk_view *view);

/* Answers until it is asked to stop, or nobody asked for long enough: TK_OK; TK_EUSAGE (no capture), TK_EIO,
 * TK_ENOMEM. Once: afterwards nothing is read any more, and the captures are for tk_view_trace. */
TK_API int tk_view_run(struct tk_view *view, struct tk_err *err);

/* After tk_view_run: capture i, counted from 0 in the order in which they were added, for what was found
 * while it was read (tk_damaged, tk_partial, tk_lossy); its path to *path. NULL behind the last one. Both are
 * borrowed until tk_view_free. */
TK_API struct tk_trace *tk_view_trace(const struct tk_view *view, size_t i, const char **path);

#endif /* TK_STABLE_ONLY */

#ifdef __cplusplus
}
#endif

#endif
