/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_EDIT_EDIT_IN_H
#define TK_EDIT_EDIT_IN_H

#include "api/trace.h"
#include "edit/tracy/edit_tracy.h"
#include "edit/tracy/edit_tracy_merge.h"
#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/merge_utrace.h"
#include "tracekit/edits.h"
#include "tracekit/sinks.h"

/*
 * How packets of a .utrace are compressed, as options name it.
 */

/* Reads "raw", "lz4", or "lz4hc" with ":LEVEL"; NULL: as they are. TK_OK or TK_EUSAGE. */
int tk_edit_compress_read(struct tk_edit_request *request, const char *text, struct tk_err *err);

/*
 * The table of what an edit does: for each type of event, its events, and those that stay.
 */

/* Sends it; the first walk is over. TK_OK or what a hook returned. */
int tk_edit_plan_send(const struct tk_edit_utrace *e, const struct tk_sink *sink, struct tk_err *err);

/* The same of a .tracy: a row for each section. */
int tk_edit_plan_send_tracy(const struct tk_edit_tracy *e, const struct tk_sink *sink, struct tk_err *err);

/*
 * The file that an edit writes: staged, and searched before it gets its name where texts were replaced.
 * Between tk_edit_run and the writers.
 */

/* Writes it. TK_OK or as tk_edit_run; nothing is left of what failed. */
int tk_edit_result_write(struct tk_trace *trace, struct tk_edit_utrace *e,
                         const struct tk_edit_options *options, struct tk_err *err);

/* The same of a .tracy. */
int tk_edit_result_write_tracy(struct tk_trace *trace, struct tk_edit_tracy *e,
                               const struct tk_edit_options *options, struct tk_err *err);

/* The same of a merge; `trace` is one of its captures. */
int tk_edit_result_write_merge(struct tk_trace *trace, struct tk_edit_tracy_merge *e,
                               const struct tk_edit_options *options, struct tk_err *err);

int tk_edit_result_write_utrace_merge(struct tk_trace *trace, struct tk_edit_utrace_merge *e,
                                      const struct tk_edit_options *options, struct tk_err *err);

/* A capture that was mended, in a temporary file. Zero-initialise, and release. */
struct tk_edit_mended {
    struct tk_trace *trace; /* owned, as the others */
    struct tk_output *out;
    char *path;
};

/* Writes it and opens what was written. */
int tk_edit_result_mend(struct tk_edit_mended *mended, struct tk_trace *trace, struct tk_edit_tracy *e,
                        struct tk_err *err);

void tk_edit_mended_release(struct tk_edit_mended *mended);

#endif
