/*
 * Which threads stay in an edit: those of a selection, by their numbers in the capture.
 * Between tk_edit_run and the edits of formats.
 */
#ifndef TK_EDIT_THREADS_H
#define TK_EDIT_THREADS_H

#include "api/trace.h"

enum { TK_EDIT_THREADS = 1 << 16 }; /* no format numbers more of them */

/* Asks for the names of all threads. *out is NULL where all stay, else TK_EDIT_THREADS answers, to be freed.
 * TK_OK; TK_EMATCH with the name that is none; or as tk_query_run. */
int tk_edit_threads_choose(bool **out, struct tk_trace *trace, const struct tk_selection *select,
                           struct tk_err *err);

#endif
