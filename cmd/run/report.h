/*
 * Report: the way of every command from a capture to its output.
 */
#ifndef TK_RUN_REPORT_H
#define TK_RUN_REPORT_H

#include "pages/out.h"
#include "run/command.h"
#include "tracekit/captures.h"
#include "tracekit/errors.h"

#include <stdbool.h>

struct tk_report {
    const struct tk_call *call;
    const char *path; /* the capture; NULL: none is needed */
    const struct tk_common_args *common;
    const struct tk_out_args *out;
    const char *format; /* of the writer */
    bool several;       /* more than one table */
    bool chosen;        /* the columns were named: none is left out, however narrow the terminal is */

    /* Sends the tables to the sink. TK_OK or what failed. trace is NULL without a path. */
    int (*produce)(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err);
    void *ctx;
};

/* Opens capture and output, produces, closes both, says what was wrong. The exit code. */
int tk_report_run(const struct tk_report *report);

/* Is the format one that can be written? true, or false with a sentence. */
bool tk_report_check_format(const char *format, char message[TK_OPT_MESSAGE]);

/*
 * What trace-edit says of an edit when it is done.
 */

/* Of a topic: what was removed, and entries in which texts were replaced. */
struct tk_edit_topic_sum {
    char topic[24];
    uint64_t entries, bytes, replaced;
};

enum { TK_EDIT_REPORT_TOPICS = 48 };

struct tk_edit_report {
    const char *program;
    bool quiet;
    uint64_t events, bytes, kept, kept_bytes, changed, replaced;
    struct tk_edit_topic_sum topics[TK_EDIT_REPORT_TOPICS];
    size_t n_topics;
    char emptied[400]; /* "Game.Chat (12), ..." : types whose texts were left out as nobody knows them, */
    size_t n_emptied;  /* and how many there are */
};

/* Adds up the table of an edit. */
struct tk_sink tk_edit_report_sink(struct tk_edit_report *report);

/* On standard error: what was removed and what was replaced, by topic; a warning where texts were left out;
 * and on a terminal what was written. */
void tk_edit_report_say(const struct tk_edit_report *report, const char *path);

/*
 * Export report: the messages of trace-export and trace-report about an export: what was written, what opens
 * it, and what the format cannot hold.
 */

struct tk_export_report {
    const char *program, *format; /* NULL format: a preset */
    bool quiet;                   /* nothing is said; the status does not depend on what is */
    bool verbose;                 /* also which tables were left out */
    uint64_t tables, rows;        /* left out so far */
    bool lost;                    /* values were rounded or became null */
};

/* Hooks of tk_export_options and tk_writer_options (lost); ctx: the report. */
void tk_export_report_left(void *ctx, const char *table, uint64_t rows);
void tk_export_report_rounded(void *ctx, const char *table, const char *column, uint64_t values);
void tk_export_report_lost(void *ctx, const char *table, const char *column, uint64_t values);

/* After the export. path: where it went, NULL or "-": standard output; written: it is there. What was written
 * is said where a person can read it, on a terminal, or when verbose. */
void tk_export_report_end(const struct tk_export_report *report, const char *path, bool written);

/* Is it a format whose bytes are no text? */
bool tk_export_is_binary(const char *format);

/*
 * How a command ends: by a row of the table of outcomes.
 */

/* The exit code of an outcome; `strict`: its option was given. Where nothing can be said, that and what to do
 * is written to standard error. */
enum tk_exit tk_outcome_end(const char *program, const struct tk_outcome *outcome, bool strict);

/*
 * Reports of a verdict: written to standard output or to files, one after another.
 */

/* How reports are written; the rest belongs to the command. */
struct tk_reports {
    const struct tk_opt_list *wanted; /* KIND[=FILE] each; none: "text" */
    const char *colour;               /* as --color says, or NULL */
    uint64_t top;                     /* entries of each verdict in texts; 0: all */
    bool guard, plot;

    /* Writes a report of that kind. TK_OK or what failed. */
    int (*write)(const void *of, const char *kind, struct tk_output *out, const struct tk_report_options *opt,
                 struct tk_err *err);
    const void *of;
};

/* Are all of these reports that can be written? true, or false with a sentence. */
bool tk_reports_check(const struct tk_opt_list *wanted, const char *const *kinds,
                      char message[TK_OPT_MESSAGE]);

/* Writes each of the reports and makes sure of it. A file that exists is replaced: reports are made anew
 * every night. TK_OK or what failed. */
int tk_reports_write(const struct tk_reports *reports, struct tk_err *err);

/* Writes one, to a path ("-": standard output) that is replaced with `force` only. `kind` NULL: what the
 * command writes without a name, for programs. */
int tk_reports_write_to(const struct tk_reports *reports, const char *kind, const char *path, bool force,
                        struct tk_err *err);

#endif
