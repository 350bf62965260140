/*
 * Report: the way of every command from a capture to its output.
 */
#ifndef TK_CMD_RUN_REPORT_H
#define TK_CMD_RUN_REPORT_H

#include "run/command.h"
#include "pages/out.h"

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

/* Opens capture and output, produces, closes both, tells what was wrong. The exit code. */
int tk_report_run(const struct tk_report *report);

/* Is the format one that can be written? true, or false with a sentence. */
bool tk_report_check_format(const char *format, char message[TK_OPT_MESSAGE]);

#endif
