/*
 * Out: the options about output, and the writer they make.
 */
#ifndef TK_PAGES_OUT_H
#define TK_PAGES_OUT_H

#include "args/opt.h"
#include "terminal/host.h"
#include "tracekit/runs.h"
#include "tracekit/sinks.h"

#include <stdbool.h>
#include <stdint.h>

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
 * Opens an output as tk_output_open does, or one of a set, which may be NULL. From then on the caller the
 * process to stop (Ctrl-C) is heard where that leaves nothing unfinished behind.
 */
int tk_out_create(struct tk_output **out, struct tk_output_set *set, const char *path, bool force,
                  struct tk_err *err);

struct tk_out {
    struct tk_output *output;
    struct tk_writer *writer;
    struct tk_sink sink; /* `self` may be this struct, which must stay where it is */
    struct tk_sink to;   /* the writer's */
    bool displayed;      /* on a terminal */
};

/* Opens output and writer. several: more than one table will come; fit: columns that do not fit a terminal
 * may be left out. TK_OK or what failed. */
int tk_out_open(struct tk_out *out, const struct tk_out_args *args, const char *format, bool several,
                bool fit, struct tk_err *err);

/* Finishes what was written and puts it in its place, or throws it away where status is negative. status or
 * what failed. */
int tk_out_close(struct tk_out *out, int status, struct tk_err *err);

/*
 * The first rows of a table on their way to a writer. After the last of them the query is stopped, so that a
 * large capture is not read to its end.
 */

struct tk_first_rows {
    const struct tk_sink *to; /* borrowed */
    uint64_t left;            /* rows that may still pass */
    bool stopped;             /* the table has been ended, and the query instructed to stop */
};

/* The sink that passes on the first `most` rows (at least 1). */
struct tk_sink tk_first_rows_sink(struct tk_first_rows *first, uint64_t most, const struct tk_sink *to);

/* What the query with that sink returned: TK_OK where the sink stopped it. */
int tk_first_rows_end(const struct tk_first_rows *first, int rc);

/*
 * Lost values: warns of values that a file of columns cannot hold as they are.
 */

struct tk_lost_values {
    const struct tk_sink *to;       /* borrowed: the writer's, or one before it */
    const struct tk_writer *writer; /* borrowed; NULL: nothing is lost */
    const char *program;            /* borrowed */
    const char *advice;             /* how to keep them, behind a semicolon; NULL: there is no way */
    bool quiet;                     /* nothing is said */
    bool lost;                      /* set where values were lost or rounded */
};

/* The exit code: that of the rest of the command, at least TK_EXIT_DAMAGED where values were lost. */
static inline enum tk_exit tk_lost_values_exit(bool lost, enum tk_exit code)
{
    return tk_exit_worse(code, lost ? TK_EXIT_DAMAGED : TK_EXIT_DONE);
}

/* The sink that passes tables on, and looks at each when it has ended. values is borrowed. */
struct tk_sink tk_lost_values_sink(struct tk_lost_values *values);

/*
 * Some of the rows of a table on their way to a writer: those whose number in one column is from one value up
 * to another. For commands that show again and again what has been added.
 */

struct tk_row_window {
    const struct tk_sink *to; /* borrowed */
    const char *column;       /* of the number */
    bool hides;               /* it is the last column, and not passed on */
    uint64_t from, until;     /* what is passed on; until: exclusive */
    int at;                   /* the column in the table under way */
    struct tk_table table;    /* as it is passed on */
};

/* The sink that passes them on. The state has its column and bounds already. */
struct tk_sink tk_row_window_sink(struct tk_row_window *window, const struct tk_sink *to);

/*
 * Warn: the table `quality` as lines of warnings on standard error, instead of where the other tables go.
 */

#define TK_WARNINGS_TABLE "quality"

struct tk_warnings {
    const struct tk_sink *to; /* borrowed */
    const char *program;      /* borrowed */
};

/* The sink that passes other tables on. warn is borrowed. */
struct tk_sink tk_warnings_sink(struct tk_warnings *warn);

#endif
