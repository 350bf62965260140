/*
 * Host: what the commands ask the operating system for. All calls of it are in host.c.
 */
#ifndef TK_CMD_HOST_H
#define TK_CMD_HOST_H

#include <stdbool.h>
#include <stdio.h>

#include "opt.h"

/* Is the stream a terminal that can do something? (TERM=dumb cannot) */
bool tk_host_terminal(FILE *stream);

/* Columns of the terminal behind standard output: COLUMNS, else what it says; 0 when it is none. */
unsigned tk_host_width(void);

/* Processors that are there, at least 1. */
unsigned tk_host_processors(void);

/* From now on writing to a closed pipe is an error like any other, not the end of the process. */
void tk_host_keep_pipes(void);

/* From now on the signals that ask to stop are noted, the first time; tk_host_stopped() is then which. */
void tk_host_note_stop(void);
int tk_host_stopped(void);

/* Ends the process as that signal would have. */
void tk_host_stop(int signal);

/* Seconds of a clock that only goes forward. */
double tk_host_seconds(void);

/* Is it a folder? */
bool tk_host_is_folder(const char *path);

/* Adds the paths of the files in a folder whose names do not begin with a dot, in the order of their bytes.
 * false when it cannot be read or memory is out. */
bool tk_host_list_folder(const char *path, struct tk_opt_list *out);

#endif
