/*
 * Report: the way of every command from a capture to its output.
 */
#ifndef TK_RUN_REPORT_H
#define TK_RUN_REPORT_H

#include "args/opt.h"
#include "args/select.h"
#include "pages/out.h"
#include "run/capture.h"
#include "run/command.h"
#include "run/runs.h"
#include "terminal/message.h"
#include "tracekit/captures.h"
#include "tracekit/errors.h"
#include "tracekit/rules.h"

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

/*
 * Nights: from operands (captures, baselines, folders of them) to the table of a night, a few files at a
 * time.
 */

struct tk_night; /* tracekit/nights.h */

struct tk_night_reading {
    const char *program;
    const struct tk_common_args *common;
    const struct tk_run_info *info;   /* what is said of the captures; NULL: nothing. Borrowed */
    struct tk_budgets *budgets;       /* that they are for; NULL: none. Borrowed */
    const struct tk_opt_list *before; /* runs of before, for the causes of hitches; NULL: none. Borrowed */
    const char *page;                 /* where the page will be, to which links are relative; NULL: nowhere */
    struct tk_night *night;           /* borrowed */
};

/* Adds the runs of all operands and orders them; what cannot be read is a row, and TK_EXIT_DAMAGED. The exit
 * code after telling why not. */
enum tk_exit tk_night_collect(const struct tk_night_reading *reading, const struct tk_opt_list *operands);

/*
 * The option --rules: which rules are judged, and what is displayed of them.
 */

/* Zero-initialise; release with tk_rules_choice_release. */
struct tk_rules_choice {
    struct tk_rules *rules;      /* owned */
    struct tk_opt_list only;     /* owned: names; none: all rules */
    struct tk_opt_list captures; /* owned: the operands that are none of the folders with rules */
    bool all;                    /* those that are not found are displayed with what is known of them, too */
};

/* Is there a rule of this name? */
bool tk_rules_has(const struct tk_rules *rules, const char *name);

#define TK_RULES_VALUE "WHAT,..."

/* Reads what stands behind --rules: nothing, "all", names of rules, and folders with a user's rules. An
 * operand that is a folder of rules, and has no captures, is one of these: --rules DIR. true, or false with a
 * sentence, also where no capture is left. */
bool tk_rules_choose(struct tk_rules_choice *choice, const char *text, const struct tk_opt_list *operands,
                     char message[TK_OPT_MESSAGE]);

void tk_rules_choice_release(struct tk_rules_choice *choice);

/* Says that rules of --fail could not be judged, and what to do. The exit status. */
enum tk_exit tk_rules_unjudged(const char *program);

/*
 * trace-diff --memory, --samples: a table of two captures, the one alongside the other.
 */

struct tk_side_by_side_args {
    const char *memory; /* by what, with commas; NULL: not requested */
    bool samples, force, guard;
    const struct tk_select_args *select;
    const char *path; /* NULL: standard output */
};

/* The exit code. */
int tk_side_by_side(const struct tk_call *call, const struct tk_common_args *common,
                    const struct tk_side_by_side_args *args);

/*
 * trace-diff --preset: two captures side by side, as another tool shows them.
 */

struct tk_diff_preset_args {
    const char *preset, *path, *table;
    bool force;
};

/* Is each option one for what is requested: verdicts, two captures side by side, or a preset? true, or false
 * with a sentence. */
bool tk_diff_preset_fit(const struct tk_opt_set *set, char message[TK_OPT_MESSAGE]);

/* The exit code. */
int tk_diff_preset(const struct tk_call *call, const struct tk_common_args *common,
                   const struct tk_diff_preset_args *args);

#endif
