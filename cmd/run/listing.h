/*
 * Listing: what runs that were kept hold, as tables.
 */
#ifndef TK_RUN_LISTING_H
#define TK_RUN_LISTING_H

#include "args/select.h"
#include "args/table_plan.h"
#include "pages/out.h"
#include "run/command.h"
#include "tracekit/captures.h"

struct tk_kept_listing {
    const struct tk_call *call;
    const struct tk_common_args *common;
    const struct tk_out_args *out;
    const struct tk_plan_args *plan; /* tables, columns, sort, top */
    const char *const *usual;        /* NULL-terminated: the tables where none is named */
    const char *const *operands;     /* captures, baselines and folders of them */
    size_t n;
    const struct tk_row_args *rows; /* the conditions of rows; NULL: none */
};

/* Is an operand something that holds runs: a baseline, or a folder? */
bool tk_kept_is(const char *path);

/* Reads the runs and writes the tables. The exit code. */
int tk_kept_list(const struct tk_kept_listing *listing);

/*
 * Past end: a selection that begins behind the end of a capture.
 */

/* Does the capture reach to where the selection begins? TK_OK; TK_EMATCH with its end; or as tk_query_run.
 * Reads the ends of the capture, and all of it only where these do not reach so far. */
int tk_past_end_check(struct tk_trace *trace, const struct tk_selection *select, struct tk_err *err);

/*
 * What is kept between questions in the folders of the user, listed and removed. It looks into the cache of
 * the library directly.
 */

/* Prints the folders, what is in each, and how much it may be. The exit status. */
int tk_cache_list(const struct tk_call *call);

/* Removes all of it. The exit status. */
int tk_cache_clear(const struct tk_call *call, bool quiet);

#endif
