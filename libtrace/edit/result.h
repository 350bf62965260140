/*
 * The file that an edit writes: staged, and searched before it gets its name where texts were replaced.
 * Between tk_edit_run and the writers.
 */
#ifndef TK_EDIT_RESULT_H
#define TK_EDIT_RESULT_H

#include "api/trace.h"
#include "edit/tracy/edit_tracy.h"
#include "edit/utrace/edit_utrace.h"

/* Writes it. TK_OK or as tk_edit_run; nothing is left of what failed. */
int tk_edit_result_write(struct tk_trace *trace, struct tk_edit_utrace *e,
                         const struct tk_edit_options *options, struct tk_err *err);

/* The same of a .tracy. */
int tk_edit_result_write_tracy(struct tk_trace *trace, struct tk_edit_tracy *e,
                               const struct tk_edit_options *options, struct tk_err *err);

#endif
