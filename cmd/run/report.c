/*
 * Report: capture, output and messages around what a command does. See report.h.
 */
#include "run/report.h"

#include "pages/lost_values.h"
#include "terminal/message.h"

#include <string.h>

static size_t count_formats(const char *const *formats)
{
    size_t n = 0;
    while (formats[n])
        n++;
    return n;
}

bool tk_report_check_format(const char *format, char message[TK_OPT_MESSAGE])
{
    const char *const *formats = tk_writer_formats();
    size_t n = count_formats(formats);
    for (size_t i = 0; i < n; i++)
        if (strcmp(formats[i], format) == 0)
            return true;
    return tk_message_unknown(message, "there is no output format", format, formats, n);
}

/* *lost: did the format not hold all values? */
static int write_report(const struct tk_report *r, struct tk_trace *trace, bool *lost, struct tk_err *err)
{
    struct tk_out out;
    int rc = tk_out_open(&out, r->out, r->format, r->several, !r->chosen, err);
    struct tk_lost_values values = {.to = &out.sink,
                                    .writer = out.writer,
                                    .program = r->call->program,
                                    .quiet = r->common && r->common->quiet};
    const struct tk_sink telling = tk_lost_values_sink(&values);
    if (rc >= 0)
        rc = r->produce(r->ctx, trace, &telling, err);
    *lost = values.lost;
    return tk_out_close(&out, rc, err);
}

static int run_without(const struct tk_report *r)
{
    struct tk_err err = {0};
    bool lost;
    int rc = write_report(r, NULL, &lost, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(r->call->program, NULL, rc, &err);
    return (int)tk_lost_values_exit(lost, tk_exit_of(rc));
}

int tk_report_run(const struct tk_report *r)
{
    struct tk_capture_run run;
    bool lost;
    if (!r->path)
        return run_without(r);
    enum tk_exit code = tk_capture_open(&run, r->call->program, r->path, r->common);
    if (code != TK_EXIT_DONE)
        return (int)code;
    const int rc = write_report(r, run.trace, &lost, &run.err);
    return (int)tk_lost_values_exit(lost, tk_capture_close(&run, rc));
}
