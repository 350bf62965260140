/*
 * Play: a run that a command of the user records.
 */
#ifndef TK_RUN_PLAY_H
#define TK_RUN_PLAY_H

#include "run/runs.h"

/* Has one of the words {out}, the file to record to? */
bool tk_play_has_out(const struct tk_opt_list *command);

/* Runs the command, whose output goes to standard error, and adds the run that it records to those of the
 * side, cut to what these are cut to. TK_EXIT_DONE, TK_EXIT_DAMAGED, or the exit code after telling why not.
 */
enum tk_exit tk_play(const struct tk_opt_list *command, const struct tk_runs *side);

struct tk_result;

/* Is one of the series, or of frame:p50 and frame:p95 where none is given, inconclusive in the rows of a
 * comparison (table `changes`)? TK_EXIT_DONE, or TK_EXIT_USAGE after telling that there is no such series. */
enum tk_exit tk_play_look(const char *program, const struct tk_result *rows, const struct tk_opt_list *series,
                          bool *undecided);

#endif
