/*
 * Pager: what goes to a terminal goes through $PAGER (less where it is not set), so that it can be looked
 * through and what fits on one screen stays there. Files and pipes never see it.
 */
#ifndef TK_CMD_TERMINAL_PAGER_H
#define TK_CMD_TERMINAL_PAGER_H

#include <stdbool.h>

/* From now on there is none (--no-pager). */
void tk_pager_forbid(void);

/* The first output to a terminal is about to be written: starts the pager, once. What cannot be started is
 * done without. Messages go through it too. Whoever shows progress ends it before. */
void tk_pager_begin(void);

/* Is there one? */
bool tk_pager_runs(void);

/* All is written: waits until who reads has seen it. */
void tk_pager_end(void);

#endif
