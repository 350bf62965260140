/*
 * Out: the options about output, and the writer they make.
 */
#ifndef TK_CMD_SHOW_OUT_H
#define TK_CMD_SHOW_OUT_H

#include "args/opt.h"

#include <tracekit.h>

struct tk_out_args {
    const char *format, *path, *colour, *unit;
    bool force, exact, guard, no_header;
};

/* What --format takes, for its help. */
#define TK_OUT_FORMATS "table, plot, text, csv, tsv, json, ndjson, markdown, parquet, arrow, arrows"

#define TK_OUT_COUNT       8
#define TK_OUT_COUNT_PLAIN 6 /* without --unit and --no-header */

extern const struct tk_opt tk_out_options[TK_OUT_COUNT];

/* Are the values that have fixed words right? The unit in *unit. true, or false with a sentence. */
bool tk_out_check(const struct tk_out_args *args, enum tk_unit *unit, char message[TK_OPT_MESSAGE]);

/* The format that is named, or that the ending of the file says, or the usual one. NULL with a sentence where
 * the two contradict each other. */
const char *tk_out_format(const struct tk_out_args *args, const char *usual, char message[TK_OPT_MESSAGE]);

/* Is "KIND" or "KIND=FILE" of one of the kinds (ended by NULL)? true, or false with a sentence. */
bool tk_out_check_report(const char *report, const char *const *kinds, char message[TK_OPT_MESSAGE]);

/* Is the format one for people, which is sorted and cut as they read it? */
bool tk_out_is_for_people(const char *format);

/* Look of a report that is about to be written to the path: colour, and the width and signs of a terminal. */
void tk_out_look(struct tk_report_options *opt, const char *when, const char *path);

/* Keeps names in a format for programs (NULL: a file of budgets) from steering the terminal that it goes to.
 */
void tk_out_escape(struct tk_output *out, const char *path, const char *format);

/*
 * Opens an output as tk_output_open does. From then on whoever asks the process to stop (Ctrl-C) is heard
 * where that leaves nothing unfinished behind.
 */
int tk_out_create(struct tk_output **out, const char *path, bool force, struct tk_err *err);

struct tk_out {
    struct tk_output *output;
    struct tk_writer *writer;
    struct tk_sink sink; /* `self` may be this struct, which must stay where it is */
    struct tk_sink to;   /* the writer's */
    bool shown;          /* on a terminal */
};

/* Opens output and writer. several: more than one table will come; fit: columns that do not fit a terminal
 * may be left out. TK_OK or what failed. */
int tk_out_open(struct tk_out *out, const struct tk_out_args *args, const char *format, bool several,
                bool fit, struct tk_err *err);

/* Finishes what was written and puts it in its place, or throws it away where status is negative. status or
 * what failed. */
int tk_out_close(struct tk_out *out, int status, struct tk_err *err);

#endif
