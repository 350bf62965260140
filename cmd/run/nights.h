/*
 * Nights: from operands (captures, baselines, folders of them) to the table of a night, a few files at a
 * time.
 */
#ifndef TK_RUN_NIGHTS_H
#define TK_RUN_NIGHTS_H

#include "run/runs.h"
#include "tracekit/trends.h"

struct tk_night_reading {
    const char *program;
    const struct tk_common_args *common;
    const struct tk_run_info *info;   /* what is said of the captures; NULL: nothing. Borrowed */
    struct tk_budgets *budgets;       /* that they are for; NULL: none. Borrowed */
    const struct tk_opt_list *before; /* runs of before, for the causes of hitches; NULL: none. Borrowed */
    const char *page;                 /* where the page will be, to which links are relative; NULL: nowhere */
    struct tk_night *night;           /* borrowed */
};

/* Adds the runs of all operands and orders them; what cannot be read is a row, and TK_EXIT_DAMAGED. The exit
 * code after telling why not. */
enum tk_exit tk_night_collect(const struct tk_night_reading *reading, const struct tk_opt_list *operands);

#endif
