/*
 * Progress: one line on the terminal behind standard error, that says how far a reading is, how fast and how
 * long it will take. There is one terminal, so there is one line.
 */
#ifndef TK_CMD_TERMINAL_PROGRESS_H
#define TK_CMD_TERMINAL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* A reading of `path` begins. Nothing is shown of it where it is not wanted, or no terminal is there to show
 * it. */
void tk_progress_begin(const char *path, bool wanted);

/* Bytes done and in all (0: not known). Nothing is shown of what is done at once. */
void tk_progress_update(uint64_t done, uint64_t total);

/* Takes the line away; it comes back with the next update. For whoever writes to the terminal. */
void tk_progress_hide(void);

/* The reading is over. */
void tk_progress_end(void);

#endif
