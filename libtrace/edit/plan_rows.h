/*
 * The table of what an edit does: for each type of event, its events, and those that stay.
 */
#ifndef TK_EDIT_PLAN_ROWS_H
#define TK_EDIT_PLAN_ROWS_H

#include "edit/tracy/edit_tracy.h"
#include "edit/utrace/edit_utrace.h"

/* Sends it; the first walk is over. TK_OK or what a hook returned. */
int tk_edit_plan_send(const struct tk_edit_utrace *e, const struct tk_sink *sink, struct tk_err *err);

/* The same of a .tracy: a row for each section. */
int tk_edit_plan_send_tracy(const struct tk_edit_tracy *e, const struct tk_sink *sink, struct tk_err *err);

#endif
