/*
 * Save: a capture becomes a run of a baseline file, or of a folder of them.
 */
#ifndef TK_RUN_SAVE_H
#define TK_RUN_SAVE_H

#include "args/endings.h"
#include "run/capture.h"
#include "run/command.h"
#include "tracekit/queries.h"
#include "tracekit/runs.h"

/* Adds the capture of the first operand to the baseline, which is made where there is none; a folder (one
 * that is there, or a name that ends with a slash) gets a file of it. info may be NULL. The exit code. */
enum tk_exit tk_save_run(const struct tk_call *call, const struct tk_common_args *common,
                         const struct tk_selection *select, const struct tk_run_info *info, const char *path);

/* Writes the summary of the capture, or of the runs of a baseline, to a folder of many. Likewise. */
enum tk_exit tk_save_summary(const struct tk_call *call, const struct tk_common_args *common,
                             const struct tk_selection *select, const struct tk_run_info *info,
                             const char *path);

/* Moves runs to such a place ("-": standard output). A folder names them by the time of `capture` where they
 * have none. *added: how many were not there. TK_OK or what failed. */
int tk_save_runs(struct tk_baseline *runs, const char *path, const char *capture, size_t *added,
                 struct tk_err *err);

/*
 * A capture whose texts became words, as a file that is there for a while: what a command then reads in place
 * of the capture, so that all that it writes has the words that trace-edit gives.
 */

/* Zero-initialised it is none. */
struct tk_anonymised {
    char *path; /* owned */
    bool gone;  /* the file is away already */
};

/* Can what is selected be found where --anonymise changes the names? `set`: all options of the command. true,
 * or false with a sentence. */
bool tk_anonymised_check(const struct tk_text_args *texts, const struct tk_opt_set *set,
                         char message[TK_OPT_MESSAGE]);

/* Makes one of a capture where --anonymise requests it. TK_EXIT_DONE, TK_EXIT_DAMAGED (it is there), or the
 * exit code after telling why not. */
enum tk_exit tk_anonymised_make(struct tk_anonymised *a, const char *program, const char *from,
                                const struct tk_common_args *common, const struct tk_text_args *texts);

/* Takes the name from a file that is open, where the system does that: nothing is left then whatever
 * happens. The path stays. */
void tk_anonymised_hide(struct tk_anonymised *a);

/* Takes the file away; nobody uses it or its path any more. */
void tk_anonymised_drop(struct tk_anonymised *a);

#endif
