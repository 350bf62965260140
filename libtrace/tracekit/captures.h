/*
 * A chapter of tracekit.h: opening captures, and the limits that they are read with.
 */
#ifndef TRACEKIT_CAPTURES_H
#define TRACEKIT_CAPTURES_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

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

struct tk_metrics;
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
    /* What the table `metrics` has, and runs that are made of the capture (metrics.h). They are measured by
     * opening it again by its path, so that they, and the texts of these options but for lists, are used
     * until it is closed. NULL: none. */
    const struct tk_metrics *metrics;
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
 * by content) are decompressed to an unlinked temporary file first. Of a ZIP or TAR archive the only capture
 * in it is opened; where it holds several, path is that of the archive, "/" and the name of one:
 * "merged.tar/a.pftrace". opt may be NULL. TK_OK, TK_EIO, TK_EFORMAT, TK_ENOMEM, TK_ELIMIT, TK_EDAMAGE,
 * TK_EUSAGE (unknown limit, or `index` names something that is not an index), TK_EOUTPUT (the index cannot be
 * written), TK_ECANCELED (by progress).
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

#ifdef __cplusplus
}
#endif

#endif
