/*
 * A chapter of tracekit.h: captures from captures.
 */
#ifndef TRACEKIT_EDITS_H
#define TRACEKIT_EDITS_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_selection;
struct tk_sink;
struct tk_trace;

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
    const char *key;           /* a file: with one key a text always gets the same pseudonym; NULL: random */
    unsigned streams;          /* of a .tracy: 1 to 255; 0: as in the capture */
    bool close;                /* end scopes (zones) without an end at the last time of the capture */
    struct tk_output_set *set; /* the result gets its name with others; borrowed; NULL: by itself */
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

#ifdef __cplusplus
}
#endif

#endif
