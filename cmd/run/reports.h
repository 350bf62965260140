/*
 * Reports of a verdict: written to standard output or to files, one after another.
 */
#ifndef TK_CMD_RUN_REPORTS_H
#define TK_CMD_RUN_REPORTS_H

#include "run/command.h"
#include "pages/out.h"

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
